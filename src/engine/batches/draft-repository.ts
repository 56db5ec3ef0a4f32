import { messageFor } from '../../contract/messages/message.ts';
import { isDeepStrictEqual } from 'node:util';
import type { Project } from '../db/project-store.ts';
import { toMessage, refused, type RefusedError } from '../base/errors.ts';
import { KeyedMutex } from '../base/keyed-mutex.ts';
import type { Logger } from '../base/ports.ts';
import { MB } from '../../contract/units.ts';
import { ProjectFileError } from '../files/place.ts';
import { FileTooLargeError } from '../files/project-files.ts';
import { Draft } from './draft.ts';
import {
  appendStep,
  draftBytes,
  draftIds,
  MAX_DRAFT_BYTES,
  readDraft,
  removeDraft,
  type DraftStep,
} from './draft-file.ts';
import type { DraftContent } from './draft-source.ts';

const MAX_DRAFTS = 50;
/** With more, no list is opened beside others. Half of what is read, since their edits come on top. */
const MAX_BYTES_TOGETHER = MAX_DRAFT_BYTES / 2;

const isCopyOfBatch = ({ file, isUntouched }: Draft): boolean => isUntouched && (file.batchId ?? null) !== null;

/** Where drafts are kept: in memory while they are looked at, in their project's folder always. */
export class DraftRepository {
  readonly #projects: () => readonly Project[];
  readonly #logger: Logger;
  readonly open = new Map<string, Draft>();
  /** By draft and by project: what is written goes in turn. */
  readonly turns = new KeyedMutex();

  constructor(projects: () => readonly Project[], logger: Logger) {
    this.#projects = projects;
    this.#logger = logger;
  }

  /** Throws RefusedError when there is no such draft, or it was discarded. */
  async find(draftId: string): Promise<Draft> {
    const draft = await this.#findAny(draftId);
    if (draft.isDiscarded) throw notThere();
    return draft;
  }

  async #findAny(draftId: string): Promise<Draft> {
    const open = this.open.get(draftId);
    if (open) return open;
    for (const project of this.#projects()) {
      // A broken folder of one project must not hide the lists of another.
      const ids = await draftIds(project.path).catch((): string[] => []);
      if (!ids.includes(draftId)) continue;
      const draft = await this.#load(project, draftId);
      if (draft) return draft;
    }
    throw notThere();
  }

  async all(project: Project): Promise<Draft[]> {
    return (await this.#withDiscarded(project)).filter(({ isDiscarded }) => !isDiscarded);
  }

  /**
   * The drafts of a project that can be read, oldest first. One that cannot, such as a link, hides no other; so many that
   * they take more than `MAX_DRAFT_BYTES` together hide the oldest of them.
   */
  async #withDiscarded(project: Project): Promise<Draft[]> {
    const drafts: Draft[] = [];
    let left = MAX_DRAFT_BYTES;
    for (const id of (await draftIds(project.path)).reverse()) {
      const draft = this.open.get(id) ?? (await this.#loadWithin(project, id, left));
      if (draft?.projectId !== project.id) continue;
      drafts.unshift(draft);
      left -= await draftBytes(project.path, id);
    }
    return drafts;
  }

  async #loadWithin(project: Project, draftId: string, mostBytes: number): Promise<Draft | null> {
    try {
      if ((await draftBytes(project.path, draftId)) > mostBytes) throw new FileTooLargeError();
      return await this.#load(project, draftId);
    } catch (error) {
      if (!(error instanceof ProjectFileError || error instanceof FileTooLargeError)) throw error;
      this.#logger.warn('A shot list was passed over', { draft: draftId, reason: toMessage(error) });
      return null;
    }
  }

  /** The draft in which the same rows of the same batch lie as they were read, if there is one. */
  async copyOf(project: Project, content: DraftContent): Promise<Draft | null> {
    if (content.batchId == null) return null;
    const isSame = ({ file, startedAs, isUntouched }: Draft): boolean =>
      file.batchId === content.batchId &&
      file.listFolder === content.listFolder &&
      isUntouched &&
      startedAs === undefined &&
      isDeepStrictEqual([file.headers, file.rows], [content.headers, content.rows]);
    return (await this.all(project)).find(isSame) ?? null;
  }

  /**
   * Makes room for a draft of so many bytes where there are too many, or they are too large: removes the oldest that was
   * discarded, was started, or only repeats a batch. Throws RefusedError when there is none.
   */
  async makeRoom(project: Project, bytes: number): Promise<void> {
    const drafts = await this.#withDiscarded(project);
    const sizes = await Promise.all(drafts.map(({ id }) => draftBytes(project.path, id)));
    const together = sizes.reduce((sum, each) => sum + each, 0);
    const isTooLarge = drafts.length > 0 && together + bytes > MAX_BYTES_TOGETHER;
    if (drafts.length < MAX_DRAFTS && !isTooLarge) return;
    const done =
      drafts.find(({ isDiscarded }) => isDiscarded) ??
      drafts.find(({ startedAs }) => startedAs !== undefined) ??
      drafts.find(isCopyOfBatch);
    if (done) {
      await this.remove(project, done.id);
      return isTooLarge ? this.makeRoom(project, bytes) : undefined;
    }
    const problem = isTooLarge
      ? messageFor('failure.draftsTooLarge', { most: MAX_BYTES_TOGETHER / MB })
      : messageFor('failure.tooManyDrafts', { most: MAX_DRAFTS });
    throw refused('too_many_drafts', problem, 'remedy.startOrDiscardOne');
  }

  /** Throws RefusedError when that is too long ago. */
  async restore(project: Project, draftId: string): Promise<Draft> {
    const { projectId } = await this.#findAny(draftId);
    if (projectId !== project.id) throw notThere();
    return this.step(project, draftId, () => ({ discarded: false }));
  }

  async remove(project: Project, draftId: string): Promise<void> {
    await this.turns.run(draftId, () => removeDraft(project.path, draftId));
    this.open.delete(draftId);
  }

  /** Asks `decide` for a step from the present draft and saves it first; none, no change. Throws RefusedError. */
  step(project: Project, draftId: string, decide: (draft: Draft) => DraftStep | null): Promise<Draft> {
    return this.turns.run(draftId, async () => {
      const draft = await this.#findAny(draftId);
      const step = decide(draft);
      if (step === null) return draft;
      const outcome = draft.after(step);
      await appendStep(project.path, draftId, step);
      draft.take(step, outcome);
      return draft;
    });
  }

  /** Lists that were to go into a batch go into it under its new name. Returns these. */
  async renameBatch(project: Project, before: string, name: string): Promise<Draft[]> {
    const ofIt = (await this.all(project)).filter((draft) => draft.view().name === before);
    for (const { id } of ofIt) {
      await this.step(project, id, (draft) => (draft.view().name === before ? { named: name } : null));
    }
    return ofIt;
  }

  async #load(project: Project, draftId: string): Promise<Draft | null> {
    const draft = await readDraft(project.path, draftId, (file) => {
      const read = new Draft(project.id, file);
      const take = (step: DraftStep): boolean => {
        try {
          read.take(step, read.after(step));
          return true;
        } catch {
          // Another program wrote it; the steps before it are valid.
          return false;
        }
      };
      return { draft: read, take };
    });
    // Another call may have loaded and edited it.
    const open = this.open.get(draftId);
    if (open || !draft) return open ?? null;
    this.open.set(draft.id, draft);
    return draft;
  }
}

const notThere = (): RefusedError =>
  refused('unknown_draft', messageFor('failure.noSuchItem', { what: 'list' }), 'remedy.openListAgain');
