import { t } from '../../../contract/messages/words.ts';
import type { TakeView, VerdictChange } from '../../../contract/review.ts';
import type { TakeLink } from '../../../contract/take.ts';

/** Names a take for people: `010 · take 2`. */
export const takeName = ({ shot, take }: Pick<TakeView, 'shot' | 'take'>): string =>
  t('review.takeName', { shot, take });

/** Names a take that another one of `shot` came from, or went into: `take 2`, `010 · take 1, file 2, frame 47`. */
export function linkName({ shot, take, output, frame }: TakeLink, ofShot: string): string {
  if (shot === undefined || take === undefined) return t('review.takeUnknown');
  const name = shot === ofShot ? t('common.takeNumber', { take: String(take) }) : takeName({ shot, take });
  const file = output === undefined || output === 1 ? name : t('review.takeWithFile', { take: name, file: output });
  return frame === undefined ? file : t('review.takeWithFrame', { take: file, frame });
}

export const isMadeOtherwise = ({ how }: Pick<TakeLink, 'how'>): boolean => how === 'retake' || how === 'final';

export function verdictWords(change: VerdictChange): string {
  const { rating, flag, note, addTags = [], removeTags = [], marks = [], addNotes = [], removeNotes = [] } = change;
  if (rating !== undefined) return rating === 0 ? t('review.notRated') : t('review.stars', { stars: rating });
  if (note !== undefined) return note === '' ? t('review.verdictNoteRemoved') : t('review.verdictNoted');
  if (addNotes.length + removeNotes.length > 0)
    return t(addNotes.length > 0 ? 'review.verdictNoted' : 'review.verdictNoteRemoved');
  if (marks.length > 0) {
    const isSet = marks.some((each) => (each.in ?? each.out ?? null) !== null);
    return t(isSet ? 'review.verdictMarked' : 'review.verdictUnmarked');
  }
  if (addTags.length + removeTags.length > 0) {
    const how = addTags.length === 0 ? 'removed' : removeTags.length === 0 ? 'added' : 'both';
    return t('review.verdictTagged', { change: how, added: [...addTags], removed: [...removeTags] });
  }
  if (flag === 'pick') return t('review.picked');
  if (flag === 'alternate') return t('review.alternate');
  return flag === 'reject' ? t('review.rejected') : t('review.noFlag');
}
