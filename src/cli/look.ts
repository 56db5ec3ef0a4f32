import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { accountWithId } from '../contract/accounts.ts';
import type { JobView, TimeSpan } from '../contract/job.ts';
import type { Kind } from '../contract/kinds/kind.ts';
import { t } from '../contract/messages/words.ts';
import { type Preset, toVariables, type Variables } from '../contract/prompt-library.ts';
import { viewNamed, type SavedView } from '../contract/review.ts';
import type { Settings } from '../contract/settings.ts';
import { isRunning, readHolder, type Holder } from '../engine/base/instance-lock.ts';
import type { BatchRow } from '../engine/db/batch-store.ts';
import type { Scope } from '../engine/db/job-store.ts';
import { copyInMemory, openDatabaseReadOnly, type EngineDatabase } from '../engine/db/open.ts';
import type { Project, ProjectStore } from '../engine/db/project-store.ts';
import type { Account } from '../engine/db/service-store.ts';
import { openStores, type Stores } from '../engine/db/stores.ts';
import { workLeft, type AddedWork } from '../engine/jobs/expected-work.ts';
import { expectedSpan } from '../engine/machine/expected-end.ts';
import { takeInFolder } from '../engine/projects/project-claims.ts';
import { readSettings } from '../host/settings-file.ts';
import { refused, UsageError } from './exit.ts';
import { plainText } from './output/text.ts';
import type { Session } from './session.ts';

/** The data folder as a command reads it without its engine, while another process may work in it. */
export type View = Stores & {
  readonly db: EngineDatabase;
  /** Nothing was ever run there. */
  readonly isNew: boolean;
};

export function viewDataFolder<Seen>(dataFolder: string, look: (view: View) => Seen): Seen {
  const stored = openDatabaseReadOnly(dataFolder);
  const db = stored ?? copyInMemory(null);
  let closes = false;
  try {
    const seen = look(viewFor(dataFolder, db, stored === null));
    if (!(seen instanceof Promise)) return seen;
    closes = true;
    return seen.finally(() => db.close()) as Seen;
  } finally {
    if (!closes) db.close();
  }
}

function viewFor(dataFolder: string, db: EngineDatabase, isNew: boolean): View {
  const stores = openStores(db, () => undefined);
  stores.ledger.accountName = (id) => accountWithId(readSettings(dataFolder), id || null)?.name ?? '';
  return { db, isNew, ...stores };
}

export interface ProjectView {
  readonly view: View;
  /** Null for a folder that is no project yet. */
  readonly project: Project | null;
}

/** Looks at a project with all in its folder taken in, in a copy of the database that leaves it unchanged. */
export async function viewProject<Seen>(
  { dataFolder, shell }: Session,
  folder: string,
  look: (seen: ProjectView) => Promise<Seen>,
): Promise<Seen> {
  const path = resolve(shell.cwd, folder);
  const file = projectIn(path);
  const stored = openDatabaseReadOnly(dataFolder);
  const db = copyInMemory(stored);
  const view = viewFor(dataFolder, db, stored === null);
  try {
    if (file) {
      const known = view.jobs.savedIn(file.id);
      // What becomes of a request that is being sent, or was when its engine died, is for an engine to find out.
      const isUnderWay = (takeId: string) => view.jobs.get(takeId)?.state.state === 'submitting';
      await takeInFolder(view, { path, ...file }, { known, isOpened: true, isUnderWay, clock: shell.clock });
    }
    return await look({ view, project: knownProject(view.projects, path) });
  } finally {
    db.close();
  }
}

const ProjectFile = z.object({ id: z.string(), name: z.string() });

/** The project in a folder, found by the id in the folder, so that a moved project is found too. */
export function knownProject(projects: ProjectStore, path: string): Project | null {
  const file = projectIn(path);
  return (file && projects.get(file.id)) ?? projects.atPath(path) ?? projects.atPath(realPath(path));
}

/** The absolute folder of a project that the data folder knows and that is there; null otherwise. */
export function knownFolder({ dataFolder, shell }: Session, folder: string): string | null {
  const path = resolve(shell.cwd, folder);
  const file = projectIn(path);
  return viewDataFolder(dataFolder, (view) => (file && view.projects.get(file.id) ? path : null));
}

function projectIn(path: string): z.infer<typeof ProjectFile> | null {
  const file = join(path, '.dailies', 'project.json');
  try {
    // Opening a pipe here would wait for a writer.
    return lstatSync(file).isFile() ? ProjectFile.parse(JSON.parse(readFileSync(file, 'utf8'))) : null;
  } catch {
    return null;
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

export interface Wanted {
  readonly project?: string;
  readonly batch?: string;
}

/** The projects a person asks about; throws UsageError when there is no such one, except where nothing was ever run. */
export function wantedProjects(view: View, { project }: Wanted, { shell }: Session): Project[] {
  if (project === undefined || view.isNew) return view.projects.list();
  const path = resolve(shell.cwd, project);
  const known = knownProject(view.projects, path);
  if (known) return [known];
  throw noProjectAt({ shell }, path);
}

export const noProjectAt = ({ shell }: Pick<Session, 'shell'>, folder: string): UsageError =>
  refused('cli.unknownProject', { path: resolve(shell.cwd, folder) });

/** The scopes of what a person asks about; batches of several projects may share a name. */
export function wantedScopes(view: View, wanted: Wanted, session: Session): Scope[] {
  const projects = wantedProjects(view, wanted, session);
  const { batch } = wanted;
  if (batch === undefined) return wanted.project === undefined ? [{}] : projects.map(({ id }) => ({ projectId: id }));
  const batches = projects.flatMap(({ id }) => view.batches.list(id)).filter(({ name }) => name === batch);
  if (batches.length > 0 || view.isNew) return batches.map(({ id, projectId }) => ({ projectId, batchId: id }));
  throw refused('cli.unknownBatch', { batch });
}

/** Who works in a data folder; a killed engine leaves its note behind. Only for people: nothing depends on it. */
export function engineAtWork(dataFolder: string): Holder | null {
  const holder = readHolder(dataFolder);
  return holder && isRunning(holder.pid) ? holder : null;
}

export const toTexts = ({ view, project }: ProjectView): Variables =>
  toVariables(view.variables.list(project?.id ?? null));

interface TimeAsked {
  readonly account: Account | null;
  /** Of that account; absent: of the first one. */
  readonly service?: string | null;
  readonly settings: Settings;
}

/** How long the queue takes with what is added, by the learned times of this data folder; null with too few. */
export function timeLeft(
  { queries, service }: View,
  { account, service: known = null, settings }: TimeAsked,
  added?: readonly AddedWork[],
): TimeSpan | null {
  const accountFor = (name: string | null) => (name === known ? account : null);
  return expectedSpan(workLeft({ queries, service, accountOf: accountFor, settings }, added));
}

/** What people name on a command line. Everything here throws UsageError where it is not there. */

/** Fewer characters would be a guess, not a name. */
const SHORTEST = 4;

/** The one job that `text` names, by its whole id, its beginning or its end. `matching` looks jobs up. */
export function jobNamed(text: string, matching: (text: string) => JobView[]) {
  const isId = text.length >= SHORTEST && /^[0-9a-f-]+$/i.test(text);
  const [job, ...others] = isId ? matching(text.toLowerCase()) : [];
  if (!job) return { ok: false as const, problem: t('cli.noJob', { text }) };
  if (others.length > 0) {
    return { ok: false as const, problem: t('cli.severalJobs', { text, count: others.length + 1 }) };
  }
  return { ok: true as const, job };
}

export function takeNamed({ dataFolder }: Session, text: string): JobView {
  return viewDataFolder(dataFolder, (view) => {
    if (view.isNew) throw refused('cli.noTakesYet');
    return jobCalled(view, text);
  });
}

export function jobCalled({ queries }: View, text: string): JobView {
  const named = jobNamed(text, (id) => queries.list({ ids: [id] }));
  if (named.ok) return named.job;
  throw new UsageError(named.problem, t('cli.nothingChanged'));
}

export function lookAtProject<Seen>(
  session: Session,
  project: string,
  see: (view: View, project: Project) => Seen,
): Seen {
  return viewDataFolder(session.dataFolder, (view) => {
    const [found] = wantedProjects(view, { project }, session);
    if (!found) throw noProjectAt(session, project);
    return see(view, found);
  });
}

export const projectAt = (session: Session, project: string): Project =>
  lookAtProject(session, project, (_view, found) => found);

export function batchCalled(session: Session, name: string, { project }: { readonly project: string }): BatchRow {
  return lookAtProject(session, project, (view, { id }) => {
    const batch = view.batches.rows(id).find((row) => row.name === name);
    if (batch) return batch;
    throw refused('cli.unknownBatch', { batch: name });
  });
}

export const viewCalled = (session: Session, name: string, { project }: { readonly project: string }): SavedView =>
  lookAtProject(session, project, (view, { id }) => viewsCalled(view, name, [id])[0] as SavedView);

/** The saved views with that name, one of each project. Throws UsageError when none has one, and names the existing ones. */
export function viewsCalled({ savedViews }: View, name: string, projectIds: readonly string[]): SavedView[] {
  const all = projectIds.map((projectId) => savedViews.list(projectId));
  const found = all.flatMap((views) => viewNamed(views, name.normalize('NFC').trim()) ?? []);
  if (found.length > 0) return found;
  const names = [...new Set(all.flat().map((each) => plainText(each.name)))];
  throw new UsageError(
    t('cli.noView', { name }),
    names.length === 0 ? t('cli.noViewsYet') : t('cli.viewNames', { names }),
  );
}

export function lookInLibrary<Seen>(
  session: Session,
  { project }: Pick<Wanted, 'project'>,
  see: (view: View, projectId: string | null) => Seen,
): Seen {
  if (project !== undefined) return lookAtProject(session, project, (view, { id }) => see(view, id));
  return viewDataFolder(session.dataFolder, (view) => see(view, null));
}

/** The name of a cut of a project as it is kept; without one, of its first. Throws UsageError where there is none. */
export const cutNamed = (session: Session, project: string, name: string | undefined): string =>
  lookAtProject(session, project, ({ cuts }, { id }) => {
    const all = cuts.list(id);
    const found = name === undefined ? all[0] : viewNamed(all, name.normalize('NFC').trim());
    if (found) return found.name;
    if (name === undefined) throw refused('cli.noCut');
    throw refused('cli.unknownCut', { name, names: all.map((cut) => plainText(cut.name)) });
  });

type OfPresets = Pick<Wanted, 'project'> & { readonly kind?: Kind };

/** Those of the project go before those of every project. Throws UsageError when they are of several kinds. */
export function presetsCalled(session: Session, name: string, { kind, ...where }: OfPresets): Preset[] {
  const named = lookInLibrary(session, where, ({ presets }, projectId) => presets.list(projectId))
    .filter((each) => each.name === name && (kind === undefined || each.kind === kind))
    .sort((one, other) => Number(one.projectId === null) - Number(other.projectId === null));
  if (new Set(named.map((each) => each.kind)).size <= 1) return named;
  throw refused('cli.severalPresets', { name });
}

export function ownPreset(session: Session, name: string, options: OfPresets): Preset {
  const isOfAll = options.project === undefined;
  const own = presetsCalled(session, name, options).find(({ projectId }) => (projectId === null) === isOfAll);
  if (own) return own;
  throw refused('cli.noPreset', { name });
}
