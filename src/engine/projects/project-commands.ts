import type { Actor } from '../../contract/history.ts';
import { messageFor } from '../../contract/messages/message.ts';
import type { Counts } from '../../contract/job.ts';
import { RefusedError } from '../base/errors.ts';
import { KeyedMutex } from '../base/keyed-mutex.ts';
import type { Clock } from '../base/ports.ts';
import type { NoteOf } from '../db/history-store.ts';
import type { Project } from '../db/project-store.ts';
import { exportProject } from './export-project.ts';
import { checkIsProject, checkMayArchive, checkMayForget, projectOf } from './overview.ts';
import { zipIn, zipProject } from './zip-project.ts';
import type { OpenedProject, ProjectClaims } from './project-claims.ts';
import { planRename, renameProject, type RenameStores } from './rename-project.ts';

export interface ProjectCommandsParts {
  readonly stores: RenameStores;
  readonly clock: Clock;
  readonly dataFolder: string;
  readonly note: NoteOf;
  readonly claims: ProjectClaims;
  /** Runs work while nothing else adds or changes takes of the project. */
  readonly inTurn: <Result>(projectId: string, work: () => Promise<Result>) => Promise<Result>;
  /** The steps of a project: see `Scheduler.holdProject`. */
  readonly steps: {
    holdProject(projectId: string, patienceMs: number): Promise<number>;
    releaseProject(projectId: string): void;
  };
  /** Resolves when pending writes to project folders have ended. */
  readonly written: () => Promise<unknown>;
  /** A person has opened its folder. */
  readonly opened: (projectId: string) => Promise<void>;
  /** A project is on another service: its requests have other prices. */
  readonly serviceChanged: () => void;
  readonly counts: (projectId: string) => Counts;
  readonly changed: (projectId: string) => void;
}

/** How long a rename waits for requests and downloads in progress, ms. A person waits for the rename. */
const PATIENCE_MS = 30_000;

/** The commands for whole projects. */
export class ProjectCommands {
  readonly #parts: ProjectCommandsParts;
  readonly #renames = new KeyedMutex();

  constructor(parts: ProjectCommandsParts) {
    this.#parts = parts;
    for (const id of parts.stores.projects.archived()) void parts.steps.holdProject(id, 0);
  }

  list(): Project[] {
    return this.#parts.stores.projects.list();
  }

  async open(path: string, by: Actor = 'engine'): Promise<OpenedProject> {
    const { claims, opened, stores, note } = this.#parts;
    const before = new Map(stores.projects.list().map((known) => [known.id, known.path]));
    const project = await claims.open(path);
    const { id: projectId, name, path: folder } = project;
    const code = !before.has(projectId)
      ? 'project.opened'
      : before.get(projectId) !== folder
        ? 'project.relinked'
        : null;
    if (code && by !== 'engine') note(code, { project: name, folder }, { projectId, by });
    await opened(project.id);
    return project;
  }

  /** Records that the folder of a known project was moved. Throws RefusedError if `path` is not that project. */
  async relink(projectId: string, path: string, by: Actor = 'engine'): Promise<OpenedProject> {
    await checkIsProject(path, projectId);
    return this.open(path, by);
  }

  /** Removes a project from the list. Throws RefusedError while takes are unfinished. */
  forget(projectId: string, by: Actor): void {
    const { stores, clock, counts, changed } = this.#parts;
    const { name } = projectOf(stores.projects, projectId);
    checkMayForget(counts(projectId).unfinished);
    const note = { code: 'project.forgotten', facts: { project: name }, by, at: clock.now(), projectId } as const;
    stores.projects.hide(projectId, () => stores.history.note(note));
    changed(projectId);
  }

  /** Writes what is still pending into the folder first. */
  async *export(
    projectId: string,
    into: string,
    { asZip }: { readonly asZip: boolean },
  ): ReturnType<typeof exportProject> {
    const { path } = projectOf(this.#parts.stores.projects, projectId);
    await this.#parts.written();
    return yield* asZip ? zipProject(path, zipIn(into, path)) : exportProject(path, into);
  }

  putOnService(projectId: string, name: string): void {
    const { stores, serviceChanged } = this.#parts;
    if (stores.projects.service(projectId) === name) return;
    stores.projects.setService(projectId, name);
    serviceChanged();
  }

  /**
   * Renames a project and its folder. It waits for steps in progress and starts no new ones meanwhile. Throws
   * RefusedError; then nothing was changed.
   */
  rename(projectId: string, name: string, by: Actor): Promise<void> {
    // One at a time, because two renames could need each other's paths.
    return this.#renames.run('rename', async () => {
      const { stores, steps, inTurn, claims, written, changed } = this.#parts;
      this.#project(projectId);
      try {
        const running = await steps.holdProject(projectId, PATIENCE_MS);
        if (running > 0) throw stillWorking(running);
        await inTurn(projectId, async () => {
          await written();
          await claims.whileOurs(projectId, async (project) => {
            const { clock, dataFolder } = this.#parts;
            const rename = await planRename({ project, name, by, now: clock.now(), dataFolder });
            if (rename) await renameProject(stores, rename);
          });
        });
      } finally {
        if (!stores.projects.isArchived(projectId)) steps.releaseProject(projectId);
        changed(projectId);
      }
    });
  }

  /** Moves a project to the archive. Throws RefusedError while it has unfinished or undecided takes. */
  async archive(projectId: string, by: Actor): Promise<void> {
    const { stores, steps, inTurn, counts, clock, changed } = this.#parts;
    await inTurn(projectId, () => {
      const { name } = this.#project(projectId);
      checkMayArchive(counts(projectId));
      const at = clock.now();
      const note = { code: 'project.archived', facts: { project: name }, by, at, projectId } as const;
      stores.projects.archive(projectId, at, () => stores.history.note(note));
      return steps.holdProject(projectId, 0);
    });
    changed(projectId);
  }

  unarchive(projectId: string, by: Actor): void {
    const { stores, steps, clock, changed } = this.#parts;
    const project = projectOf(stores.projects, projectId);
    if (!stores.projects.isArchived(projectId)) return;
    const note = {
      code: 'project.unarchived',
      facts: { project: project.name },
      by,
      at: clock.now(),
      projectId,
    } as const;
    stores.projects.archive(projectId, null, () => stores.history.note(note));
    steps.releaseProject(projectId);
    changed(projectId);
  }

  #project(projectId: string): Project {
    const { projects } = this.#parts.stores;
    const project = projectOf(projects, projectId);
    if (projects.service(projectId) === null) return project;
    throw new RefusedError('sample_project', messageFor('failure.sampleProject'), messageFor('remedy.useOwnProject'));
  }
}

const stillWorking = (count: number): RefusedError =>
  new RefusedError(
    'project_working',
    messageFor('failure.projectWorking', { count }),
    messageFor('remedy.pauseQueueFirst'),
  );
