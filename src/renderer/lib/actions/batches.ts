import type { BatchView } from '../../../contract/batch.ts';
import { say } from '../../../contract/messages/words.ts';
import { act } from '../act.ts';
import { openList } from '../lists.ts';
import { toastError } from '../toasts.ts';

export const archiveBatch = ({ id }: BatchView): Promise<unknown> =>
  act('batches.archive', { batchId: id }).catch(toastError);

export const unarchiveBatch = ({ id }: BatchView): Promise<unknown> =>
  act('batches.unarchive', { batchId: id }).catch(toastError);

/** Opens the shots of a batch as a list that becomes another one, without takes. */
export async function duplicateBatch({ id, projectId, name }: BatchView): Promise<void> {
  const copyAs = say('batch.copyName', { batch: name.slice(0, 150) });
  await openList(projectId, { type: 'batch', batchId: id, copyAs }).catch(toastError);
}
