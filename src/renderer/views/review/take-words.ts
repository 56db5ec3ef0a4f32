import { say } from '../../../contract/messages/words.ts';
import type { TakeView, VerdictChange } from '../../../contract/review.ts';
import type { TakeLink } from '../../../contract/take.ts';

/** Names a take for people: `010 · take 2`. */
export const takeName = ({ shot, take }: Pick<TakeView, 'shot' | 'take'>): string =>
  say('review.takeName', { shot, take });

/** Names a take that another one of `shot` came from, or went into: `take 2`, `010 · take 1, file 2`. */
export function linkName({ shot, take, output }: TakeLink, ofShot: string): string {
  if (shot === undefined || take === undefined) return say('review.takeUnknown');
  const name = shot === ofShot ? say('review.takeOfSameShot', { take }) : takeName({ shot, take });
  return output === undefined || output === 1 ? name : say('review.takeWithFile', { take: name, file: output });
}

export function verdictWords({ rating, flag, note, addTags = [], removeTags = [] }: VerdictChange): string {
  if (rating !== undefined) return rating === 0 ? say('review.verdictUnrated') : say('review.stars', { stars: rating });
  if (note !== undefined) return note === '' ? say('review.verdictNoteRemoved') : say('review.verdictNoted');
  if (addTags.length + removeTags.length > 0) {
    const change = addTags.length === 0 ? 'removed' : removeTags.length === 0 ? 'added' : 'both';
    return say('review.verdictTagged', { change, added: [...addTags], removed: [...removeTags] });
  }
  if (flag === 'pick') return say('review.verdictPicked');
  return flag === 'reject' ? say('review.verdictRejected') : say('review.verdictUnflagged');
}
