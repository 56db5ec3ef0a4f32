import { takesOf } from '../../contract/counts.ts';
import type { Counts } from '../../contract/job.ts';
import { standings, standingWords } from './words.ts';

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

/** `2 failed, 40 saved`: in the order in which a person wants to hear of them. */
export function countsInWords(counts: Counts): string {
  return standings
    .filter((standing) => counts[standing] > 0)
    .map((standing) => `${counts[standing].toLocaleString('en')} ${standingWords[standing].afterNumber}`)
    .join(', ');
}
