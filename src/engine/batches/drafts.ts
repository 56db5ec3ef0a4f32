import type { Actor } from '../../contract/history.ts';
import { messageFor } from '../../contract/messages/message.ts';
import type { DraftsContext } from './drafts-context.ts';
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
import { localPath, readMediaReference, splitList, withoutQuotes } from '../kinds/media-reference.ts';
import { csvText } from './csv-text.ts';
import { withDefaults } from './defaults.ts';
import { Draft } from './draft.ts';
import { DraftChecks, listFolderFor } from './draft-checks.ts';
import { type DraftStep, readSource, writeDraft } from './draft-file.ts';
import type { DraftRepository } from './draft-repository.ts';
import { contentFor, readListSource } from './draft-source.ts';
import { paidAgain } from './paid-again.ts';
import { planStart } from './plan-start.ts';
import type { StartBatch } from './start-batch.ts';
import { addSingleShot, estimateShot, type ShotCells, type SingleShot } from './single-shot.ts';

const MAX_DEFECTS = 20_000;

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
  readonly #context: DraftsContext;
  readonly #repository: DraftRepository;
  readonly #starts = new KeyedMutex();
  readonly checks: DraftChecks;

  constructor(context: DraftsContext, repository: DraftRepository) {
    this.#context = context;
    this.#repository = repository;
    this.checks = new DraftChecks(context, this.#repository);
  }

  async open(projectId: string, source: ListSource, read: ReadOptions, by: Actor = 'engine'): Promise<DraftView> {
    const project = this.#context.project(projectId);
    if (source.type === 'batch') await this.#context.upToDateIfFree(projectId);
    const { content, bytes, agreed } = await readListSource(this.#context, project, source, read);
    if (agreed) await this.#context.agree(projectId, agreed);
    const copy = await this.#repository.copyOf(project, content);
    if (copy) return copy.view();
    const createdAt = this.#context.clock.now();
    await this.#repository.makeRoom(project, toBytes(content.rows));
    const file = { format: 1 as const, id: uuid(), createdAt, revision: 0, ...content };
    await writeDraft(project.path, file, bytes);
    const draft = new Draft(projectId, file);
    if (source.type === 'batch' && source.copyAs !== undefined) this.#noteDuplicate(source.batchId, draft, by);
    return this.#adopt(draft);
  }

  #noteDuplicate(batchId: string, { projectId, chosenName }: Draft, by: Actor): void {
    const batch = this.#context.batches.get(batchId)?.name ?? '';
    this.#context.note('batch.duplicated', { batch, name: chosenName ?? batch }, { projectId, by });
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
    const drafts = await this.#repository.all(this.#context.project(projectId));
    const open = drafts.filter(({ isStarted }) => !isStarted);
    // What is listed says how it is.
    for (const draft of open) this.checks.start(draft);
    return open.map((draft) => draft.view()).reverse();
  }

  async get(draftId: string): Promise<DraftView> {
    const draft = await this.#repository.find(draftId);
    this.checks.start(draft);
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
    const { revision, defects } = await this.checks.of(draftId);
    return { revision, defects: defects.slice(0, MAX_DEFECTS) };
  }

  /** The files that names after `Shot://` mean in the batch of its name, in their order; null where there is none yet. */
  async shots(draftId: string, names: readonly string[]): Promise<(ShownShot | null)[]> {
    const { projectId, name } = (await this.#repository.find(draftId)).view();
    const batch = this.#context.batches.named(projectId, name);
    return batch === null ? names.map(() => null) : this.#context.shotFiles(batch.id, names);
  }

  /** The real path of a local file that a cell names, where a start would send it as it is; null for any other. */
  async localFile(draftId: string, { row, column, name }: NamedInCell): Promise<string | null> {
    const draft = await this.#repository.find(draftId);
    const cell = draft.list.rows[row]?.[column] ?? '';
    // A row may have moved since the window drew it.
    const isNamed = withoutQuotes(cell.trim()) === name || splitList(cell).includes(name);
    if (!isNamed || readMediaReference(name).at !== 'local') return null;
    return this.#context.agreedFile(draft.projectId, localPath(name, listFolderFor(this.#context, draft)));
  }

  async name(draftId: string, name: string): Promise<DraftView> {
    const step = { named: name };
    return (await this.#step(draftId, (draft) => (draft.chosenName === name ? null : step))).view();
  }

  /** What starting it would do; writes nothing. Throws RefusedError while an error is open. */
  async plan(draftId: string, name: string, again: boolean, keepOthers = false): Promise<StartPlan> {
    const { listFolder, projectId, shots, ownName, texts } = await this.#readyToStart(draftId);
    const settings = this.#context.settings(projectId);
    const request = { projectId, settings, name, shots, again, keepOthers };
    const { plan, toMake } = await planStart(this.#context.batches, request);
    const uploads = await this.#context.plannedUploads(
      projectId,
      toMake.map(({ shot }) => shot),
      listFolder,
    );
    const place = { projectId, settings, name, ownName, shots, again };
    return {
      ...plan,
      texts,
      lasts: this.#context.lasts(projectId, plan.lines),
      uploads: uploads.map(({ path, bytes }) => ({ path, bytes })),
      outside: await this.#context.outside(projectId, shots, listFolder),
      paidAgain: await paidAgain(this.#context.batches, place),
      ...this.#context.capPlan({ projectId, batchId: this.#context.batches.named(projectId, name)?.id ?? null }, shots),
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
    const outside = await this.#context.outside(project.id, shots, listFolder);
    const agreed = outside.map(({ path }) => path).filter((path) => options.agreed?.includes(path));
    const list = { project, name, listFolder, source, shots, rows, list: written, texts: named, again };
    const request = { ...list, ...options, agreed };
    const { batch, newTakes } = await this.#context.starts.start(request);
    await this.#step(draftId, () => ({ started: true, batch: batch.id }));
    return { batch: this.#context.batchView(batch), newTakes };
  }

  async save(draftId: string): Promise<{ fileName: string; text: string }> {
    const { list, file } = await this.#repository.find(draftId);
    const { headers, rows } = withDefaults(list, list);
    return { fileName: `${file.name}.csv`, text: csvText(headers, rows) };
  }

  async estimate(projectId: string, cells: ShotCells): Promise<Estimate | null> {
    return estimateShot(this.#context, this.#context.project(projectId), cells);
  }

  async addShot(projectId: string, shot: SingleShot): Promise<AddedShot> {
    const project = this.#context.project(projectId);
    using _turn = await this.#starts.turn(project.id);
    return await addSingleShot(this.#context, project, shot);
  }

  async discard(draftId: string): Promise<void> {
    const project = await this.#projectOf(draftId);
    await this.#repository.step(project, draftId, () => ({ discarded: true }));
    this.#context.changed({ id: draftId, projectId: project.id });
  }

  /** Brings a discarded list back. Throws RefusedError when that is too long ago. */
  async restore(projectId: string, draftId: string): Promise<DraftView> {
    const draft = await this.#repository.restore(this.#context.project(projectId), draftId);
    this.#context.changed({ id: draftId, projectId });
    return draft.view();
  }

  async stop(): Promise<void> {
    await this.checks.stop();
    await this.#starts.settled();
    await this.#repository.turns.settled();
  }

  async #projectOf(draftId: string): Promise<Project> {
    return this.#context.project((await this.#repository.find(draftId)).projectId);
  }

  async #step(draftId: string, decide: (draft: Draft) => DraftStep | null): Promise<Draft> {
    const draft = await this.#repository.step(await this.#projectOf(draftId), draftId, decide);
    this.#context.changed(draft);
    this.checks.start(draft);
    return draft;
  }

  #adopt(draft: Draft): DraftView {
    this.#repository.put(draft);
    this.#context.changed(draft);
    this.checks.start(draft);
    return draft.view();
  }

  /** The checked list of a project whose folder was taken in: its prompts may name texts that came with it. */
  async #readyToStart(draftId: string, revision?: number) {
    await this.#context.upToDate((await this.#repository.find(draftId)).projectId);
    const { errors, checked, texts } = await this.checks.of(draftId);
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
      listFolder: listFolderFor(this.#context, draft),
      shots: checked.shots,
      rows: checked.rows,
      named: checked.texts,
    };
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
