import type { Counts } from './job.ts';
import { say, saySentences } from './messages/words.ts';
import type { TimeSpan } from './time-span.ts';
import type { PaidAgain } from './batch.ts';

/** `24 saved, 2 failed, 1 needs a decision`, without what there is none of. */
export function countsInWords({ saved, failed, unknown, cancelled, unfinished }: Counts): string {
  const parts = [
    saved > 0 && say('common.countSaved', { count: saved }),
    failed > 0 && say('common.countFailed', { count: failed }),
    unknown > 0 && say('common.countNeedDecision', { count: unknown }),
    cancelled > 0 && say('common.countCancelled', { count: cancelled }),
    unfinished > 0 && say('common.countUnfinished', { count: unfinished }),
  ];
  return parts.filter((part) => part !== false).join(say('common.listSeparator'));
}

const MINUTE = 60_000;

/** A length as exact as it can be known: `2 h 10 min`. */
function roundedLength(ms: number): string {
  const step = ms < 60 * MINUTE ? 1 : ms < 360 * MINUTE ? 5 : 15;
  const minutes = Math.max(1, Math.round(ms / MINUTE / step) * step);
  const hours = Math.floor(minutes / 60);
  return say('time.lengthOf', { days: Math.floor(hours / 24), hours: hours % 24, minutes: minutes % 60 }).trim();
}

/** `2 h 10 min (1 h 40 min – 3 h)`; without the span where it is within what is rounded. */
export function spanInWords({ early, usual, late }: TimeSpan): string {
  if (late < MINUTE) return say('time.seconds', { seconds: Math.max(0, Math.round(usual / 1000)) });
  const [from, length, to] = [early, usual, late].map(roundedLength) as [string, string, string];
  return from === to ? length : say('time.span', { length, from, to });
}

/**
 * `3 of 4 shots are already in “night” under other keys (0002 was 0001). 3 takes would be charged again.` `plain` makes
 * names from outside safe to show.
 */
export function paidAgainInWords(paid: PaidAgain, plain: (name: string) => string = (name) => name): string {
  const { shots, ofShots, takes } = paid;
  const where = { shots, ofShots, batch: plain(paid.batch) };
  const made = paid.reason === 'other_batch' ? say('start.madeAlready', where) : madeInWords(paid, where, plain);
  return takes === 0 ? made : saySentences(made, say('start.paidAgain', { count: takes }));
}

type MadeRows = PaidAgain & { readonly reason: 'moved_rows' | 'made_elsewhere' };

function madeInWords(
  { reason, example }: MadeRows,
  where: { readonly shots: number; readonly ofShots: number; readonly batch: string },
  plain: (name: string) => string,
): string {
  const facts = { ...where, shot: plain(example.shot), madeAs: plain(example.madeAs) };
  return say(reason === 'moved_rows' ? 'start.madeUnderOtherKeys' : 'start.madeElsewhere', facts);
}
