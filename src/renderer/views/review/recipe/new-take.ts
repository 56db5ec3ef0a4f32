import type { TakeChanges } from '../../../../contract/review.ts';
import { api } from '../../../lib/client.ts';
import { navigation } from '../../../lib/state/navigation.svelte.ts';
import { tell } from '../../../lib/toasts.ts';
import { takeName } from '../words.ts';

/** Queues another take of a shot and says where it goes. Throws what the engine refuses; nothing is queued then. */
export async function queueTake(takeId: string, changes: TakeChanges = { cells: {} }): Promise<void> {
  const made = await api.takes.another({ takeId, changes });
  tell(`Queued ${takeName(made)}, before everything else.`, {
    label: 'Show queue',
    run: () => navigation.go('queue'),
  });
}
