import type { Counts } from '../../contract/job.ts';
import { standings, standingWords } from './words.ts';

/** What there is in a queue in which nothing is under way: what needs the person, else how it ended. */
export function idleWords(counts: Counts): string {
  if (counts.unknown > 0)
    return `${counts.unknown.toLocaleString('en')} ${counts.unknown === 1 ? 'needs' : 'need'} a decision`;
  const ends = countsInWords(counts);
  return ends === '' ? 'Nothing in the queue' : `All settled: ${ends}`;
}

/** `2 failed, 40 saved`: in the order in which a person wants to hear of them. */
export function countsInWords(counts: Counts): string {
  return standings
    .filter((standing) => counts[standing] > 0)
    .map((standing) => `${counts[standing].toLocaleString('en')} ${standingWords[standing].afterNumber}`)
    .join(', ');
}
