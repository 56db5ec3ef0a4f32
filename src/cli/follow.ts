import type { Gate } from '../contract/events.ts';
import type { Engine } from '../engine/engine-api.ts';
import type { JobFilter } from '../engine/db/job-queries.ts';
import type { Scope } from '../engine/db/job-store.ts';
import type { Reporter } from './output/reporter.ts';
import { counted } from './output/text.ts';
import type { Shell } from './shell.ts';
import { Tally } from './tally.ts';

export interface Followed {
  /** Goes on being true while the engine drains. */
  readonly tally: Tally;
  /** Why the queue stopped by itself, if it did. */
  readonly halted: Gate | null;
  readonly interrupted: boolean;
}

/**
 * Lets the engine work on a scope and tells it, until nothing of it can go on by itself, the queue stops, or the
 * person asks to stop. The caller stops the engine then, which is when submits under way are waited for.
 */
export async function follow(
  engine: Engine,
  scope: Scope,
  { shell, reporter, interrupted }: { shell: Shell; reporter: Reporter; interrupted: AbortSignal },
): Promise<Followed> {
  const { clock } = shell;
  const tally = new Tally(engine.jobs.list(currentTakes(scope)));
  const telling = new AbortController();
  engine.subscribe((event) => {
    if (event.type === 'queue') {
      if (!telling.signal.aborted) reporter.queue(event.status);
      return;
    }
    if (event.type !== 'job') return;
    const news = tally.update(event.job);
    if (news) reporter.job(event.job, news.changed && event.job.standing !== 'unfinished');
  });

  reporter.begin(tally, clock.now());
  const ticking = tickUntil(telling.signal, shell, reporter);
  let ended: { readonly halted: Gate | null; readonly interrupted: boolean };
  try {
    if (!interrupted.aborted) {
      // Whoever types this wants it to go, even where the queue was paused in the window.
      engine.queue.resume();
      engine.queue.run(scope);
    }
    ended = await Promise.race([
      engine.queue
        .settled()
        .then((settled) => ({ halted: settled.type === 'halted' ? settled.gate : null, interrupted: false })),
      aborted(interrupted).then(() => ({ halted: null, interrupted: true })),
    ]);
  } finally {
    telling.abort();
    await ticking;
    reporter.end();
  }
  if (ended.interrupted) reporter.say(stoppingLine(engine.queue.status().underWay.submit));
  return { tally, ...ended };
}

/** The takes a run is about: what the list wants now, and whatever else is not over. */
export function currentTakes(scope: Scope): JobFilter {
  return { ...scope, current: true };
}

function stoppingLine(submits: number): string {
  return submits > 0
    ? `Stopping. Waiting for the answer to ${counted(submits, 'request')} under way: ${submits === 1 ? 'it is' : 'they are'} paid for. Press Ctrl-C again to stop at once.`
    : 'Stopping.';
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

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
