import type { Logger } from '../engine/base/ports.ts';
import type { Verdict } from '../contract/verdict.ts';
import { toMessage } from '../engine/base/errors.ts';
import type { StudioStore } from '../engine/db/studio-store.ts';
import type { StudioDatabase } from './database.ts';
import { StudioError } from './errors.ts';
import { factsFor, judgedFact, type TakeDetail, toSeq } from './take-facts.ts';
import type { StudioFact } from './types.ts';

const FACTS_AT_ONCE = 200;

interface OutboxNeeds {
  readonly studio: StudioStore;
  readonly database: Pick<StudioDatabase, 'report' | 'seen'>;
  readonly detailOf: (jobId: string) => TakeDetail | null;
  readonly verdictOf: (jobId: string) => Verdict;
  /** What a call to the studio came to. */
  readonly onAnswer: (error: StudioError | null) => void;
  readonly logger: Logger;
}

/** Tells the studio what is in the outbox, in its order; one call at a time. */
export function createOutbox({ studio, database, detailOf, verdictOf, onAnswer, logger }: OutboxNeeds) {
  let told = Promise.resolve();

  function tell(): Promise<void> {
    told = told.then(tellAll).catch((error: unknown) => {
      logger.error('The outbox could not be told', { reason: toMessage(error) });
    });
    return told;
  }

  async function tellAll(): Promise<void> {
    for (;;) {
      const entries = studio.outbox(FACTS_AT_ONCE);
      if (entries.length === 0) return;
      // Only the newest state of a take is told with what it is made of.
      const newest = new Map(entries.map((entry) => [entry.jobId, entry.seq]));
      const facts = entries.flatMap((entry) =>
        entry.event === 'judged'
          ? judgedFact(entry, verdictOf(entry.jobId))
          : factsFor(entry, newest.get(entry.jobId) === entry.seq ? detailOf(entry.jobId) : null),
      );
      const stored = await report(facts);
      if (stored === null) return;
      studio.told(toSeq(stored));
      studio.keepSeen(database.seen);
      if (studio.outbox(1)[0]?.seq === entries[0]?.seq) {
        logger.error('The studio stored nothing of the outbox', { stored });
        return;
      }
    }
  }

  /** The highest sequence that needs not be told any more; null where no answer came. */
  async function report(facts: readonly StudioFact[]): Promise<number | null> {
    try {
      const stored = await database.report(facts);
      onAnswer(null);
      return stored;
    } catch (error) {
      if (!(error instanceof StudioError)) throw error;
      onAnswer(error);
      return error.code === 'studio_failed' ? reportPart(facts, error) : null;
    }
  }

  /** One fact that the database cannot store must not silence this machine: without details, then one by one. */
  async function reportPart(facts: readonly StudioFact[], error: StudioError): Promise<number | null> {
    const bare = facts.map((fact) => ('detail' in fact ? { ...fact, detail: null } : fact));
    if (facts.some((fact) => 'detail' in fact && fact.detail !== null)) return report(bare);
    const [only, ...more] = facts;
    if (only && more.length === 0) {
      logger.error('The studio cannot store what became of a take', { ...only, reason: toMessage(error) });
      return only.sequence;
    }
    let stored: number | null = null;
    for (const fact of facts) {
      stored = await report([fact]);
      if (stored === null) return null;
    }
    return stored;
  }

  return tell;
}
