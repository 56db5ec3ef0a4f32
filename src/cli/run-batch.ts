import { plainText, styleFor } from './output/text.ts';
import { t } from '../contract/messages/words.ts';
import type { Shell } from './shell.ts';
import { join } from 'node:path';
import type { RunScope } from '../contract/run.ts';
import type { Batch } from '../engine/db/batch-store.ts';
import { type CommandEngine, EngineGoneError, type Watch } from './engine.ts';
import { holderInWords, recoveryLines } from './output/words.ts';
import type { EngineConnector } from './connect.ts';
import { exitStatus, type ExitStatus, noCounts, type RunCounts, statusFor } from './exit.ts';
import { NdjsonReporter, RunTally, type Reporter } from './output/reporter.ts';
import { aborted, type Session } from './session.ts';
import type { EngineEvent, Gate } from '../contract/events.ts';

export interface PreparedRun {
  readonly scope: RunScope;
  readonly title: string;
  readonly folders: readonly string[];
  /** The command that continues with what is left; `dailies resume` when absent. */
  readonly goOn?: string;
  readonly watch: Watch;
}

export interface RunNeeds {
  readonly connector: Pick<EngineConnector, 'use'>;
  readonly reporter: Reporter;
  /** Whether an engine that replaces a lost one resumes what a person has paused. */
  readonly resumePaused: boolean;
  /** Gets the counts of each engine's run at its start. They stay up to date and are reported however the run ends. */
  readonly seen: (counts: RunCounts) => void;
}

/** Does `work` with a reporter. However it ends, the last counts it was given are reported at the very end. */
export async function withReporter(
  session: Session,
  work: (needs: Pick<RunNeeds, 'reporter' | 'seen'>) => Promise<ExitStatus>,
): Promise<ExitStatus> {
  const reporter = await reporterFor(session);
  let counts: RunCounts = noCounts;
  const seen = (latest: RunCounts): void => {
    counts = latest;
  };
  try {
    return await work({ reporter, seen });
  } finally {
    reporter.summary(counts);
  }
}

/**
 * Lets `prepare` give an engine its work, follows it until it ends, and reports. An engine of this process is stopped
 * then, and an interruption drains it first: running submits are paid for, so it waits for their answers. When a shared
 * engine is lost midway, the run continues with the next one, or with one of this process.
 */
export async function runBatch(
  session: Session,
  { connector, reporter, resumePaused, seen }: RunNeeds,
  prepare: (engine: CommandEngine) => Promise<PreparedRun>,
): Promise<ExitStatus> {
  const { shell, interrupted, options, line } = session;
  interrupted.throwIfAborted();
  const startedAt = shell.clock.now();
  let run: PreparedRun | null = null;
  const work = async (engine: CommandEngine) => {
    interrupted.throwIfAborted();
    reporter.show([{ type: 'recovery', ...engine.recovery }], ({ warn }) =>
      recoveryLines(engine.recovery, options).map(warn),
    );
    const sharedBy = engine.sharedBy && holderInWords(engine.sharedBy);
    if (sharedBy !== null) reporter.say(t('cli.sharedEngine', { other: sharedBy }));
    run = run ? { ...run, watch: await engine.watch(run.scope, { resumePaused }) } : await prepare(engine);
    return { ...run, sharedBy, followed: await follow(run.watch, session, { reporter, seen }) };
  };
  const { followed, sharedBy, title, folders, goOn } = await withEngines(session, connector, work);
  // Read only now: running steps may have finished while an engine of this process stopped.
  const { tally, halted } = followed;
  reporter.report({
    ...{ title, tally, halted, sharedBy, options, interrupted: followed.interrupted },
    elapsedMs: shell.clock.now() - startedAt,
    folders: folders.map((folder) => ({ folder, manifest: join(folder, 'manifest.csv') })),
    goOn: goOn ?? line('resume'),
  });
  return followed.interrupted ? exitStatus.interrupted : statusFor(tally.counts, halted);
}

/** A run that loses more engines than these is not helped by another. */
const MAX_LOSSES = 10;

async function withEngines<Result>(
  { complain }: Session,
  connector: RunNeeds['connector'],
  work: (engine: CommandEngine) => Promise<Result>,
): Promise<Result> {
  for (let losses = 1; ; losses += 1) {
    try {
      return await connector.use(work);
    } catch (error) {
      if (!(error instanceof EngineGoneError) || losses === MAX_LOSSES) throw error;
      complain(`${plainText(error.text)} ${t('cli.storedGoesOn')}`);
    }
  }
}

export const batchFolder = (projectPath: string, batch: Pick<Batch, 'folder'>) => join(projectPath, batch.folder);

async function reporterFor({ shell, json }: Session): Promise<Reporter> {
  if (json) return new NdjsonReporter(shell.stdout);
  const { PeopleReporter } = await import('./output/people.ts');
  // A terminal that cannot move its cursor gets plain lines.
  const isLive = shell.stdout.isTTY === true && shell.env['TERM'] !== 'dumb';
  return new PeopleReporter(shell.stdout, styleFor(shell.stdout, shell.env), isLive);
}

interface Followed {
  /** Stays up to date while an engine of this process drains. */
  readonly tally: RunTally;
  readonly halted: Gate | null;
  readonly interrupted: boolean;
}

/**
 * Runs the queue and reports it, until nothing of the run can continue automatically, the queue stops, or the person
 * asks to stop. The caller that started the engine then stops it, and waits for submits under way.
 */
async function follow(
  watch: Watch,
  { shell, interrupted, complain }: Session,
  { reporter, seen }: Pick<RunNeeds, 'reporter' | 'seen'>,
): Promise<Followed> {
  const { clock } = shell;
  const tally = new RunTally(watch.takes);
  seen(tally.counts);
  const telling = new AbortController();
  let hint = watch.whenPaused;
  const onEvent = (event: EngineEvent): void => {
    if (event.type === 'queue') {
      if (telling.signal.aborted) return;
      reporter.queue(event.status);
      if (hint === null || !event.status.gates.some(({ reason }) => reason === 'paused_by_user')) return;
      reporter.say(hint);
      hint = null;
      return;
    }
    if (event.type !== 'job') return;
    const news = tally.update(event.job);
    if (news) reporter.job(event.job, news.changed && event.job.standing !== 'unfinished');
  };

  reporter.begin(tally, clock.now());
  const ticking = tickUntil(telling.signal, shell, reporter);
  let ended: { readonly halted: Gate | null; readonly interrupted: boolean };
  try {
    ended = await Promise.race([
      aborted(interrupted).then(() => ({ halted: null, interrupted: true })),
      ...(interrupted.aborted ? [] : [endOf(watch, onEvent)]),
    ]);
  } finally {
    telling.abort();
    await ticking;
    reporter.end();
  }
  // On stderr, because a program may read stdout: the person who pressed Ctrl-C reads this in any case.
  if (ended.interrupted) complain(watch.interruptNotice());
  return { tally, ...ended };
}

async function endOf(watch: Watch, onEvent: (event: EngineEvent) => void) {
  const end = await watch.go(onEvent);
  return { halted: 'gate' in end ? end.gate : null, interrupted: false };
}

async function tickUntil(stop: AbortSignal, { clock }: Shell, reporter: Reporter): Promise<void> {
  while (!stop.aborted) {
    try {
      await clock.sleep(reporter.tickMs, { signal: stop });
    } catch (error) {
      if (stop.aborted) return;
      throw error;
    }
    reporter.tick(clock.now());
  }
}
