import { join } from 'node:path';
import type { Counts } from '../contract/job.ts';
import type { Batch } from '../engine/db/batch-store.ts';
import type { Scope } from '../engine/db/job-store.ts';
import type { Engine } from '../engine/engine-api.ts';
import { exitStatus, statusOf, type ExitStatus } from './exit.ts';
import { follow } from './follow.ts';
import { commandLine } from './globals.ts';
import type { Reporter } from './output/reporter.ts';
import type { ServiceAccess } from './service-access.ts';
import type { Session } from './session.ts';
import type { Tally } from './tally.ts';
import { withEngine } from './with-engine.ts';

/** What an engine is to work on, once it stands ready. */
export interface RunPlan {
  readonly scope: Scope;
  /** Headline of the final report. */
  readonly title: string;
  /** Folders to name at the end, by what became of the takes. */
  readonly folders: (tally: Tally) => readonly string[];
  /** The command that goes on with what is left; `dailies resume` when absent. */
  readonly goOn?: string;
}

export interface RunNeeds extends ServiceAccess {
  /** `dailies run`, for whoever finds the data folder in use. */
  readonly command: string;
  readonly reporter: Reporter;
}

export interface RunEnd {
  readonly status: ExitStatus;
  readonly counts: Counts;
}

/**
 * Starts an engine, lets `prepare` say what to work on, follows it until it ends, stops the engine and reports. An
 * interruption drains first: submits under way are paid for, so their answers are waited for.
 */
export async function performRun(
  session: Session,
  { reporter, ...needs }: RunNeeds,
  prepare: (engine: Engine) => Promise<RunPlan>,
): Promise<RunEnd> {
  const { shell, interrupted, options } = session;
  interrupted.throwIfAborted();
  const startedAt = shell.clock.now();
  const { plan, followed } = await withEngine(session, needs, async (engine) => {
    interrupted.throwIfAborted();
    reporter.recovery(engine.recovery, options);
    const prepared = await prepare(engine);
    return { plan: prepared, followed: await follow(engine, prepared.scope, { shell, reporter, interrupted }) };
  });
  // Read only now: what was under way has come to its end while the engine stopped.
  const { tally, halted } = followed;
  reporter.report({
    title: plan.title,
    tally,
    elapsedMs: shell.clock.now() - startedAt,
    folders: plan.folders(tally).map((folder) => ({ folder, manifest: join(folder, 'manifest.csv') })),
    halted,
    interrupted: followed.interrupted,
    goOn: plan.goOn ?? commandLine(options, 'resume'),
    options,
  });
  const status = followed.interrupted ? exitStatus.interrupted : statusOf(tally.counts, halted !== null);
  return { status, counts: { ...tally.counts } };
}

/** Where the files of a batch lie. */
export const batchFolder = (projectPath: string, batch: Batch) => join(projectPath, batch.folder);
