import { countsInWords, takesOf } from '../../contract/counts.ts';
import type { Counts } from '../../contract/job.ts';

/** A queue in which nothing is under way in a few words: what needs the person, else how it stands. */
export function idleHeading(counts: Counts): string {
  const { unknown } = counts;
  if (unknown > 0) return `${unknown.toLocaleString('en')} ${unknown === 1 ? 'needs' : 'need'} a decision`;
  return takesOf(counts) === 0 ? 'Nothing in the queue' : 'All settled';
}

/** The same in one line, with how the takes ended where nothing needs anybody. */
export function idleWords(counts: Counts): string {
  const heading = idleHeading(counts);
  const isSettled = counts.unknown === 0 && takesOf(counts) > 0;
  return isSettled ? `${heading}: ${countsInWords(counts)}` : heading;
}
