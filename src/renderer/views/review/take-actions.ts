import { t, saySentences } from '../../../contract/messages/words.ts';
import { takeName } from './take-words.ts';
import { windowFor, type Hours } from '../../../contract/night-window.ts';
import { timeInWords } from '../../../contract/in-words.ts';
import { whyUnsent } from '../../lib/actions.svelte.ts';
import {
  MAX_CARRIED,
  type Derivation,
  type MoreTakes,
  type TakeView,
  type TakeChanges,
} from '../../../contract/review.ts';
import { api } from '../../lib/client.ts';
import { copyText, toastError } from '../../lib/toasts.ts';
import { act } from '../../lib/act.ts';

export async function copyPaths(takes: readonly Pick<TakeView, 'id' | 'outputs'>[]): Promise<void> {
  const ids = takes.filter(({ outputs }) => outputs.length > 0).map(({ id }) => id);
  if (ids.length > MAX_CARRIED) {
    toastError(new Error(t('review.copyPathsLimit', { most: MAX_CARRIED })));
    return;
  }
  try {
    const { paths } = await api.desktop.paths({ ids });
    await copyText(paths.join('\n'), t('review.pathsCopied', { count: paths.length }));
  } catch (error) {
    toastError(error);
  }
}

/**
 * Queues another take of a shot, with Undo. Put off until tonight where hours say so, or its window is closed. Throws the
 * engine's refusal; nothing is queued then.
 */
export async function queueTake(
  take: Pick<TakeView, 'id' | 'projectId' | 'batchId'>,
  changes: TakeChanges = { cells: {} },
  derivation?: Derivation,
  hours?: Hours,
): Promise<void> {
  const window = hours ? undefined : windowFor(take, await api.windows.list());
  const tonight = window?.isOpen === false ? window.window : hours;
  const words = async ([queued]: readonly { readonly result: TakeView }[]): Promise<string> =>
    queued
      ? saySentences(t('review.takeQueued', { take: takeName(queued.result) }), await whenSent(queued.result, tonight))
      : '';
  await act(
    'takes.another',
    { takeId: take.id, changes, ...(derivation && { derivation }), ...(tonight && { tonight }) },
    { words },
  );
}

async function whenSent(take: TakeView, tonight: Hours | undefined): Promise<string> {
  const { at } = tonight ? await api.takes.tonight({ projectId: take.projectId }) : { at: null };
  if (at !== null) return t('when.waits', { time: timeInWords(at) });
  return (await whyUnsent(take)) || t('review.takeSentNext');
}

/** Queues takes that are made otherwise, with Undo. Throws the engine's refusal; nothing is queued then. */
export async function queueMore(wanted: Pick<MoreTakes, 'ids' | 'how'> & Partial<MoreTakes>): Promise<void> {
  const input = { note: '', changes: { cells: {} }, own: {}, count: 1, onlyMissing: false, ...wanted };
  await act('takes.more', input, {
    async words([done]) {
      const [first] = done?.result ?? [];
      if (!done || !first) return '';
      const queued = t('review.takesQueued', { count: done.result.length });
      return saySentences(queued, await whenSent(first, wanted.tonight));
    },
  });
}
