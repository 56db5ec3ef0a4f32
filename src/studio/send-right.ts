import { messageFor, type Message } from '../contract/messages/message.ts';
import type { Clock } from '../engine/base/ports.ts';
import type { Engine } from '../engine/engine.ts';
import type { Job } from '../engine/db/job-store.ts';
import { leaveTake, type PlannedPost, type SendAnswer } from '../engine/jobs/studio-ports.ts';
import type { StudioDatabase } from './database.ts';
import { StudioError } from './errors.ts';
import type { Grant } from './types.ts';

/** A right that is older when the POST begins is not used, ms: the process may have stood still. */
const FRESH_MS = 5000;
/** How often a right is asked for whose answer was lost. */
const TRIES = 3;
const SOON_MS = 1000;
/** A budget is raised by a person, and a hold is ended by one. */
const LATER_MS = 15_000;

interface Needs {
  readonly engine: Engine;
  readonly database: Pick<StudioDatabase, 'grant' | 'seen'>;
  readonly clock: Clock;
  /** Null while nothing may be sent: the studio is away, halted, or has declared this machine dead. */
  readonly mayAsk: () => Message | null;
  /** What a call to the studio came to. */
  readonly onAnswer: (error: StudioError | null) => void;
  /** Until when nothing of a project is sent, ms, and why; see `StudioPorts.holds`. */
  readonly holdProject: (projectId: string, until: number, message: Message) => void;
}

/**
 * The right to send one request, from the studio's database. An answer that was lost may have been yes, so the same
 * request is asked again with the same id; where no answer comes, the outbox says that it was not sent.
 */
export function createSendRight({ engine, database, clock, mayAsk, onAnswer, holdProject }: Needs) {
  const { jobs } = engine.stores;
  const { studio } = jobs;
  /** Of a process that stands still, the clock may be set; this one only goes on. */
  const steady = (): number => clock.steady?.() ?? clock.now();

  return async function sendRight(job: Job, { attempt, price }: PlannedPost): Promise<SendAnswer> {
    const take = studio.take(job.id);
    const wait = (ms: number, message: Message): SendAnswer => ({ answer: 'wait', until: clock.now() + ms, message });
    // In a studio's project, but not handed to the studio yet.
    if (take === null) return wait(LATER_MS, messageFor('waiting.studioNotHandedOver'));
    if (!take.isHere) return { answer: 'refused' };
    const stopped = mayAsk();
    if (stopped) return wait(SOON_MS, stopped);
    const { epoch } = take;
    const request = { takeId: job.id, epoch, attemptId: attempt.id, bodyHash: attempt.bodyHash };
    const askedAt = steady();
    const grant = await asked(database, { ...request, model: job.model, priceMicros: engine.studio.priceOf(price) });
    if (grant instanceof StudioError) {
      studio.unused(job, attempt.id, clock.now());
      return wait(SOON_MS, mayAsk() ?? messageFor('waiting.studioAway'));
    }
    switch (grant.kind) {
      case 'granted':
        studio.keepSeen(database.seen);
        return {
          answer: 'granted',
          isFresh: () => steady() - askedAt < FRESH_MS,
          giveBack: () => studio.unused(job, attempt.id, clock.now()),
        };
      case 'wait':
        // All of the project wait for the same, so that none of them writes its recipe in vain.
        holdProject(job.projectId, clock.now() + grant.ms, messageFor('waiting.studioRate'));
        return wait(grant.ms, messageFor('waiting.studioRate'));
      case 'refused':
        return refusal(job, grant.why);
    }
  };

  async function asked(
    from: Pick<StudioDatabase, 'grant'>,
    request: Parameters<StudioDatabase['grant']>[0],
  ): Promise<Grant | StudioError> {
    for (let tries = 1; ; tries += 1) {
      try {
        const grant = await from.grant(request);
        onAnswer(null);
        return grant;
      } catch (error) {
        if (!(error instanceof StudioError)) throw error;
        // At once: what cuts one connection usually spares the next.
        if (error.isAway && tries < TRIES) continue;
        onAnswer(error);
        return error;
      }
    }
  }

  function refusal(job: Job, why: Extract<Grant, { kind: 'refused' }>['why']): SendAnswer {
    const now = clock.now();
    const wait = (ms: number, message: Message): SendAnswer => ({ answer: 'wait', until: now + ms, message });
    switch (why) {
      case 'not_owner':
      case 'fenced':
        leaveTake(engine.stores, job.id, now);
        return { answer: 'refused' };
      // The command itself comes with the next heartbeat.
      case 'cancelled':
      case 'on_hold':
        return wait(LATER_MS, messageFor('waiting.studioHold'));
      case 'budget':
      case 'unpriced': {
        const message = messageFor(why === 'budget' ? 'waiting.studioBudget' : 'waiting.studioUnpriced');
        holdProject(job.projectId, now + LATER_MS, message);
        return wait(LATER_MS, message);
      }
      case 'halted':
        return wait(LATER_MS, messageFor('waiting.studioHalted'));
      // What this machine has not used is on its way to the studio, by the outbox.
      case 'attempt_open':
      case 'attempt_used':
        return wait(SOON_MS, messageFor('waiting.studioRate'));
    }
  }
}
