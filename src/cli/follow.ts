import type { EngineEvent, Gate } from '../contract/events.ts';
import type { Counts } from '../contract/job.ts';
import type { Watch } from './engine.ts';
import { aborted } from './session.ts';
import type { Reporter } from './output/reporter.ts';
import type { Shell } from './shell.ts';
import { Tally } from './tally.ts';

export interface Followed {
  /** Stays up to date while an engine of this process drains. */
  readonly tally: Tally;
  readonly halted: Gate | null;
  readonly interrupted: boolean;
}

interface Following {
  readonly shell: Shell;
  readonly reporter: Reporter;
  readonly interrupted: AbortSignal;
  readonly seen: (counts: Readonly<Counts>) => void;
}

/**
 * Runs the queue and reports it, until nothing of the run can continue automatically, the queue stops, or the person
 * asks to stop. The caller that started the engine then stops it, and waits for submits under way.
 */
export async function follow(watch: Watch, { shell, reporter, interrupted, seen }: Following): Promise<Followed> {
  const { clock } = shell;
  const tally = new Tally(watch.takes);
  seen(tally.counts);
  const telling = new AbortController();
  let hint = watch.whenPaused;
  const hear = (event: EngineEvent): void => {
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
      ...(interrupted.aborted ? [] : [endOf(watch, hear)]),
    ]);
  } finally {
    telling.abort();
    await ticking;
    reporter.end();
  }
  // On stderr, because a program may read stdout: the person who pressed Ctrl-C reads this in any case.
  if (ended.interrupted) shell.stderr.write(`${watch.farewell()}\n`);
  return { tally, ...ended };
}

async function endOf(watch: Watch, hear: (event: EngineEvent) => void) {
  const end = await watch.go(hear);
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
