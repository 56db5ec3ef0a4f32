import { v7 as uuid } from 'uuid';
import { foldHeader } from '../../contract/kinds/index.ts';
import type { TakeChanges } from '../../contract/review.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import { contentHash } from '../batches/plan-import.ts';
import { shotsAsTable } from '../batches/shots-as-table.ts';
import { tableOfRow } from '../batches/table.ts';
import { checkList } from '../batches/validate.ts';
import type { Batch, StoredShot } from '../db/batch-store.ts';
import { RefusedError } from '../base/errors.ts';
import { firstState } from '../machine/job-machine.ts';
import type { StepContext } from '../jobs/step-context.ts';
import { needsAssets } from '../library/needs.ts';

/** Goes before every row of a list that does not say more: a person waits for this one. */
const AHEAD_OF_LISTS = 1000;

/** Time to take it back before it is sent and paid for: one key has asked for it, ms. */
const SECOND_THOUGHTS_MS = 5000;

/** Adds a take of the shot that `takeId` is a take of, changed or not, and returns its id. Sends nothing. */
export async function addTake(context: StepContext, takeId: string, changes: TakeChanges): Promise<string> {
  const { batch, shot, spec } = await plannedTake(context, takeId, changes);
  const id = uuid();
  const now = context.ports.clock.now();
  context.jobs.inOneCommit(() => {
    const shotId = versionOf(context, batch, shot, spec, now);
    const take = context.batches.takes.last(batch.id, spec.key) + 1;
    const wanted = { ...spec, priority: Math.max(spec.priority, AHEAD_OF_LISTS) };
    const state = firstState(needsAssets(wanted, batch.listFolder), now, now + SECOND_THOUGHTS_MS);
    context.batches.takes.add(batch, { id, shotId, take, spec: wanted, state, createdAt: now });
  });
  context.touchManifest(batch.id);
  return id;
}

interface PlannedTake {
  readonly batch: Batch;
  /** The shot that `takeId` was made from. */
  readonly shot: StoredShot;
  /** What another take of it would be made from. */
  readonly spec: ShotSpec;
}

/** What another take would be made from; changes nothing. Throws RefusedError. */
export async function plannedTake(context: StepContext, takeId: string, changes: TakeChanges): Promise<PlannedTake> {
  const job = context.jobs.get(takeId);
  const batch = job && context.batches.get(job.batchId);
  const shot = job && context.batches.shot(job.shotId);
  if (!job || !batch || !shot) throw unknownTake(takeId);
  return { batch, shot, spec: await changedSpec(context, batch, shot.spec, changes) };
}

/** The version of the shot with this content; a new one is history from the start, for the list asks for another. */
function versionOf(context: StepContext, batch: Batch, shot: StoredShot, spec: ShotSpec, now: number): string {
  const hash = contentHash(spec);
  const known = context.batches.versionOf(batch.id, spec.key, hash);
  if (known) return known;
  const id = uuid();
  context.batches.addOldVersion({ ...shot, id, contentHash: hash, spec }, now);
  return id;
}

/** The shot with the changes made to it, checked as a row of a list is. Throws RefusedError with what does not fit. */
async function changedSpec(
  context: StepContext,
  batch: Batch,
  spec: ShotSpec,
  { prompt, model, cells }: TakeChanges,
): Promise<ShotSpec> {
  const changed = { ...spec, prompt: prompt ?? spec.prompt, model: model ?? spec.model };
  const { headers, rows } = shotsAsTable([changed]);
  const row = [...(rows[0] ?? [])];
  const allHeaders = [...headers];
  for (const [name, text] of Object.entries(cells)) {
    const place = allHeaders.findIndex((header) => foldHeader(header) === foldHeader(name));
    if (place < 0) allHeaders.push(name);
    row[place < 0 ? allHeaders.length - 1 : place] = text;
  }
  const { listFolder } = batch;
  const options = { listFolder, settings: context.settings, kind: spec.kind };
  const { shots, defects } = await checkList(tableOfRow(allHeaders, row), options);
  const [made] = shots;
  if (made && made.key === spec.key) return { ...made, takes: spec.takes };
  const [defect] = defects.filter(({ severity }) => severity === 'error');
  throw new RefusedError(
    'does_not_fit',
    defect ? `${defect.column}: ${defect.problem}` : 'The changes do not fit the shot.',
    defect?.remedy ?? 'Leave the key of the shot as it is.',
  );
}

export const unknownTake = (takeId: string): RefusedError =>
  new RefusedError('unknown_take', `There is no take ${takeId}.`, 'Load the list again.');
