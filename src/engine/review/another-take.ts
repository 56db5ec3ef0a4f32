import { messageFor, type Message, type Text } from '../../contract/messages/message.ts';
import { v7 as uuid } from 'uuid';
import { columnsFor, foldHeader, kindSpecs } from '../../contract/kinds/index.ts';
import type { Kind } from '../../contract/kinds/kind.ts';
import { formats } from '../../contract/formats.ts';
import type { Hours } from '../../contract/night-window.ts';
import type { Derivation, MoreTakes, NewTake, TakeChanges } from '../../contract/review.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import type { TakeSource } from '../../contract/take.ts';
import { requireUnarchivedBatch } from '../projects/overview.ts';
import { contentHash } from '../batches/plan-import.ts';
import { shotsAsTable } from '../batches/written-list.ts';
import { tableOfRow } from '../batches/table.ts';
import { checkList } from '../batches/validate.ts';
import type { Batch, StoredShot } from '../db/batch-store.ts';
import type { Job } from '../db/job-store.ts';
import { refused, RefusedError } from '../base/errors.ts';
import { fits, shotReferences, wantedBy } from '../kinds/shot-reference.ts';
import { firstState } from '../machine/job-machine.ts';
import { batchesBeside, taskToContinue } from '../jobs/planning.ts';
import type { StepContext } from '../jobs/step-context.ts';
import { needsAssets } from '../library/needs.ts';

/** Ahead of list rows without a higher priority, because a person is waiting for this take. */
const AHEAD_OF_LISTS = 1000;

/** Time to undo before the take is sent and paid for, ms: a single key queued it. */
const SECOND_THOUGHTS_MS = 5000;

/**
 * Adds takes of the same shots, made from other takes, and returns their ids. Sends nothing. `also` is part of the
 * commit.
 */
export function addTakes(
  context: StepContext,
  planned: readonly PlannedTake[],
  tonight: Hours | undefined,
  also: () => void,
): string[] {
  for (const { batch } of planned) requireUnarchivedBatch(context.batches, batch);
  const now = context.ports.clock.now();
  const ids: string[] = [];
  context.jobs.inOneCommit(() => {
    for (const { batch, shot, spec, sources } of planned) {
      const id = uuid();
      const shotId = versionFor(context, batch, shot, spec, now);
      const take = context.batches.takes.last(batch.id, spec.key) + 1;
      const ahead = { ...spec, priority: Math.max(spec.priority, AHEAD_OF_LISTS) };
      const state = firstState(needsAssets(ahead, batch.listFolder), now, now + SECOND_THOUGHTS_MS);
      context.batches.takes.add(batch, { id, shotId, take, spec: ahead, state, createdAt: now });
      context.sources.save(id, sources);
      // Who asks for this one take has not to release it too.
      context.jobs.waits.setReleased(id, true);
      if (tonight) {
        context.jobs.setPaused(id, 'user', now);
        context.windows.holdForTonight(id, tonight);
      }
      ids.push(id);
    }
    also();
  });
  for (const id of new Set(planned.map(({ batch }) => batch.id))) context.touchManifest(id);
  return ids;
}

/** What making takes otherwise comes to: each new take once, and of which none is made. Throws RefusedError. */
export async function plannedTakes(context: StepContext, wanted: MoreTakes) {
  const planned: PlannedTake[] = [];
  const left: Text[] = [];
  for (const takeId of new Set(wanted.ids)) {
    const job = context.jobs.get(takeId);
    if (!job) throw unknownTake(takeId);
    const named = (value: Text): Message =>
      messageFor('common.namedValue', {
        name: messageFor('review.takeName', { shot: job.shotKey, take: job.take }),
        value,
      });
    const { how, onlyMissing, changes } = wanted;
    const { note = wanted.note, prompt = changes.prompt } = wanted.own[takeId] ?? {};
    const cells = settingsOf(job.kind, changes.cells, named);
    const asked: NewTake = {
      takeId,
      changes: { ...changes, cells, ...(prompt !== undefined && { prompt }) },
      derivation: { how, ...(note !== '' && { note }) },
    };
    const plan = await plannedTake(context, asked).catch((error: unknown) => {
      if (!(error instanceof RefusedError)) throw error;
      throw new RefusedError(error.code, named(error.text), error.remedy);
    });
    const content = contentHash(plan.spec);
    if (how === 'final' && content === contentHash(plan.shot.spec)) {
      left.push(named(messageFor('failure.finalIsSame')));
      continue;
    }
    const isSame = (each: { note: string; contentHash: string }): boolean =>
      each.contentHash === content && (how === 'final' || each.note === note);
    const made = onlyMissing ? context.sources.made(takeId, how).filter(isSame).length : 0;
    if (made >= wanted.count) left.push(named(messageFor('failure.madeBefore', { count: made })));
    for (let number = made; number < wanted.count; number += 1) planned.push(plan);
  }
  if (planned.length > (wanted.newTakes ?? Infinity)) throw refused('plan_changed', 'failure.moreThanAgreed');
  return { planned, left };
}

/** In a list, a column that is not known is the person's own; here it is a slip that would be paid for. */
function settingsOf(kind: Kind, cells: TakeChanges['cells'], named: (value: Text) => Message): TakeChanges['cells'] {
  const known = columnsFor(kind).filter(
    ({ name }) => name === 'model' || kindSpecs[kind].parameters.some((each) => each.name === name),
  );
  const settings = Object.entries(cells).map(([written, value]) => {
    const column = known.find(({ name, aliases }) =>
      [name, ...aliases].some((each) => foldHeader(each) === foldHeader(written)),
    );
    if (column || /^param\.\S/.test(written)) return [column?.name ?? written, value] as const;
    const text = named(messageFor('failure.noSetting', { column: written, kind }));
    throw new RefusedError(
      'does_not_fit',
      text,
      messageFor('remedy.oneOfSettings', { columns: known.map(({ name }) => name) }),
    );
  });
  return Object.fromEntries(settings);
}

export interface PlannedTake {
  readonly batch: Batch;
  readonly shot: StoredShot;
  readonly spec: ShotSpec;
  readonly sources: readonly TakeSource[];
}

/**
 * What a new take would be made from. Changes nothing. Throws RefusedError. `from`: the version of the shot to make;
 * without it, that of the take.
 */
export async function plannedTake(context: StepContext, wanted: NewTake, from?: string): Promise<PlannedTake> {
  const { takeId, derivation } = wanted;
  const job = context.jobs.get(takeId);
  const batch = job && context.batches.get(job.batchId);
  const shot = job && context.batches.shot(from ?? job.shotId);
  if (!job || !batch || !shot) throw unknownTake(takeId);
  const { how } = derivation ?? { how: isChanged(wanted.changes) ? 'changes' : 'again' };
  const own: TakeSource = derivation?.source
    ? fileFor(context, job, how, derivation.source)
    : { takeId, how, ...(derivation?.note !== undefined && { note: derivation.note }) };
  // A file that a person chose as a source of the take is also a source of the next one.
  const kept = context.sources.of(takeId).filter((source) => source.how !== 'reference' && source.cell !== undefined);
  const { parameter, cell } = own;
  const cells = {
    ...wanted.changes.cells,
    ...(parameter !== undefined && cell !== undefined && { [parameter]: cell }),
  };
  const settled = new Set([own, ...kept].flatMap((source) => source.cell ?? []));
  const spec = await changedSpec(context, batch, shot.spec, { ...wanted.changes, cells }, settled);
  const named = shotReferences(spec);
  const isNamed = (source: TakeSource): boolean =>
    named.some((reference) => reference.parameter === source.parameter && reference.cell === source.cell);
  return { batch, shot, spec, sources: [own, ...kept.filter(isNamed)] };
}

const isChanged = ({ prompt, model, cells }: TakeChanges): boolean =>
  prompt !== undefined || model !== undefined || Object.keys(cells).length > 0;

/** A file of a take, or its task, as the source of another take. Throws RefusedError. */
function fileFor(
  context: StepContext,
  { id, shotKey, kind }: Job,
  how: TakeSource['how'],
  { parameter, output: number }: NonNullable<Derivation['source']>,
): TakeSource {
  const output = context.outputs.outputs(id).find((file) => file.number === number);
  if (!output) {
    throw refused('no_such_file', messageFor('failure.takeHasNoFile', { number }));
  }
  const wanted = kindSpecs[kind].parameters.find(({ name }) => name === parameter);
  if (wanted?.type === 'task') {
    const text = taskToContinue(context, kind, id);
    if (text !== null) return { takeId: id, how, parameter, output: number, cell: `Shot://${shotKey}`, text };
    throw refused('no_task', 'failure.takeHasNoTask', 'remedy.chooseOther');
  }
  const cell = `Shot://${shotKey}/${String(number)}`;
  if (wanted && 'media' in wanted && fits(formats[output.format].medium, wantedBy[wanted.media]))
    return { takeId: id, how, parameter, cell, output: number, sha256: output.sha256 };
  const text = messageFor('failure.takesNoFormat', { column: parameter, format: output.format });
  throw refused('does_not_fit', text, 'remedy.chooseOther');
}

/** A new version is history from the start, because the list has another one. */
function versionFor(context: StepContext, batch: Batch, shot: StoredShot, spec: ShotSpec, now: number): string {
  const hash = contentHash(spec);
  const known = context.batches.versionOf(batch.id, spec.key, hash);
  if (known) return known;
  const id = uuid();
  context.batches.addShot({ ...shot, id, contentHash: hash, spec }, now, false);
  return id;
}

/** The shot with the changes, checked like a row of a list. Throws RefusedError with the defects. */
async function changedSpec(
  context: StepContext,
  batch: Batch,
  spec: ShotSpec,
  { prompt, model, cells }: TakeChanges,
  settled: ReadonlySet<string>,
): Promise<ShotSpec> {
  const { headers, rows } = shotsAsTable([{ ...spec, model: model ?? spec.model }]);
  const row = [...(rows[0] ?? [])];
  const allHeaders = [...headers];
  for (const [name, text] of Object.entries({ ...cells, ...(prompt !== undefined && { prompt }) })) {
    const place = allHeaders.findIndex((header) => foldHeader(header) === foldHeader(name));
    if (place < 0) allHeaders.push(name);
    row[place < 0 ? allHeaders.length - 1 : place] = text;
  }
  const { listFolder } = batch;
  const beside = (key: string): ShotSpec | null => context.batches.currentShot(batch.id, key);
  const variables = context.textsOf(batch.projectId);
  const batches = batchesBeside(context, batch.projectId, batch.name);
  const options = { listFolder, variables, settings: context.settings, kind: spec.kind, beside, settled, batches };
  const { shots, defects } = await checkList(tableOfRow(allHeaders, row), options);
  const [made] = shots;
  if (made && made.key === spec.key) return { ...made, takes: spec.takes };
  const [defect] = defects.filter(({ severity }) => severity === 'error');
  throw new RefusedError(
    'does_not_fit',
    defect
      ? messageFor('common.namedValue', { name: defect.column, value: defect.problem })
      : messageFor('failure.changesDoNotFit'),
    defect?.remedy ?? messageFor('remedy.leaveKey'),
  );
}

export const unknownTake = (takeId: string): RefusedError =>
  refused('unknown_take', messageFor('failure.noSuch', { what: 'take', id: takeId }), 'remedy.loadJobsAgain');
