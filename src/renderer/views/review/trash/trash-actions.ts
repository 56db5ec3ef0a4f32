import { t } from '../../../../contract/messages/words.ts';
import {
  askInParts,
  LYING_IN_TRASH,
  TAKES_AT_ONCE,
  type TrashDone,
  type TrashPlan,
} from '../../../../contract/trash.ts';
import { bytesForPeople } from '../../../../contract/units.ts';
import { act, actEach } from '../../../lib/act.ts';
import { api } from '../../../lib/client.ts';
import { toast, toastError, toastProgress } from '../../../lib/toasts.ts';

/** The plan for putting takes into the trash. Throws the engine's refusal. */
export async function planTrash(takeIds: readonly string[]): Promise<TrashPlan> {
  let plan: TrashPlan = { ...NOTHING };
  for await (const { sum } of askInParts(takeIds, (ids) => api.takes.trashPlan({ ids }))) plan = sum;
  return plan;
}

const NOTHING = { takes: 0, files: 0, bytes: 0, picks: 0, unjudged: 0, uploaded: 0, kept: 0, reasons: [] };

/** Puts takes into the trash, with Undo. Throws the engine's refusal. */
export const trashTakes = (takeIds: readonly string[]): Promise<void> =>
  move('takes.trash', takeIds, ({ takes, bytes }) => t('trash.trashed', { takes, size: bytesForPeople(bytes) }));

/** Restores takes from the trash, with Undo. Throws the engine's refusal. */
export const restoreTakes = (takeIds: readonly string[]): Promise<void> =>
  move('takes.untrash', takeIds, ({ takes }) => t('trash.restored', { takes }));

/** Removes the files in a project's trash for good. Throws the engine's refusal. */
export const emptyTrash = async (projectId: string): Promise<void> =>
  move('takes.emptyTrash', await api.takes.ids({ projectId, text: LYING_IN_TRASH, sort: 'list' }), ({ takes, bytes }) =>
    t('trash.emptied', { takes, size: bytesForPeople(bytes) }),
  );

/**
 * So many take their time: the window is free, and a toast shows the progress. Takes moved before a stop stay moved.
 */
async function move(
  name: 'takes.trash' | 'takes.untrash' | 'takes.emptyTrash',
  takeIds: readonly string[],
  did: (done: Pick<TrashDone, 'takes' | 'bytes'>) => string,
): Promise<void> {
  const words = (all: readonly { readonly result: TrashDone }[]): string =>
    did({
      takes: all.reduce((sum, { result }) => sum + result.takes, 0),
      bytes: all.reduce((sum, { result }) => sum + result.bytes, 0),
    });
  const total = takeIds.length;
  if (total <= TAKES_AT_ONCE) {
    await act(name, { ids: [...takeIds] }, { words });
    return;
  }
  let asked = 0;
  let isStopped = false;
  const soFar = () => t('trash.progress', { way: name.slice('takes.'.length), asked, total });
  const toasted = toastProgress(soFar(), () => (isStopped = true));
  function* parts(): Generator<{ ids: string[] }> {
    for (; asked < total && !isStopped; asked = Math.min(total, asked + TAKES_AT_ONCE)) {
      toasted.show(soFar());
      yield { ids: takeIds.slice(asked, asked + TAKES_AT_ONCE) };
    }
  }
  void actEach(name, parts(), { words })
    .catch(toastError)
    .finally(() => {
      toasted.close();
      if (asked < total) toast(t('trash.left', { left: total - asked }));
    });
}
