import { plainText, styleFor } from './output/text.ts';
import { say } from '../contract/messages/words.ts';
import type { Shell } from './shell.ts';
import { join } from 'node:path';
import type { Counts } from '../contract/job.ts';
import type { RunScope } from '../contract/run.ts';
import type { Batch } from '../engine/db/batch-store.ts';
import { EngineGoneError, type CommandEngine, type Watch } from './engine.ts';
import { holderInWords } from './output/words.ts';
import type { EngineConnector } from './connect.ts';
import { exitStatus, noCounts, statusOf, type ExitStatus } from './exit.ts';
import { follow, type Followed } from './follow.ts';
import type { Reporter } from './output/reporter.ts';
import { type Session, commandLine } from './session.ts';
import type { Tally } from './tally.ts';

interface RunPlan {
  readonly scope: RunScope;
  readonly title: string;
  readonly folders: (tally: Tally) => readonly string[];
  /** The command that continues with what is left; `dailies resume` when absent. */
  readonly goOn?: string;
}

export interface PreparedRun {
  readonly plan: RunPlan;
  readonly watch: Watch;
}

export interface RunNeeds {
  readonly connector: Pick<EngineConnector, 'use'>;
  readonly reporter: Reporter;
  /** Whether an engine that replaces a lost one resumes what a person has paused. */
  readonly resumePaused: boolean;
  /** Gets the counts of each engine's run at its start. They stay up to date and are reported however the run ends. */
  readonly seen: (counts: Readonly<Counts>) => void;
}

/** Does `work`. However it ends, the last counts it was given are reported at the very end. */
export async function withFinalCounts(
  reporter: Reporter,
  work: (seen: RunNeeds['seen']) => Promise<ExitStatus>,
): Promise<ExitStatus> {
  let counts: Readonly<Counts> = noCounts;
  try {
    return await work((latest) => {
      counts = latest;
    });
  } finally {
    reporter.summary(counts);
  }
}

/**
 * Lets `prepare` give an engine its work, follows it until it ends, and reports. An engine of this process is stopped
 * then, and an interruption drains it first: running submits are paid for, so it waits for their answers. When a shared
 * engine is lost midway, the run continues with the next one, or with one of this process.
 */
export async function performRun(
  session: Session,
  { connector, reporter, resumePaused, seen }: RunNeeds,
  prepare: (engine: CommandEngine) => Promise<PreparedRun>,
): Promise<ExitStatus> {
  const { shell, interrupted, options } = session;
  interrupted.throwIfAborted();
  const startedAt = shell.clock.now();
  let plan: RunPlan | null = null;
  const work = async (engine: CommandEngine): Promise<RunPlan & { followed: Followed; sharedBy: string | null }> => {
    interrupted.throwIfAborted();
    reporter.recovery(engine.recovery, options);
    const sharedBy = engine.sharedBy && holderInWords(engine.sharedBy);
    if (sharedBy !== null) reporter.say(say('cli.sharedEngine', { other: sharedBy }));
    const prepared =
      plan === null ? await prepare(engine) : { plan, watch: await engine.watch(plan.scope, { resumePaused }) };
    plan = prepared.plan;
    return { ...plan, sharedBy, followed: await follow(prepared.watch, { shell, reporter, interrupted, seen }) };
  };
  const { followed, sharedBy, title, folders, goOn } = await withEngines(session, connector, work);
  // Read only now: running steps may have finished while an engine of this process stopped.
  const { tally, halted } = followed;
  reporter.report({
    title,
    tally,
    elapsedMs: shell.clock.now() - startedAt,
    folders: folders(tally).map((folder) => ({ folder, manifest: join(folder, 'manifest.csv') })),
    halted,
    interrupted: followed.interrupted,
    sharedBy,
    goOn: goOn ?? commandLine(options, 'resume'),
    options,
  });
  return followed.interrupted ? exitStatus.interrupted : statusOf(tally.counts, halted);
}

/** A run that loses more engines than these is not helped by another. */
const MOST_LOSSES = 10;

async function withEngines<Result>(
  { shell }: Session,
  connector: RunNeeds['connector'],
  work: (engine: CommandEngine) => Promise<Result>,
): Promise<Result> {
  for (let losses = 1; ; losses += 1) {
    try {
      return await connector.use(work);
    } catch (error) {
      if (!(error instanceof EngineGoneError) || losses === MOST_LOSSES) throw error;
      shell.stderr.write(`${plainText(error.text)} ${say('cli.storedGoesOn')}\n`);
    }
  }
}

export const batchFolder = (projectPath: string, batch: Pick<Batch, 'folder'>) => join(projectPath, batch.folder);

export async function reporterFor(shell: Shell, json: boolean): Promise<Reporter> {
  if (json) return new (await import('./output/ndjson.ts')).NdjsonReporter(shell.stdout);
  const style = styleFor(shell.stdout, shell.env);
  // A terminal that cannot move its cursor gets plain lines.
  if (shell.stdout.isTTY === true && shell.env['TERM'] !== 'dumb') {
    return new (await import('./output/live.ts')).LiveReporter(shell.stdout, style);
  }
  return new (await import('./output/people.ts')).PlainReporter(shell.stdout, style);
}
