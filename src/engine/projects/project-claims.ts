import type { Stores } from '../db/stores.ts';
import { messageFor, type Text } from '../../contract/messages/message.ts';
import { toText, DailiesError } from '../base/errors.ts';
import { isDatabaseTrouble } from '../db/open.ts';
import type { Job } from '../db/job-store.ts';
import type { Project } from '../db/project-store.ts';
import type { Clock, Ports } from '../base/ports.ts';
import { KeyedMutex } from '../base/keyed-mutex.ts';
import { updateFromRecipe, adoptFolder, toProblem, type Adoption } from './adopt.ts';
import { adoptLimits, type FoundLimit } from './limits.ts';
import { isNewer, adoptNames } from './adopt-batches.ts';
import { readBatchHead, readBatchFiles, readBatchHeads } from '../files/batch-file.ts';
import { mayArchive, requireUnarchived, projectFor } from './overview.ts';
import { ProjectFileError } from '../files/place.ts';
import {
  checkIsProject,
  idOfProjectAt,
  openProjectFolder,
  refuseCopy,
  type ProjectFolder,
} from '../files/project-folder.ts';
import { readRecipe, readRecipes } from './recipe-file.ts';
import { realPath } from '../files/existing-paths.ts';
import { claimProject, isClaimedBy, ProjectInUseError, type Claimant } from './project-owner.ts';
import { adoptArrangement } from './arrangement.ts';
import { adoptCuts } from './cut-files.ts';
import type { Actor } from '../../contract/history.ts';
import { accountOn, serviceOfAccount } from '../../contract/accounts.ts';
import type { Settings } from '../../contract/settings.ts';
import { accountCalled, onlyAccount, otherAccount } from './accounts.ts';
import { exportProject } from './export-project.ts';
import { zipIn, zipProject } from './zip-project.ts';

export interface OpenedProject extends Project {
  readonly adoptedTakes: number;
  readonly limits: readonly Text[];
  /** Files in the folder that could not be read, each with the reason. Nothing was changed or deleted. */
  readonly problems: readonly Text[];
}

/** The folder of a known project cannot be used now: it is away, or something in it is wrong. */
export class ProjectAwayError extends DailiesError {
  readonly code = 'project_away';
  readonly remedy = messageFor('remedy.putFolderBack');

  constructor({ name, path }: Project, cause: unknown) {
    super(messageFor('failure.projectAway', { name, path, reason: toText(cause) }), { cause });
  }
}

/**
 * The projects that this engine has taken. Before it sends the first request of a project, it marks the folder as its
 * own and reads it, to adopt what was sent from there before. The order matters: this engine takes the project and then
 * reads its folder, while another engine announces each request and then checks that it still has the project. So
 * either we see the announcement, or the other engine sees that we have taken the project.
 */
export class ProjectClaims {
  readonly #claimant: Claimant;
  readonly #stores: Stores;
  readonly #clock: Clock;
  readonly #isUnderWay: (takeId: string) => boolean;
  readonly taken = new Set<string>();
  readonly #mutex = new KeyedMutex();
  readonly #turns = new KeyedMutex();
  readonly #limits = new Map<string, Text[]>();
  /** Limits that a project's folder has brought, before anything of it is sent. Returns them as texts. */
  onLimits: (projectId: string, limits: readonly FoundLimit[]) => Text[] = () => [];
  /** A project was taken and its folder read. `batches` are the batches that this changed. */
  onTaken: (projectId: string, batches: ReadonlySet<string>) => Promise<void> = () => Promise.resolve();

  constructor(claimant: Claimant, stores: Stores, clock: Clock, isUnderWay: (takeId: string) => boolean) {
    this.#claimant = claimant;
    this.#stores = stores;
    this.#clock = clock;
    this.#isUnderWay = isUnderWay;
  }

  /** A project whose folder this engine may write now; null for any other. */
  readonly writable = (projectId: string): Project | null => {
    const { projects } = this.#stores;
    return this.taken.has(projectId) && !projects.isArchived(projectId) ? projects.get(projectId) : null;
  };

  /** Takes a known project for this engine. Throws ProjectInUseError while another has it, and ProjectAwayError. */
  async claim(projectId: string): Promise<void> {
    const project = projectFor(this.#stores.projects, projectId);
    if (this.taken.has(projectId)) {
      if (await isClaimedBy(project.path, this.#claimantIn(projectId))) return;
      this.taken.delete(projectId);
    }
    const batches = await this.#inTurnAt(project.path, async () =>
      this.taken.has(projectId) ? null : this.#takeKnown(project),
    );
    if (batches) await this.onTaken(projectId, batches);
  }

  /** Like `claim`, for work that can wait while the folder is away. */
  claimIfThere(projectId: string): Promise<void> {
    return this.claim(projectId).catch((error: unknown) => {
      if (!(error instanceof ProjectAwayError)) throw error;
    });
  }

  /** Like `claimIfThere`, for work that another engine in the project does not hinder. */
  claimIfFree(projectId: string): Promise<void> {
    return this.claimIfThere(projectId).catch((error: unknown) => {
      if (!(error instanceof ProjectInUseError)) throw error;
    });
  }

  /** Opens a folder and takes its project; a new one is on `service`. Throws RefusedError, also for a copy, and ProjectInUseError. */
  async open(path: string, service: string | null = null): Promise<OpenedProject> {
    const { project, batches, ...opened } = await this.#inTurnAt(path, async () => {
      const folder = await openProjectFolder(path, this.#clock);
      const known = this.#stores.projects.get(folder.id);
      if (known) await refuseCopy(folder, known.path);
      requireUnarchived(this.#stores.projects, folder.id);
      return { project: folder, ...(await this.#take(folder, { isOpened: true, service })) };
    });
    await this.onTaken(project.id, batches);
    const limits = this.#limits.get(project.id) ?? [];
    this.#limits.delete(project.id);
    return { id: project.id, path: project.path, name: project.name, limits, ...opened };
  }

  /** Runs `work` while we have the project and nothing else takes it, or another folder under one of the names. */
  async whileOurs<Result>(projectId: string, work: (project: Project) => Promise<Result>): Promise<Result> {
    await this.claim(projectId);
    const project = projectFor(this.#stores.projects, projectId);
    return this.#inTurnAt(project.path, () => work(project));
  }

  /**
   * Runs work that numbers new takes of a project, one at a time, so that each sees the takes of the one before and
   * what is in the folder. Throws RefusedError for a project in the archive.
   */
  async withLock<Result>(projectId: string, work: () => Promise<Result>): Promise<Result> {
    using _turn = await this.turn(projectId);
    return await work();
  }

  /** The same for work that gives the turn back itself, by disposing of it. */
  async turn(projectId: string): Promise<Disposable> {
    const turn = await this.#turns.turn(projectId);
    try {
      requireUnarchived(this.#stores.projects, projectId);
      await this.claimIfThere(projectId);
      return turn;
    } catch (error) {
      turn[Symbol.dispose]();
      throw error;
    }
  }

  /**
   * Compares a take that is about to be sent with the folder once more: its recipe may be further than the database, and
   * its row may be another one in the project's own list. Whether that has changed the take.
   */
  async catchUp(project: Project, job: Job): Promise<boolean> {
    const [stores, clock] = [this.#stores, this.#clock];
    const batch = stores.batches.get(job.batchId);
    const head = await readBatchHead(project.path, job.batchId);
    if (batch && head && isNewer(stores.batches, batch, head)) {
      this.taken.delete(project.id);
      await this.claim(project.id);
      if (stores.jobs.get(job.id)?.revision !== job.revision) return true;
    }
    const recipe = await readRecipe(project.path, job.id);
    if (!recipe || !updateFromRecipe(stores, job, recipe, clock.now())) return false;
    await this.onTaken(project.id, new Set([job.batchId]));
    return true;
  }

  /** Takes over the limits in the folder of a project that came to have a batch. */
  async readLimits(projectId: string): Promise<void> {
    const project = projectFor(this.#stores.projects, projectId);
    const { found } = await adoptLimits(this.#stores, project, this.#clock.now());
    this.#limited(projectId, found);
  }

  #limited(projectId: string, found: readonly FoundLimit[]): void {
    const texts = this.onLimits(projectId, found);
    this.#limits.set(projectId, [...(this.#limits.get(projectId) ?? []), ...texts]);
  }

  async #takeKnown(project: Project): Promise<ReadonlySet<string>> {
    try {
      await checkIsProject(project.path, project.id);
      const folder = await openProjectFolder(project.path, this.#clock);
      return (await this.#take(folder, { isOpened: false })).batches;
    } catch (error) {
      const isTold = error instanceof ProjectInUseError || error instanceof ProjectFileError;
      if (isTold || isDatabaseTrouble(error)) throw error;
      throw new ProjectAwayError(project, error);
    }
  }

  async #take(folder: ProjectFolder, { isOpened, service }: Pick<TakeIn, 'isOpened' | 'service'>) {
    const stores = this.#stores;
    const isNew = await claimProject(folder.path, this.#claimantIn(folder.id));
    // While we have the project, only our own steps change the recipes of known takes.
    const known = isNew || !this.taken.has(folder.id) ? stores.jobs.savedIn(folder.id) : stores.jobs.idsIn(folder.id);
    const options = { known, isOpened, service, isUnderWay: this.#isUnderWay, clock: this.#clock };
    const { takes, limits, ...adoption } = await takeInFolder(stores, folder, options);
    this.#limited(folder.id, limits);
    this.taken.add(folder.id);
    return { adoptedTakes: takes, ...adoption };
  }

  #claimantIn(projectId: string): Claimant {
    const { studio } = this.#stores.jobs.studio.placeOf(projectId) ?? {};
    return { ...this.#claimant, studio };
  }

  /** One at a time: taken twice at once, a new folder would become two projects. */
  async #inTurnAt<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
    return this.#mutex.run(await realPath(path), work);
  }
}

interface TakeIn {
  readonly known: ReadonlySet<string>;
  /** A person opened the project, so it belongs on the list. So does one with batches from elsewhere. */
  readonly isOpened: boolean;
  /** Of a project that is not known yet. */
  readonly service?: string | null | undefined;
  readonly isUnderWay: (takeId: string) => boolean;
  readonly clock: Clock;
}

interface TakenIn extends Adoption {
  readonly limits: readonly FoundLimit[];
}

/**
 * Takes in what lies in a project's folder: batches, takes that were sent from elsewhere, how people arranged it, and what
 * limits it. Nothing about a project is decided before: not what would be paid again, which batch a name means, what a prompt's
 * variables stand for or which row is outdated. An engine does it when it claims the project (`ProjectClaims`); a
 * command that looks without an engine does it in a copy of the database (`viewProject`). Nobody else decides.
 */
export async function takeInFolder(
  stores: Stores,
  folder: Project,
  { known, isOpened, service, isUnderWay, clock }: TakeIn,
): Promise<TakenIn> {
  if (isOpened) stores.projects.begin(folder, clock.now(), service);
  const wanted = adoptNames(stores.batches, folder.id, await readBatchHeads(folder.path), clock.now());
  const batches = readBatchFiles(folder.path, (id) => wanted.has(id));
  const recipes = readRecipes(folder.path, (id) => !known.has(id));
  const adoption = await adoptFolder(
    stores,
    { projectId: folder.id, projectPath: folder.path, batches, recipes, isUnderWay },
    clock.now(),
  );
  const unarranged = await adoptArrangement(stores, folder, (batchId) => mayArchive(stores.tally.counts({ batchId })));
  const uncut = await adoptCuts(stores, folder);
  const { found: limits, problem: unlimited } = await adoptLimits(stores, folder, clock.now());
  // A list run before its takes are known would make them all again, so it waits for this work to end.
  stores.batches.inOneCommit(() => {
    if (stores.batches.endAdoption(folder.id) || isOpened) stores.projects.opened(folder.id, clock.now());
  });
  const unread = [unarranged, ...uncut, unlimited].filter((problem) => problem !== null);
  return { ...adoption, limits, problems: [...adoption.problems, ...unread.map(toProblem)] };
}

/** Which account a project is opened with: by its name, which is asked for where there are several; or a built-in service. */
export interface OpenedWith {
  readonly account?: string | undefined;
  readonly service?: string | null;
}

export function projectFolders({
  steps,
  written,
  opened,
  serviceChanged,
}: {
  readonly steps: Pick<Stores, 'projects' | 'history'> & {
    readonly claims: ProjectClaims;
    readonly ports: Ports;
    readonly settings: Settings;
  };
  readonly written: () => Promise<unknown>;
  readonly opened: (projectId: string) => Promise<void>;
  readonly serviceChanged: () => void;
}) {
  const { projects, claims, history, ports } = steps;
  /** The service of a project that is not known yet. No list and no folder says it: they may be a stranger's. */
  async function serviceFor(path: string, { account: name, service }: OpenedWith): Promise<string | null> {
    if (service !== undefined) return service;
    const wanted = name === undefined ? undefined : accountCalled(steps.settings, name);
    const id = await idOfProjectAt(path);
    const known = id === null ? null : projects.get(id);
    if (!known) return serviceOfAccount((wanted ?? onlyAccount(steps.settings)).id);
    const current = projects.service(known.id);
    if (!wanted || serviceOfAccount(wanted.id) === current) return null;
    throw otherAccount(known.name, accountOn(steps.settings, current) ?? null, wanted);
  }
  async function open(path: string, by: Actor = 'engine', openedWith: OpenedWith = {}): Promise<OpenedProject> {
    const before = new Map(projects.list().map((known) => [known.id, known.path]));
    const project = await claims.open(path, await serviceFor(path, openedWith));
    const { id: projectId, name, path: folder } = project;
    const code = !before.has(projectId)
      ? 'project.opened'
      : before.get(projectId) !== folder
        ? 'project.relinked'
        : null;
    if (code && by !== 'engine') {
      history.note({ code, facts: { project: name, folder }, by, at: ports.clock.now(), projectId });
    }
    await opened(project.id);
    return project;
  }
  return {
    open,
    /** Records that the folder of a known project was moved. Throws RefusedError if `path` is not that project. */
    async relink(projectId: string, path: string, by: Actor = 'engine'): Promise<OpenedProject> {
      await checkIsProject(path, projectId);
      return open(path, by);
    },
    async *export(
      projectId: string,
      into: string,
      { asZip }: { readonly asZip: boolean },
    ): ReturnType<typeof exportProject> {
      const { path } = projectFor(projects, projectId);
      await written();
      return yield* asZip ? zipProject(path, zipIn(into, path)) : exportProject(path, into);
    },
    putOnService(projectId: string, name: string): void {
      if (projects.service(projectId) === name) return;
      projects.moveToService(projectId, name);
      serviceChanged();
    },
  };
}
export type ProjectFolders = ReturnType<typeof projectFolders>;
