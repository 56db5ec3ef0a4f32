import { say, sayText } from '../../../../contract/messages/words.ts';
import { ofManyTakes, type TrashDone, type TrashPlan } from '../../../../contract/trash.ts';
import { bytesForPeople } from '../../../../contract/units.ts';
import { api } from '../../../lib/client.ts';
import { toast, toastError, toastWithUndo } from '../../../lib/toasts.ts';

/** What putting takes into the trash would do. Throws what the engine refuses. */
export const planTrash = (takeIds: readonly string[]): Promise<TrashPlan> =>
  ofManyTakes(takeIds, (ids) => api.takes.trashPlan({ ids }));

/** Puts takes into the trash and offers to restore them. Throws what the engine refuses. */
export async function trashTakes(takeIds: readonly string[]): Promise<void> {
  const done = await ofManyTakes(takeIds, (ids) => api.takes.trash({ ids }));
  if (done.takes > 0) {
    toastWithUndo(say('trash.trashed', { takes: done.takes, size: bytesForPeople(done.bytes) }), () =>
      restoreTakes(done.takeIds),
    );
  }
  toastKept(done);
}

/** Restores takes from the trash, and offers to put them there again. Throws what the engine refuses. */
export async function restoreTakes(takeIds: readonly string[]): Promise<void> {
  const done = await ofManyTakes(takeIds, (ids) => api.takes.untrash({ ids }));
  if (done.takes > 0) {
    toastWithUndo(say('trash.restored', { takes: done.takes }), () => trashTakes(done.takeIds));
  }
  toastKept(done);
}

/** Removes what is in the trash for good. Throws what the engine refuses. */
export async function emptyTrash(projectId: string): Promise<void> {
  const done = await api.takes.emptyTrash({ projectId });
  if (done.takes > 0) toast(say('trash.emptied', { takes: done.takes, size: bytesForPeople(done.bytes) }));
  toastKept(done);
}

/** Why some takes stay, each reason once. */
export function reasonsOf({ reasons }: Pick<TrashPlan, 'reasons'>): string[] {
  return [...Map.groupBy(reasons, ({ problem }) => sayText(problem))].map(([problem, those]) => {
    const [first] = those;
    return those.length === 1 && first
      ? say('trash.takeStays', { shot: first.shot, take: first.take, reason: problem })
      : say('trash.takesStay', { count: those.length, reason: problem });
  });
}

function toastKept(done: TrashDone): void {
  for (const words of reasonsOf(done)) toastError(new Error(words));
}
