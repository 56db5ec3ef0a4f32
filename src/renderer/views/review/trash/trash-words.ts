import { say } from '../../../../contract/messages/words.ts';
import type { TrashState } from '../../../../contract/trash.ts';

/** Where the files of a take are. */
export const trashWords = (state: TrashState): string =>
  say(state === 'trashed' ? 'trash.inTrash' : 'trash.removedFromTrash');
