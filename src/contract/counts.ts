import type { BatchView } from './batch.ts';
import type { Counts } from './job.ts';

/** The batches of a run after a reading: the unfinished ones, and those that ended in the same run. */
export function nextRun(run: ReadonlyMap<string, Counts>, batches: readonly BatchView[]): Map<string, Counts> {
  const underWay = batches.some((batch) => batch.counts.unfinished > 0);
  const wasUnderWay = [...run.values()].some((counts) => counts.unfinished > 0);
  // A new run after an idle queue starts from nothing; an ended one stays shown until then.
  const kept = underWay && !wasUnderWay ? new Set<string>() : new Set(run.keys());
  return new Map(
    batches
      .filter((batch) => batch.counts.unfinished > 0 || kept.has(batch.id))
      .map((batch) => [batch.id, batch.counts]),
  );
}

export const takesOf = (counts: Counts): number =>
  counts.saved + counts.failed + counts.unknown + counts.cancelled + counts.unfinished;

export function sumOf(all: Iterable<Counts>): Counts {
  const sum = { saved: 0, failed: 0, unknown: 0, cancelled: 0, unfinished: 0 };
  for (const counts of all) {
    sum.saved += counts.saved;
    sum.failed += counts.failed;
    sum.unknown += counts.unknown;
    sum.cancelled += counts.cancelled;
    sum.unfinished += counts.unfinished;
  }
  return sum;
}
