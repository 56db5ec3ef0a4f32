import { countsInWords, takesOf } from '../../contract/counts.ts';
import type { Counts } from '../../contract/job.ts';
import { counted } from './words.ts';

/** `12 / 24 takes, 1 failed`: how far it has got. What failed is settled, but nobody would call it done. */
export function progressInWords(counts: Counts): string {
  const total = takesOf(counts);
  const progress = `${(total - counts.unfinished).toLocaleString('en')} / ${counted(total, 'take')}`;
  return counts.failed === 0 ? progress : `${progress}, ${counts.failed.toLocaleString('en')} failed`;
}

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
