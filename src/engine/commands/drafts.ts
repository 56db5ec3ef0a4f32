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
import { refused, type RefusedError } from '../base/errors.ts';
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
import { estimate, pricesOn } from '../batches/price.ts';
import type { Settings } from '../../contract/settings.ts';
import type { Batch } from '../db/batch-store.ts';
import type { EngineEvents } from '../jobs/engine-events.ts';
import { realPath } from '../files/existing-paths.ts';
import type { ExpectedEnds } from '../jobs/expected-work.ts';
import { agreedIn } from '../jobs/planning.ts';
import { filesNamed, shotsOfFiles } from '../jobs/shot-sources.ts';
import type { StepContext } from '../jobs/step-context.ts';
import { agreedFile, outsideFiles } from '../library/needs.ts';
import type { ListedModels } from '../models/index.ts';
import { projectFor, requireUnarchived } from '../projects/overview.ts';
import type { SpendingService } from '../projects/spending.ts';
import type { Views } from '../queries/views.ts';
import type { BatchStarts } from './batch-starts.ts';

const MAX_DEFECTS = 20_000;
/** A check older than this is repeated on request: a missing file may be there now, ms. */
const CHECK_HOLDS_MS = 10_000;
/** The batch of shots that were described one by one. */
const SINGLE_SHOTS = 'Single shots';

type ShotCells = Readonly<Record<string, string>>;

/** One shot as a person described it; `agreed`, `by`, `tonight`: see `StartBatch`. */
interface SingleShot extends Pick<StartBatch, 'by' | 'tonight'> {
  readonly cells: ShotCells;
  readonly agreed: readonly string[];
}

/** The plan that a person saw is the one that is started: of this revision, with these texts. */
interface DraftStart extends Partial<Omit<StartBatch, 'texts'>> {
  readonly revision?: number | undefined;
  readonly texts?: string | undefined;
}

interface NamedInCell {
  readonly row: number;
  readonly column: number;
  readonly name: string;
}

/** Lists being edited. Each edit is on disk, in the project folder, before it is answered. */
export class Drafts {
  readonly #steps: StepContext;
  readonly #repository: DraftRepository;
  readonly #library: Views['library'];
  readonly #listedModels: ListedModels;
  readonly #expected: ExpectedEnds;
  readonly #spending: SpendingService;
  readonly #events: EngineEvents;
  readonly #batchStarts: BatchStarts;
  readonly #starts = new KeyedMutex();
  readonly #checks = new Map<string, Promise<void>>();
  #stopped = false;

  constructor(
    steps: StepContext,
    repository: DraftRepository,
    library: Views['library'],
    listedModels: ListedModels,
    expected: ExpectedEnds,
    spending: SpendingService,
    events: EngineEvents,
    batchStarts: BatchStarts,
  ) {
    this.#steps = steps;
    this.#repository = repository;
    this.#library = library;
    this.#listedModels = listedModels;
    this.#expected = expected;
    this.#spending = spending;
    this.#events = events;
    this.#batchStarts = batchStarts;
  }

  async open(projectId: string, source: ListSource, read: ReadOptions, by: Actor = 'engine'): Promise<DraftView> {
    const { batches, claims, agreements } = this.#steps;
    const project = this.#project(projectId);
    if (source.type === 'batch') await claims.claimIfFree(projectId);
    const made = { batches, shotsOf: (paths: readonly string[]) => shotsOfFiles(this.#steps, paths) };
    const { content, bytes, agreed } = await readListSource(made, project, source, read);
    if (agreed) agreements.add(projectId, await Promise.all(agreed.map((path) => realPath(path))));
    const copy = await this.#repository.copyOf(project, content);
    if (copy) return copy.view();
    const createdAt = this.#steps.ports.clock.now();
    await this.#repository.makeRoom(project, toBytes(content.rows));
    const file = { format: 1 as const, id: uuid(), createdAt, revision: 0, ...content };
    await writeDraft(project.path, file, bytes);
    const draft = new Draft(projectId, file);
    if (source.type === 'batch' && source.copyAs !== undefined) this.#noteDuplicate(source.batchId, draft, by);
    return this.#adopt(draft);
  }

  #noteDuplicate(batchId: string, { projectId, chosenName }: Draft, by: Actor): void {
    const { batches, history, ports } = this.#steps;
    const batch = batches.get(batchId)?.name ?? '';
    const facts = { batch, name: chosenName ?? batch };
    history.note({ code: 'batch.duplicated', facts, by, at: ports.clock.now(), projectId });
  }

  /** Reads the source again another way; edits are dropped. Throws RefusedError when there is none to read. */
  async reread(draftId: string, read: ReadOptions): Promise<DraftView> {
    const { path } = await this.#projectOf(draftId);
    return this.#repository.turns.run(draftId, async () => {
      const draft = await this.#repository.find(draftId);
      const bytes = await readSource(path, draftId);
      if (!bytes) throw refused('no_source', 'failure.noListFile', 'remedy.openFileAgain');
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
      return this.#adopt(new Draft(draft.projectId, file));
    });
  }

  async list(projectId: string): Promise<DraftView[]> {
    const drafts = await this.#repository.all(this.#project(projectId));
    const open = drafts.filter(({ isStarted }) => !isStarted);
    // What is listed says how it is.
    for (const draft of open) this.#startCheck(draft);
    return open.map((draft) => draft.view()).reverse();
  }

  async get(draftId: string): Promise<DraftView> {
    const draft = await this.#repository.find(draftId);
    this.#startCheck(draft);
    return draft.view();
  }

  async rows(draftId: string, start: number, count: number): Promise<DraftRows> {
    const { list, revision } = await this.#repository.find(draftId);
    const rows = list.rows.slice(start, start + count).map((row) => list.headers.map((_, index) => row[index] ?? ''));
    return { revision, start, rows };
  }

  /** Makes an edit that was thought out on a list of `revision`. Throws RefusedError when the list is another by now. */
  async edit(draftId: string, revision: number, edit: DraftEdit, id = uuid()): Promise<DraftView> {
    const decide = (draft: Draft): DraftStep | null => {
      // An answer that was lost is asked for once more: the edit is made once all the same.
      if (draft.made.has(id)) return null;
      draft.checkUnchanged(revision);
      return { edit, id };
    };
    return (await this.#step(draftId, decide)).view();
  }

  async undo(draftId: string): Promise<DraftView> {
    return (await this.#step(draftId, () => ({ undo: true }))).view();
  }

  async redo(draftId: string): Promise<DraftView> {
    return (await this.#step(draftId, () => ({ redo: true }))).view();
  }

  /**
   * Every defect of the present list, once the check has caught up with its edits. `again`: checks again even without
   * an edit, since a missing file may be there now.
   */
  async defects(draftId: string, again = false): Promise<{ revision: number; defects: DraftDefect[] }> {
    if (again) (await this.#repository.find(draftId)).check = null;
    const { revision, defects } = await this.#check(draftId);
    return { revision, defects: defects.slice(0, MAX_DEFECTS) };
  }

  /** The files that names after `Shot://` mean in the batch of its name, in their order; null where there is none yet. */
  async shots(draftId: string, names: readonly string[]): Promise<(ShownShot | null)[]> {
    const { projectId, name } = (await this.#repository.find(draftId)).view();
    const batch = this.#steps.batches.named(projectId, name);
    return batch === null ? names.map(() => null) : filesNamed(this.#steps, batch.id, names);
  }

  /** The real path of a local file that a cell names, where a start would send it as it is; null for any other. */
  async localFile(draftId: string, { row, column, name }: NamedInCell): Promise<string | null> {
    const draft = await this.#repository.find(draftId);
    const cell = draft.list.rows[row]?.[column] ?? '';
    // A row may have moved since the window drew it.
    const isNamed = withoutQuotes(cell.trim()) === name || splitList(cell).includes(name);
    if (!isNamed || readMediaReference(name).at !== 'local') return null;
    const agreed = await agreedIn(this.#steps, this.#project(draft.projectId));
    const { file, isOpen } = await agreedFile(localPath(name, this.#listFolder(draft)), agreed);
    return isOpen ? file : null;
  }

  async name(draftId: string, name: string): Promise<DraftView> {
    const step = { named: name };
    return (await this.#step(draftId, (draft) => (draft.chosenName === name ? null : step))).view();
  }

  /** What starting it would do; writes nothing. Throws RefusedError while an error is open. */
  async plan(draftId: string, name: string, again: boolean, keepOthers = false): Promise<StartPlan> {
    const { listFolder, projectId, shots, ownName, texts } = await this.#readyToStart(draftId);
    const { batches, projects } = this.#steps;
    const settings = this.#settings(projectId);
    const request = { projectId, settings, name, shots, again, keepOthers };
    const { plan, toMake } = await planStart(batches, request);
    const service = projects.service(projectId);
    const batch = batches.named(projectId, name);
    const added = toMake.map(({ shot }) => shot);
    const uploads = await this.#library(projectId).plannedUploads(added, listFolder);
    const place = { projectId, settings, name, ownName, shots, again };
    return {
      ...plan,
      texts,
      lasts: this.#expected.lengthWith(plan.lines.map(({ model, takes }) => ({ service, model, waiting: takes }))),
      uploads: uploads.map(({ path, bytes }) => ({ path, bytes })),
      outside: await this.#outside(projectId, shots, listFolder),
      paidAgain: await paidAgain(batches, place),
      cap: batch && this.#spending.capOf({ scope: 'batch', batchId: batch.id }),
      withoutPrice: this.#spending.withoutPrice(shots, { projectId }),
    };
  }

  /**
   * Makes a batch of the list for the queue. Throws RefusedError while it has an error, when it was edited since
   * `revision`, or when its prompts use other texts than `texts`: people pay for what they have seen. `agreed`, `cap`,
   * `newTakes`: see `StartBatch`.
   */
  async start(
    draftId: string,
    name: string,
    again: boolean,
    { revision, texts, ...options }: DraftStart = {},
  ): Promise<{ batch: BatchView; newTakes: number }> {
    const project = await this.#projectOf(draftId);
    // One start after the other: the second finds the takes of the first.
    using _turn = await this.#starts.turn(project.id);
    const ready = await this.#readyToStart(draftId, revision);
    if (texts !== undefined && texts !== ready.texts) throw textsChanged();
    const { listFolder, source, shots, rows, list: written, named } = ready;
    // A window agrees to what its plan has listed and to nothing else: not to a folder, nor a file of no cell.
    const outside = await this.#outside(project.id, shots, listFolder);
    const agreed = outside.map(({ path }) => path).filter((path) => options.agreed?.includes(path));
    const list = { project, name, listFolder, source, shots, rows, list: written, texts: named, again };
    const request = { ...list, ...options, agreed };
    const { batch, newTakes } = await this.#batchStarts.start(request);
    await this.#step(draftId, () => ({ started: true, batch: batch.id }));
    return { batch: this.#batchView(batch), newTakes };
  }

  async save(draftId: string): Promise<{ fileName: string; text: string }> {
    const { list, file } = await this.#repository.find(draftId);
    const { headers, rows } = withDefaults(list, list);
    return { fileName: `${file.name}.csv`, text: csvText(headers, rows) };
  }

  /** The estimate for one described shot; null while its cells make no shot. */
  async estimate(projectId: string, cells: ShotCells): Promise<Estimate | null> {
    const project = this.#project(projectId);
    const [shot] = (await this.#checkCells(project, cells, project.path, this.#singleShots(project))).shots;
    return shot ? estimate([{ shot, takes: shot.takes }], this.#settings(projectId)) : null;
  }

  /** Queues one described shot as another row of the batch of single shots, of which no other row is started again. */
  async addShot(projectId: string, { cells, agreed, by, tonight }: SingleShot): Promise<AddedShot> {
    const { batches, claims } = this.#steps;
    const project = this.#project(projectId);
    using _turn = await this.#starts.turn(projectId);
    await claims.claimIfThere(projectId);
    const known = this.#singleShots(project);
    const stored = known ? batches.currentShots(known.id) : [];
    const listFolder = known?.listFolder || project.path;
    const keyed = { ...cells, shot: cells['shot'] ?? nextKey(stored.length) };
    const { shots, defects, texts } = await this.#checkCells(project, keyed, listFolder, known);
    const [shot] = shots;
    if (!shot) return { ok: false, defects: defects.filter(({ severity }) => severity === 'error'), outside: [] };
    if (stored.some((other) => other.key === shot.key))
      return { ok: false, defects: [keyTaken(shot.key)], outside: [] };
    const outside = await this.#outside(projectId, [shot], listFolder);
    if (!outside.every(({ path }) => agreed.includes(path))) return { ok: false, defects: [], outside };

    const name = known?.name ?? batches.freeName(projectId, SINGLE_SHOTS);
    const list = { headers: Object.keys(keyed), rows: [Object.values(keyed)], mapping: {}, kind: null, defaults: {} };
    const { batch, newTakes } = await this.#batchStarts.start({
      ...{ project, listFolder, texts, name, list, by, tonight },
      source: known?.source ?? name,
      shots: [shot],
      again: false,
      keepOthers: true,
      agreed: outside.map(({ path }) => path),
    });
    return { ok: true, batch: this.#batchView(batch), newTakes };
  }

  async discard(draftId: string): Promise<void> {
    const project = await this.#projectOf(draftId);
    await this.#repository.step(project, draftId, () => ({ discarded: true }));
    this.#changed({ id: draftId, projectId: project.id });
  }

  /** Brings a discarded list back. Throws RefusedError when that is too long ago. */
  async restore(projectId: string, draftId: string): Promise<DraftView> {
    const draft = await this.#repository.restore(this.#project(projectId), draftId);
    this.#changed(draft);
    return draft.view();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.allSettled(this.#checks.values());
    await this.#starts.settled();
    await this.#repository.turns.settled();
  }

  async #projectOf(draftId: string): Promise<Project> {
    return this.#project((await this.#repository.find(draftId)).projectId);
  }

  async #step(draftId: string, decide: (draft: Draft) => DraftStep | null): Promise<Draft> {
    const draft = await this.#repository.step(await this.#projectOf(draftId), draftId, decide);
    this.#changed(draft);
    this.#startCheck(draft);
    return draft;
  }

  #adopt(draft: Draft): DraftView {
    this.#repository.put(draft);
    this.#changed(draft);
    this.#startCheck(draft);
    return draft.view();
  }

  /** The checked list of a project whose folder was taken in: its prompts may name texts that came with it. */
  async #readyToStart(draftId: string, revision?: number) {
    await this.#steps.claims.claimIfThere((await this.#repository.find(draftId)).projectId);
    const { errors, checked, texts } = await this.#check(draftId);
    const draft = await this.#repository.find(draftId);
    if (revision !== undefined) draft.checkUnchanged(revision);
    checkMayStart(errors, checked.shots);
    const { projectId, file } = draft;
    return {
      projectId,
      texts,
      source: file.source,
      list: draft.list,
      ownName: file.name,
      listFolder: this.#listFolder(draft),
      shots: checked.shots,
      rows: checked.rows,
      named: checked.texts,
    };
  }

  #startCheck({ id }: Draft): void {
    if (this.#checks.has(id) || this.#stopped) return;
    const work = this.#catchUp(id).finally(() => this.#checks.delete(id));
    // A caller that needs the result waits for it and gets the failure.
    work.catch(() => undefined);
    this.#checks.set(id, work);
  }

  async #catchUp(draftId: string): Promise<void> {
    for (;;) {
      const draft = this.#repository.opened(draftId);
      if (!draft?.isUnchecked || this.#stopped) return;
      draft.isUnchecked = false;
      const { revision } = draft;
      const { kind, mapping } = draft.list;
      const at = this.#steps.ports.clock.now();
      const options = {
        ...this.#checkOptions(draft.projectId, this.#listFolder(draft)),
        mapping,
        kind: kind ?? undefined,
      };
      const texts = toStamp(options.variables);
      const checked = await checkList(draft.table(), options);
      draft.check = { revision, at, texts, checked, ...placeDefects(checked, draft.list.headers.length) };
      this.#changed(draft);
    }
  }

  async #check(draftId: string): Promise<DraftCheck> {
    const asked = this.#steps.ports.clock.now();
    for (;;) {
      const draft = await this.#repository.find(draftId);
      const { check } = draft;
      const texts = toStamp(this.#steps.textsOf(draft.projectId));
      const isFresh = check?.texts === texts && asked - check.at < CHECK_HOLDS_MS;
      if (check?.revision === draft.revision && isFresh) return check;
      if (!this.#checks.has(draftId)) draft.isUnchecked = true;
      if (this.#stopped) throw refused('stopping', 'failure.stopping', 'remedy.startDailiesAgain');
      this.#startCheck(draft);
      await this.#checks.get(draftId);
    }
  }

  #checkOptions(projectId: string, listFolder: string) {
    const { clients, projects, textsOf } = this.#steps;
    const variables = textsOf(projectId);
    const accountModels = this.#listedModels.of(clients.currentIfAny(projects.service(projectId)));
    return { listFolder, settings: this.#settings(projectId), variables, accountModels };
  }

  #checkCells({ id }: Project, cells: ShotCells, listFolder: string, known?: Batch): Promise<CheckedTable> {
    // The other shots of the batch, which a described shot may name.
    const beside = (key: string): ShotSpec | null => (known ? this.#steps.batches.currentShot(known.id, key) : null);
    const table = tableOfRow(Object.keys(cells), Object.values(cells));
    return checkList(table, { ...this.#checkOptions(id, listFolder), beside });
  }

  #singleShots({ id }: Project): Batch | undefined {
    return this.#steps.batches.rows(id).find(({ name, importing }) => name === SINGLE_SHOTS && !importing);
  }

  #project(projectId: string): Project {
    requireUnarchived(this.#steps.projects, projectId);
    return projectFor(this.#steps.projects, projectId);
  }

  /** As they hold for shots of the project. */
  #settings(projectId: string): Settings {
    const { settings, projects } = this.#steps;
    return { ...settings, prices: pricesOn(projects.service(projectId), settings.prices) };
  }

  /** Local paths of a list are relative to this folder, as it is called now. */
  #listFolder({ file, projectId }: Draft): string {
    const { agreements, projects } = this.#steps;
    const project = this.#project(projectId);
    // A batch from another machine may not say where its list lay.
    const folder = file.listFolder || project.path;
    const isStrange = isStrangeFolder(folder, project.path) && !agreements.of(projectId).includes(folder);
    return isStrange ? project.path : projects.currentPlace(project, folder);
  }

  async #outside(projectId: string, shots: readonly ShotSpec[], listFolder: string): Promise<StartPlan['outside']> {
    return outsideFiles(shots, listFolder, await agreedIn(this.#steps, this.#project(projectId)));
  }

  #batchView({ id: batchId, projectId }: Batch): BatchView {
    const { batches, tally } = this.#steps;
    const row = batches.rows(projectId).find(({ id }) => id === batchId);
    if (!row) throw new Error(`Batch ${batchId} is gone.`);
    return { ...row, counts: tally.counts({ batchId }) };
  }

  #changed({ id: draftId, projectId }: Pick<Draft, 'id' | 'projectId'>): void {
    this.#events.emit({ type: 'draft', projectId, draftId });
  }
}

/** About as many as rows take in a file. */
const toBytes = (rows: readonly (readonly string[])[]): number =>
  rows.reduce((sum, row) => row.reduce((bytes, cell) => bytes + Buffer.byteLength(cell) + 3, sum), 0);

const textsChanged = (): RefusedError => refused('texts_changed', 'failure.textsChanged', 'remedy.lookAtPlan');

function checkMayStart(errors: number, shots: readonly ShotSpec[]): void {
  if (errors > 0) {
    throw refused('list_has_errors', messageFor('failure.listHasErrors', { count: errors }), 'remedy.correctThem');
  }
  if (shots.length > 0) return;
  throw refused('list_is_empty', 'failure.noShotsToMake', 'remedy.addRowsOrClearSkip');
}

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
