import type { EngineEvent } from '../../contract/events.ts';
import { isUnsent, type JobView } from '../../contract/job.ts';
import type { RunProgressEvent, RunScope, StartedRun } from '../../contract/run.ts';
import type { Services } from '../services.ts';
import type { EventBuffer } from './event-buffer.ts';
import { RunProgress } from './run-end.ts';

/** Takes in one message, at most. */
const TAKES_AT_ONCE = 500;

interface FollowedRun {
  readonly scope: RunScope;
  /** The stored list, where there was one. */
  readonly started?: StartedRun;
  /** Has listened since before that, so that nothing is missed. */
  readonly heard: EventBuffer;
}

/** The course of a run for one listener: see `RunProgressEvent`. A listener that leaves changes nothing about it. */
export async function* followRun(
  { engine }: Services,
  { scope, started, heard }: FollowedRun,
): AsyncGenerator<RunProgressEvent, void, void> {
  const hasWindowClosed = engine.windows.closings();
  try {
    if (started) yield { type: 'started', ...started };
    const elsewhere = new Set((await engine.views.projects()).flatMap(({ id, isSample }) => (isSample ? [id] : [])));
    const takes = engine.jobs.list({ ...scope, current: true });
    for (let start = 0; start === 0 || start < takes.length; start += TAKES_AT_ONCE) {
      const some = takes.slice(start, start + TAKES_AT_ONCE);
      yield { type: 'takes', takes: some, last: start + TAKES_AT_ONCE >= takes.length };
    }
    const progress = new RunProgress(takes, {
      isElsewhere: (projectId) => elsewhere.has(projectId),
      hasWindowClosed,
    });
    yield { type: 'events', events: [{ type: 'queue', status: engine.queue.status() }] };
    const changed = (): EngineEvent[] => progress.refresh(engine.jobs.list(scope)).map((job) => ({ type: 'job', job }));
    for (;;) {
      // Events from before the takes were listed may be older than the list; the last one is the newest.
      const events = heard.take().flatMap((event): EngineEvent[] => {
        if (event.type === 'queue') return [event];
        if (event.type === 'job') return progress.update(event.job) && !isNew(event.job) ? [event] : [];
        // Too many changed to send them one by one.
        return changed();
      });
      if (progress.isAnyWaiting && progress.end(engine.queue.status())) events.push(...changed());
      if (events.length > 0) yield { type: 'events', events };
      const end = progress.end(engine.queue.status());
      if (end) {
        await engine.batches.written();
        yield { type: 'ended', end };
        return;
      }
      await heard.untilSomething();
      if (heard.hasEnded) return;
    }
  } finally {
    heard.end();
  }
}

/** The takes themselves say that they were made. */
const isNew = (job: JobView): boolean => isUnsent(job) && job.paused === null && job.updatedAt === job.createdAt;
