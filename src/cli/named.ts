import type { JobView } from '../contract/job.ts';
import type { Kind } from '../contract/kinds/kind.ts';
import { say } from '../contract/messages/words.ts';
import type { Preset } from '../contract/presets.ts';
import { viewNamed, type SavedView } from '../contract/saved-views.ts';
import type { BatchRow } from '../engine/db/batch-store.ts';
import type { Project } from '../engine/db/project-store.ts';
import { UsageError } from './exit.ts';
import { noProjectAt, viewDataFolder, wantedProjects, type View } from './look.ts';
import { plainText } from './output/text.ts';
import type { Session } from './session.ts';

/** What people name on a command line. Everything here throws UsageError where it is not there. */

/**
 * People see the last digits of a job id: ids of one import begin alike, because they begin with the time. Eight hex
 * digits are enough for any data folder of a sensible size; commands accept any unique beginning or end.
 */
export const shortId = (id: string) => id.slice(-8);

/** Fewer characters would be a guess, not a name. */
const SHORTEST = 4;

export type JobNamed = { readonly ok: true; readonly job: JobView } | { readonly ok: false; readonly problem: string };

/** The one job that `text` names, by its whole id, its beginning or its end. `matching` looks jobs up. */
export function jobNamed(text: string, matching: (text: string) => JobView[]): JobNamed {
  if (text.length < SHORTEST || !/^[0-9a-f-]+$/i.test(text)) {
    return { ok: false, problem: say('cli.notJobId', { text }) };
  }
  const [job, ...others] = matching(text.toLowerCase());
  if (!job) return { ok: false, problem: say('cli.noJob', { text }) };
  if (others.length > 0) {
    return { ok: false, problem: say('cli.severalJobs', { text, count: others.length + 1 }) };
  }
  return { ok: true, job };
}

export function takeNamed({ dataFolder }: Session, text: string): JobView {
  return viewDataFolder(dataFolder, (view) => {
    if (view.isNew) throw new UsageError(say('cli.noTakesYet'), say('cli.otherDataFolder'));
    const named = jobNamed(text, (id) => view.queries.list({ ids: [id] }));
    if (named.ok) return named.job;
    throw new UsageError(named.problem, say('cli.nothingQueued'));
  });
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
    throw new UsageError(say('cli.unknownBatch', { batch: name }), say('cli.seeStatus'));
  });
}

export function viewCalled(session: Session, name: string, { project }: { readonly project: string }): SavedView {
  return lookAtProject(session, project, ({ savedViews }, { id }) => {
    const views = savedViews.list(id);
    const found = viewNamed(views, name.normalize('NFC').trim());
    if (found) return found;
    throw noView(
      name,
      views.map((each) => each.name),
    );
  });
}

export function noView(name: string, others: readonly string[]): UsageError {
  const names = [...new Set(others.map(plainText))];
  return new UsageError(
    say('cli.noView', { name: plainText(name) }),
    names.length === 0 ? say('cli.noViewsYet') : say('cli.viewNames', { names }),
  );
}

/** Looks at the library of a project, or without one at what every project shares. */
export function lookInLibrary<Seen>(
  session: Session,
  { project }: { readonly project?: string },
  see: (view: View, projectId: string | null) => Seen,
): Seen {
  if (project !== undefined) return lookAtProject(session, project, (view, { id }) => see(view, id));
  return viewDataFolder(session.dataFolder, (view) => see(view, null));
}

interface OfPresets {
  readonly project?: string;
  readonly kind?: Kind;
}

/** Those of the project go before those of every project. Throws UsageError when they are of several kinds. */
export function presetsCalled(session: Session, name: string, { kind, ...where }: OfPresets): Preset[] {
  const named = lookInLibrary(session, where, ({ presets }, projectId) => presets.list(projectId))
    .filter((each) => each.name === name && (kind === undefined || each.kind === kind))
    .sort((one, other) => Number(one.projectId === null) - Number(other.projectId === null));
  if (new Set(named.map((each) => each.kind)).size <= 1) return named;
  throw new UsageError(say('cli.severalPresets', { name: plainText(name) }), say('cli.severalPresetsRemedy'));
}

/** The preset of the project, or without one that of every project. */
export function ownPreset(session: Session, name: string, options: OfPresets): Preset {
  const isOfAll = options.project === undefined;
  const own = presetsCalled(session, name, options).find(({ projectId }) => (projectId === null) === isOfAll);
  if (own) return own;
  throw noPreset(name);
}

export const noPreset = (name: string): UsageError =>
  new UsageError(say('cli.noPreset', { name: plainText(name) }), say('cli.noPresetRemedy'));
