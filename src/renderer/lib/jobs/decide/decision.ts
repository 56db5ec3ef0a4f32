import { t } from '../../../../contract/messages/words.ts';
import { isCutOff, type JobView, type KeptAnswer, type Resolution } from '../../../../contract/job.ts';

export type Choice = Resolution['action'];

/** Why a text cannot be the id of a task of the service; null when it can. Ids are shown as one word by the service. */
export function problemOfTaskId(text: string, job: Pick<JobView, 'id' | 'requestId' | 'traceId'>): string | null {
  const id = text.trim();
  if (id === '') return t('queue.taskIdMissing');
  if (/\s/.test(id)) return t('queue.taskIdSpaces');
  if (/^https?:/i.test(id)) return t('queue.taskIdIsAddress');
  if (id.length > 200) return t('queue.taskIdTooLong');
  if (id === job.id) return t('queue.taskIdIsJob');
  if (id === job.requestId) return t('queue.taskIdIsRequest');
  if (id === job.traceId) return t('queue.taskIdIsTrace');
  return null;
}

/** Whether a person has confirmed a second charge: one by a tick, several by typing how many. */
export function isConfirmed(count: number, ticked: boolean, typed: string): boolean {
  return count === 1 ? ticked : typed.trim() === String(count);
}

/** Why a text cannot be the address of a result; null when it can. Without one, a whole kept answer is the result. */
export function problemOfAddress(text: string, kept: KeptAnswer | undefined): string | null {
  const address = text.trim();
  if (address === '' && kept) return isCutOff(kept) ? t('queue.addressNeeded') : null;
  return /^https?:\/\/\S+$/i.test(address) ? null : t('queue.addressInvalid');
}

export function resolutionFor(choice: Choice, taskId: string, address = ''): Resolution {
  switch (choice) {
    case 'attach':
      return { action: 'attach', taskId: taskId.trim() };
    case 'accept':
      return address.trim() === '' ? { action: 'accept' } : { action: 'accept', url: address.trim() };
    default:
      return { action: choice };
  }
}
