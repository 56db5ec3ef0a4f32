import type { Counts } from './job.ts';
import { say } from './messages/words.ts';

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
