import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Engine } from '../../engine/engine-api.ts';
import type { Project } from '../../engine/db/project-store.ts';
import { noCounts, UsageError, type ExitStatus } from '../exit.ts';
import { reporterFor } from '../output/reporter.ts';
import { plainText } from '../output/text.ts';
import { batchFolder, performRun, type RunPlan } from '../perform-run.ts';
import { serviceAccess } from '../service-access.ts';
import type { Session } from '../session.ts';
import type { Tally } from '../tally.ts';

export interface ResumeOptions {
  readonly project?: string;
  readonly json?: boolean;
}

/** Goes on with whatever is unfinished, in one project or in all. */
export async function resume(session: Session, options: ResumeOptions): Promise<ExitStatus> {
  const reporter = await reporterFor(session.shell, options.json === true);
  let counts = noCounts;
  try {
    const path = options.project === undefined ? null : projectFolder(session, options.project);
    const access = await serviceAccess(session);
    const end = await performRun(session, { ...access, command: 'dailies resume', reporter }, (engine) =>
      whatIsLeft(engine, path),
    );
    counts = end.counts;
    return end.status;
  } finally {
    reporter.summary(counts);
  }
}

/** Resuming makes no project of a folder that is none. */
function projectFolder({ shell }: Session, named: string): string {
  const path = resolve(shell.cwd, named);
  if (existsSync(join(path, '.dailies', 'project.json'))) return path;
  throw new UsageError(`${path} is no project folder.`, 'Name the folder that was given to `dailies run --project`.');
}

async function whatIsLeft(engine: Engine, path: string | null): Promise<RunPlan> {
  const opened = path === null ? null : await engine.projects.open(path);
  const all = places(engine, opened ? [opened] : engine.projects.list());
  return {
    scope: opened ? { projectId: opened.id } : {},
    title: opened ? `Project ${plainText(opened.name)}` : 'All projects',
    folders: (tally) => foldersOf(all, tally),
  };
}

interface Place {
  readonly batchId: string;
  readonly folder: string;
}

/** Looked up while the engine runs; named at the end, when it has stopped. */
function places(engine: Engine, projects: readonly Project[]): Place[] {
  return projects.flatMap((project) =>
    engine.batches.list(project.id).map((batch) => ({ batchId: batch.id, folder: batchFolder(project.path, batch) })),
  );
}

function foldersOf(all: readonly Place[], tally: Tally): string[] {
  const touched = new Set([...tally.jobs].map((job) => job.batchId));
  return all.filter(({ batchId }) => touched.has(batchId)).map(({ folder }) => folder);
}
