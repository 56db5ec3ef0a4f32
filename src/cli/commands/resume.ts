import { say } from '../../contract/messages/words.ts';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { CommandEngine } from '../engine.ts';
import { sendingEngine } from '../connect.ts';
import { UsageError, type ExitStatus } from '../exit.ts';
import { viewDataFolder } from '../look.ts';
import type { NightWindow } from '../../contract/night-window.ts';
import type { Standing } from '../../contract/job.ts';
import type { RunScope } from '../../contract/run.ts';
import { WINDOW, windowOf } from '../window-options.ts';
import { type Reporter } from '../output/reporter.ts';
import { plainText } from '../output/text.ts';
import { batchFolder, withFinalCounts, performRun, type PreparedRun, reporterFor } from '../perform-run.ts';
import type { Session } from '../session.ts';
import { JSON_SUMMARY, PROJECT, verb, type Given } from '../verb.ts';

const RESUME = [PROJECT, ...WINDOW, JSON_SUMMARY] as const;

export const verbs = [verb('resume', 'cli.helpResume', RESUME, resume)];

async function resume(session: Session, options: Given<typeof RESUME>): Promise<ExitStatus> {
  const reporter = await reporterFor(session.shell, options.json === true);
  return withFinalCounts(reporter, async (seen) => {
    const window = windowOf(options);
    const path = options.project === undefined ? null : projectFolder(session, options.project);
    const connector = await sendingEngine(session, 'dailies resume');
    return await performRun(session, { connector, reporter, resumePaused: true, seen }, (engine) =>
      whatIsLeft(session, { engine, path, reporter, window }),
    );
  });
}

/** Resuming does not turn a folder into a project. */
function projectFolder({ shell }: Session, named: string): string {
  const path = resolve(shell.cwd, named);
  if (existsSync(join(path, '.dailies', 'project.json'))) return path;
  throw new UsageError(say('failure.notAProject', { path }), say('cli.notProjectFolderRemedy'));
}

interface Left {
  readonly engine: CommandEngine;
  /** Absolute folder of the one project to resume; null for all. */
  readonly path: string | null;
  readonly reporter: Reporter;
  readonly window: NightWindow | undefined;
}

async function whatIsLeft(session: Session, { engine, path, reporter, window }: Left): Promise<PreparedRun> {
  const opened = path === null ? null : (await engine.api.projects.open({ path })).project;
  const scope = opened ? { projectId: opened.id } : {};
  if (window) {
    // Before anything is sent.
    for (const batchId of batchesLeft(session, scope))
      await engine.api.windows.change({ scope: { scope: 'batch', batchId }, window });
  }
  const watch = await engine.watch(scope, { resumePaused: true });
  const batches = places(session, { projectId: opened?.id ?? null, isOwn: engine.sharedBy === null });
  const known = watch.takes.filter(({ batchId }) => batches.has(batchId));
  const batchesWith = (...standings: readonly Standing[]): ReadonlySet<string> =>
    new Set(known.filter(({ standing }) => standings.includes(standing)).map(({ batchId }) => batchId));
  const left = batchesWith('unfinished');
  if (left.size === 0) reporter.say(say('cli.nothingLeft'));
  // What failed in a batch that is over is no news.
  const open = batchesWith('unfinished', 'unknown');
  const takes = known.filter(({ batchId }) => open.has(batchId));
  const folders = [...left].map((batchId) => batches.get(batchId) ?? '');
  const title = opened ? say('cli.titleProject', { project: plainText(opened.name) }) : say('common.allProjects');
  return { plan: { scope, title, folders: () => folders }, watch: { ...watch, takes } };
}

const batchesLeft = ({ dataFolder }: Session, scope: RunScope): ReadonlySet<string> =>
  viewDataFolder(
    dataFolder,
    (view) => new Set(view.queries.list({ ...scope, standing: 'unfinished' }).map(({ batchId }) => batchId)),
  );

/**
 * The batches of one project or of all, and where their files lie. `isOwn`: without those of projects that are on a
 * service which only the app and `dailies serve` have.
 */
function places(
  { dataFolder }: Session,
  { projectId, isOwn }: { readonly projectId: string | null; readonly isOwn: boolean },
): ReadonlyMap<string, string> {
  return viewDataFolder(dataFolder, (view) => {
    const projects = view.projects
      .list()
      .filter(({ id }) => projectId === null || id === projectId)
      .filter(({ id }) => !isOwn || view.projects.service(id) === null);
    const batches = projects.flatMap((project) =>
      view.batches.list(project.id).map((batch) => [batch.id, batchFolder(project.path, batch)] as const),
    );
    return new Map(batches);
  });
}
