import type { PaidAgain } from './batch.ts';
import { say, saySentences } from './messages/words.ts';

/**
 * `3 of 4 shots are already in “night” under other keys (0002 was 0001). 3 takes would be charged again.` `plain` makes
 * names from outside safe to show.
 */
export function paidAgainInWords(paid: PaidAgain, plain: (name: string) => string = (name) => name): string {
  const { shots, ofShots, takes } = paid;
  const where = { shots, ofShots, batch: plain(paid.batch) };
  const made =
    paid.reason === 'other_batch'
      ? say('start.madeAlready', where)
      : say('start.madeUnderOtherKeys', {
          ...where,
          ...{ shot: plain(paid.example.shot), madeAs: plain(paid.example.madeAs) },
        });
  return takes === 0 ? made : saySentences(made, say('start.paidAgain', { count: takes }));
}
