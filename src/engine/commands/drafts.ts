import type { Actor } from '../../contract/history.ts';
import { asProblem, messageFor } from '../../contract/messages/message.ts';
import type {
  AddedShot,
  BatchView,
  DraftDefect,
  DraftEdit,
  DraftRows,
  DraftView,
  Estimate,
  ListSource,
  ReadOptions,
  ShownShot,
  StartPlan,
} from '../../contract/batch.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import { v7 as uuid } from 'uuid';
import type { Project } from '../db/project-store.ts';
import { refused } from '../base/errors.ts';
import { KeyedMutex } from '../base/keyed-mutex.ts';
import { isStrangeFolder, localPath, readMediaReference, splitList, withoutQuotes } from '../kinds/media-reference.ts';
import { csvText } from '../batches/csv-text.ts';
import { tableOfRow } from '../batches/table.ts';
import { withDefaults, Draft, placeDefects, type DraftCheck } from '../batches/draft.ts';
import { type DraftStep, readSource, writeDraft } from '../batches/draft-file.ts';
import type { DraftRepository } from '../batches/draft-repository.ts';
import { contentFor, readListSource } from '../batches/draft-source.ts';
import { paidAgain } from '../batches/paid-again.ts';
import { planStart, type StartBatch } from '../batches/plan-start.ts';
import { createHash } from 'node:crypto';
import type { Variables } from '../../contract/prompt-library.ts';
import { checkList, type CheckedTable } from '../batches/validate.ts';
import { settingsOn } from '../../contract/accounts.ts';
import { estimate } from '../batches/price.ts';
import type { Settings } from '../../contract/settings.ts';
import type { Batch } from '../db/batch-store.ts';
import type { EngineEvents } from '../jobs/engine-events.ts';
import { realPath } from '../files/existing-paths.ts';
import type { ExpectedEnds } from '../jobs/expected-work.ts';
import { agreedIn, batchesBeside, filesNamed, shotsOfFiles } from '../jobs/planning.ts';
import type { StepContext } from '../jobs/step-context.ts';
import { agreedFile, outsideFiles } from '../library/needs.ts';
import type { ListedModels } from '../models/index.ts';
import { projectFor, requireUnarchived } from '../projects/overview.ts';
import type { SpendingService } from '../projects/spending.ts';
import type { Views } from '../queries/views.ts';
import { joinedDesk } from '../jobs/studio-ports.ts';
import type { StartsBatches } from './batch-starts.ts';

const MAX_DEFECTS = 20_000;
/** A check older than this is repeated on request: a missing file may be there now, ms. */
const CHECK_HOLDS_MS = 10_000;
const SINGLE_SHOTS = 'Single shots';

type ShotCells = Readonly<Record<string, string>>;

/** One shot as a person described it; `agreed`, `by`, `tonight`: see `StartBatch`. */
export interface SingleShot extends Pick<StartBatch, 'by' | 'tonight'> {
  readonly cells: ShotCells;
  readonly agreed: readonly string[];
}

/** The plan that a person saw is the one that is started: of this revision, with these texts. */
export interface DraftStart extends Partial<Omit<StartBatch, 'texts'>> {
  readonly revision?: number | undefined;
  readonly texts?: string | undefined;
}

export interface NamedInCell {
  readonly row: number;
  readonly column: number;
  readonly name: string;
}

/** Lists being edited. Each edit is on disk, in the project folder, before it is answered. */
export function openDrafts(
  steps: StepContext,
  repository: DraftRepository,
  library: Views['library'],
  listedModels: ListedModels,
  expected: ExpectedEnds,
  spending: SpendingService,
  events: EngineEvents,
  startBatch: StartsBatches,
) {
  const { agreements, batches, claims, clients, history, ports, projects, tally } = steps;
  const starts = new KeyedMutex();
  const checks = new Map<string, Promise<void>>();
  let stopped = false;

  async function open(
    projectId: string,
    source: ListSource,
    read: ReadOptions,
    by: Actor = 'engine',
  ): Promise<DraftView> {
    const project = ownProject(projectId);
    if (source.type === 'batch') await claims.claimIfFree(projectId);
    const made = { batches, shotsOf: (paths: readonly string[]) => shotsOfFiles(steps, paths) };
    const { content, bytes, agreed } = await readListSource(made, project, source, read);
    if (agreed) agreements.add(projectId, await Promise.all(agreed.map((path) => realPath(path))));
    const copy = await repository.copyOf(project, content);
    if (copy) return copy.view();
    const createdAt = ports.clock.now();
    await repository.makeRoom(project, toBytes(content.rows));
    const file = { format: 1 as const, id: uuid(), createdAt, revision: 0, ...content };
    await writeDraft(project.path, file, bytes);
    const draft = new Draft(projectId, file);
    if (source.type === 'batch' && source.copyAs !== undefined) {
      const batch = batches.get(source.batchId)?.name ?? '';
      const facts = { batch, name: draft.chosenName ?? batch };
      history.note({ code: 'batch.duplicated', facts, by, at: createdAt, projectId });
    }
    return adopt(draft);
  }

  /** Reads the source again another way; edits are dropped. Throws RefusedError when there is none to read. */
  async function reread(draftId: string, read: ReadOptions): Promise<DraftView> {
    const { path } = await projectOf(draftId);
    return repository.turns.run(draftId, async () => {
      const draft = await repository.find(draftId);
      const bytes = await readSource(path, draftId);
      if (!bytes) throw refused('no_source', 'failure.noListFile');
      const content = await contentFor(bytes, draft.file.source, read);
      const { listFolder } = draft.file;
      const facts = {
        listFolder,
        revision: draft.revision + 1,
        kind: draft.list.kind,
        defaults: { ...draft.list.defaults },
        chosenName: draft.chosenName,
      };
      const file = { ...draft.file, ...content, ...facts };
      await writeDraft(path, file, null);
      return adopt(new Draft(draft.projectId, file));
    });
  }

  async function list(projectId: string): Promise<DraftView[]> {
    const drafts = await repository.all(ownProject(projectId));
    const open = drafts.filter(({ startedAs }) => startedAs === undefined);
    for (const draft of open) startCheck(draft);
    return open.map((draft) => draft.view()).reverse();
  }

  async function get(draftId: string): Promise<DraftView> {
    const draft = await repository.find(draftId);
    startCheck(draft);
    return draft.view();
  }

  async function rows(draftId: string, start: number, count: number): Promise<DraftRows> {
    const { list, revision } = await repository.find(draftId);
    const rows = list.rows.slice(start, start + count).map((row) => list.headers.map((_, index) => row[index] ?? ''));
    return { revision, start, rows };
  }

  /** Makes an edit that was thought out on a list of `revision`. Throws RefusedError when the list is another by now. */
  async function edit(draftId: string, revision: number, edit: DraftEdit, id = uuid()): Promise<DraftView> {
    const decide = (draft: Draft): DraftStep | null => {
      // An answer that was lost is asked for once more: the edit is made once all the same.
      if (draft.made.has(id)) return null;
      draft.checkUnchanged(revision);
      return { edit, id };
    };
    return (await makeStep(draftId, decide)).view();
  }

  const undo = async (draftId: string): Promise<DraftView> => (await makeStep(draftId, () => ({ undo: true }))).view();

  const redo = async (draftId: string): Promise<DraftView> => (await makeStep(draftId, () => ({ redo: true }))).view();

  /**
   * Every defect of the present list, once the check has caught up with its edits. `again`: checks again even without
   * an edit, since a missing file may be there now.
   */
  async function defects(draftId: string, again = false): Promise<{ revision: number; defects: DraftDefect[] }> {
    if (again) (await repository.find(draftId)).check = null;
    const { revision, defects } = await freshCheck(draftId);
    return { revision, defects: defects.slice(0, MAX_DEFECTS) };
  }

  /** The files that names after `Shot://` mean in the batch of its name, in their order; null where there is none yet. */
  async function shots(draftId: string, names: readonly string[]): Promise<(ShownShot | null)[]> {
    const { projectId, name } = (await repository.find(draftId)).view();
    const batch = batches.named(projectId, name);
    return batch === null ? names.map(() => null) : filesNamed(steps, batch.id, names);
  }

  /** The real path of a local file that a cell names, where a start would send it as it is; null for any other. */
  async function localFile(draftId: string, { row, column, name }: NamedInCell): Promise<string | null> {
    const draft = await repository.find(draftId);
    const cell = draft.list.rows[row]?.[column] ?? '';
    // A row may have moved since the window drew it.
    const isNamed = withoutQuotes(cell.trim()) === name || splitList(cell).includes(name);
    if (!isNamed || readMediaReference(name).at !== 'local') return null;
    const agreed = await agreedIn(steps, ownProject(draft.projectId));
    const { file, isOpen } = await agreedFile(localPath(name, folderOf(draft)), agreed);
    return isOpen ? file : null;
  }

  async function name(draftId: string, name: string): Promise<DraftView> {
    const step = { named: name };
    return (await makeStep(draftId, (draft) => (draft.chosenName === name ? null : step))).view();
  }

  async function plan(draftId: string, name: string, again: boolean, keepOthers = false): Promise<StartPlan> {
    const { listFolder, projectId, shots, ownName, texts } = await readyToStart(draftId);
    const settings = settingsFor(projectId);
    const request = { projectId, settings, name, ownName, shots, again, keepOthers };
    const { plan, toMake } = await planStart(batches, request);
    const service = projects.service(projectId);
    const batch = batches.named(projectId, name);
    const added = toMake.map(({ shot }) => shot);
    const uploads = await library(projectId).plannedUploads(added, listFolder);
    return {
      ...plan,
      texts,
      lasts: expected.lengthWith(plan.lines.map(({ model, takes }) => ({ service, model, waiting: takes }))),
      uploads: uploads.map(({ path, bytes }) => ({ path, bytes })),
      outside: await outsideOf(projectId, shots, listFolder),
      paidAgain: await paidAgain(batches, request),
      cap: batch && spending.capOf({ scope: 'batch', batchId: batch.id }),
      withoutPrice: spending.withoutPrice(shots, { projectId }),
    };
  }

  /**
   * Makes a batch of the list for the queue. Throws RefusedError while it has an error, when it was edited since
   * `revision`, or when its prompts use other texts than `texts`: people pay for what they have seen. `agreed`, `cap`,
   * `newTakes`: see `StartBatch`.
   */
  async function start(
    draftId: string,
    name: string,
    again: boolean,
    { revision, texts, ...options }: DraftStart = {},
  ): Promise<{ batch: BatchView; newTakes: number }> {
    const project = await projectOf(draftId);
    // One start after the other: the second finds the takes of the first.
    using _turn = await starts.turn(project.id);
    const ready = await readyToStart(draftId, revision);
    if (texts !== undefined && texts !== ready.texts) {
      throw refused('texts_changed', 'failure.textsChanged', 'remedy.lookAtPlan');
    }
    const { listFolder, source, shots, rows, list: written, named } = ready;
    // A window agrees to what its plan has listed and to nothing else: not to a folder, nor a file of no cell.
    const outside = await outsideOf(project.id, shots, listFolder);
    const agreed = outside.map(({ path }) => path).filter((path) => options.agreed?.includes(path));
    const list = { project, name, listFolder, source, shots, rows, list: written, texts: named, again };
    const request = { ...list, ...options, agreed };
    const desk = options.studio === true ? joinedDesk(steps.desk) : null;
    await desk?.begin(project.path);
    const { batch, newTakes } = await startBatch(request);
    // Where it fails, the list stays open: starting it again hands over what is left.
    await desk?.handOver(batch.id, options.cap);
    await makeStep(draftId, () => ({ started: true, batch: batch.id }));
    return { batch: viewOf(batch), newTakes };
  }

  async function save(draftId: string): Promise<{ fileName: string; text: string }> {
    const { list, file } = await repository.find(draftId);
    const { headers, rows } = withDefaults(list, list);
    return { fileName: `${file.name}.csv`, text: csvText(headers, rows) };
  }

  async function estimateShot(projectId: string, cells: ShotCells): Promise<Estimate | null> {
    const project = ownProject(projectId);
    const [shot] = (await checkCells(project, cells, project.path, singleShots(project))).shots;
    return shot ? estimate([{ shot, takes: shot.takes }], settingsFor(projectId)) : null;
  }

  /** Queues one described shot as another row of the batch of single shots, of which no other row is started again. */
  async function addShot(projectId: string, { cells, agreed, by, tonight }: SingleShot): Promise<AddedShot> {
    const project = ownProject(projectId);
    using _turn = await starts.turn(projectId);
    await claims.claimIfThere(projectId);
    const known = singleShots(project);
    const stored = known ? batches.currentShots(known.id) : [];
    const listFolder = known?.listFolder || project.path;
    const keyed = { ...cells, shot: cells['shot'] ?? nextKey(stored.length) };
    const { shots, defects, texts } = await checkCells(project, keyed, listFolder, known);
    const [shot] = shots;
    if (!shot) return { ok: false, defects: defects.filter(({ severity }) => severity === 'error'), outside: [] };
    if (stored.some((other) => other.key === shot.key))
      return { ok: false, defects: [keyTaken(shot.key)], outside: [] };
    const outside = await outsideOf(projectId, [shot], listFolder);
    if (!outside.every(({ path }) => agreed.includes(path))) return { ok: false, defects: [], outside };

    const name = known?.name ?? batches.freeName(projectId, SINGLE_SHOTS);
    const list = { headers: Object.keys(keyed), rows: [Object.values(keyed)], mapping: {}, kind: null, defaults: {} };
    const { batch, newTakes } = await startBatch({
      ...{ project, listFolder, texts, name, list, by, tonight },
      source: known?.source ?? name,
      shots: [shot],
      again: false,
      keepOthers: true,
      agreed: outside.map(({ path }) => path),
    });
    return { ok: true, batch: viewOf(batch), newTakes };
  }

  async function discard(draftId: string): Promise<void> {
    const project = await projectOf(draftId);
    await repository.step(project, draftId, () => ({ discarded: true }));
    tell({ id: draftId, projectId: project.id });
  }

  async function restore(projectId: string, draftId: string): Promise<DraftView> {
    const draft = await repository.restore(ownProject(projectId), draftId);
    tell(draft);
    return draft.view();
  }

  async function stop(): Promise<void> {
    stopped = true;
    await Promise.allSettled(checks.values());
    await starts.settled();
    await repository.turns.settled();
  }

  async function projectOf(draftId: string): Promise<Project> {
    return ownProject((await repository.find(draftId)).projectId);
  }

  async function makeStep(draftId: string, decide: (draft: Draft) => DraftStep | null): Promise<Draft> {
    const draft = await repository.step(await projectOf(draftId), draftId, decide);
    tell(draft);
    startCheck(draft);
    return draft;
  }

  function adopt(draft: Draft): DraftView {
    repository.open.set(draft.id, draft);
    tell(draft);
    startCheck(draft);
    return draft.view();
  }

  /** The checked list of a project whose folder was taken in: its prompts may name texts that came with it. */
  async function readyToStart(draftId: string, revision?: number) {
    await claims.claimIfThere((await repository.find(draftId)).projectId);
    const { errors, checked, texts } = await freshCheck(draftId);
    const draft = await repository.find(draftId);
    if (revision !== undefined) draft.checkUnchanged(revision);
    if (errors > 0) throw refused('list_has_errors', messageFor('failure.listHasErrors', { count: errors }));
    if (checked.shots.length === 0) throw refused('list_is_empty', 'failure.noShotsToMake');
    const { projectId, file } = draft;
    return {
      projectId,
      texts,
      source: file.source,
      list: draft.list,
      ownName: file.name,
      listFolder: folderOf(draft),
      shots: checked.shots,
      rows: checked.rows,
      named: checked.texts,
    };
  }

  function startCheck({ id }: Draft): void {
    if (checks.has(id) || stopped) return;
    const work = catchUp(id).finally(() => checks.delete(id));
    // A caller that needs the result waits for it and gets the failure.
    work.catch(() => undefined);
    checks.set(id, work);
  }

  async function catchUp(draftId: string): Promise<void> {
    for (;;) {
      const draft = repository.open.get(draftId);
      if (!draft?.isUnchecked || stopped) return;
      draft.isUnchecked = false;
      const { revision } = draft;
      const { kind, mapping } = draft.list;
      const at = ports.clock.now();
      const options = {
        ...checkOptions(draft.projectId, folderOf(draft), draft.view().name),
        mapping,
        kind: kind ?? undefined,
      };
      const texts = toStamp(options.variables);
      const checked = await checkList(draft.table(), options);
      draft.check = { revision, at, texts, checked, ...placeDefects(checked, draft.list.headers.length) };
      tell(draft);
    }
  }

  async function freshCheck(draftId: string): Promise<DraftCheck> {
    const asked = ports.clock.now();
    for (;;) {
      const draft = await repository.find(draftId);
      const { check } = draft;
      const texts = toStamp(steps.textsOf(draft.projectId));
      const isFresh = check?.texts === texts && asked - check.at < CHECK_HOLDS_MS;
      if (check?.revision === draft.revision && isFresh) return check;
      if (!checks.has(draftId)) draft.isUnchecked = true;
      if (stopped) throw refused('stopping', 'failure.stopping');
      startCheck(draft);
      await checks.get(draftId);
    }
  }

  function checkOptions(projectId: string, listFolder: string, name?: string) {
    const variables = steps.textsOf(projectId);
    const accountModels = listedModels.of(clients.currentIfAny(projects.service(projectId)));
    const beside = batchesBeside(steps, projectId, name);
    return { listFolder, settings: settingsFor(projectId), variables, accountModels, batches: beside };
  }

  function checkCells({ id }: Project, cells: ShotCells, listFolder: string, known?: Batch): Promise<CheckedTable> {
    const beside = (key: string): ShotSpec | null => (known ? batches.currentShot(known.id, key) : null);
    const table = tableOfRow(Object.keys(cells), Object.values(cells));
    return checkList(table, { ...checkOptions(id, listFolder, known?.name), beside });
  }

  function singleShots({ id }: Project): Batch | undefined {
    return batches.rows(id).find(({ name, importing }) => name === SINGLE_SHOTS && !importing);
  }

  function ownProject(projectId: string): Project {
    requireUnarchived(steps.projects, projectId);
    return projectFor(steps.projects, projectId);
  }

  function settingsFor(projectId: string): Settings {
    return settingsOn(steps.settings, projects.service(projectId));
  }

  /** Local paths of a list are relative to this folder, as it is called now. */
  function folderOf({ file, projectId }: Draft): string {
    const project = ownProject(projectId);
    // A batch from another machine may not say where its list lay.
    const folder = file.listFolder || project.path;
    const isStrange = isStrangeFolder(folder, project.path) && !agreements.of(projectId).includes(folder);
    return isStrange ? project.path : projects.currentPlace(project, folder);
  }

  async function outsideOf(
    projectId: string,
    shots: readonly ShotSpec[],
    listFolder: string,
  ): Promise<StartPlan['outside']> {
    return outsideFiles(shots, listFolder, await agreedIn(steps, ownProject(projectId)));
  }

  function viewOf({ id: batchId, projectId }: Batch): BatchView {
    const row = batches.rows(projectId).find(({ id }) => id === batchId);
    if (!row) throw new Error(`Batch ${batchId} is gone.`);
    return { ...row, counts: tally.counts({ batchId }) };
  }

  function tell({ id: draftId, projectId }: Pick<Draft, 'id' | 'projectId'>): void {
    events.emit({ type: 'draft', projectId, draftId });
  }

  return {
    open,
    reread,
    list,
    get,
    rows,
    edit,
    undo,
    redo,
    defects,
    shots,
    localFile,
    name,
    plan,
    start,
    save,
    estimate: estimateShot,
    addShot,
    discard,
    restore,
    stop,
  };
}
export type Drafts = ReturnType<typeof openDrafts>;

const toBytes = (rows: readonly (readonly string[])[]): number =>
  rows.reduce((sum, row) => row.reduce((bytes, cell) => bytes + Buffer.byteLength(cell) + 3, sum), 0);

/** Says which texts a list was checked with: another stamp, other texts. */
const toStamp = (variables: Variables): string =>
  createHash('sha256')
    .update(JSON.stringify([...variables].sort(([one], [other]) => (one < other ? -1 : 1))))
    .digest('base64url');

const nextKey = (shots: number): string => `S${String(shots + 1).padStart(3, '0')}`;

function keyTaken(value: string): CheckedTable['defects'][number] {
  const problem = messageFor('defect.keyOfSingleShots', { batch: SINGLE_SHOTS, shot: value });
  return { severity: 'error', row: 2, column: 'shot', value, ...asProblem(problem, 'remedy.chooseOther') };
}
