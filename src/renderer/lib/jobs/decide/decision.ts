import type { JobView, Resolution } from '../../../../contract/job.ts';

export type Choice = Resolution['action'];

/** Why a text cannot be the id of a task of the service; null when it can. Ids are shown as one word by the service. */
export function problemOfTaskId(text: string, job: Pick<JobView, 'id' | 'requestId' | 'traceId'>): string | null {
  const id = text.trim();
  if (id === '') return 'Give the id of the task, as the service’s own pages show it.';
  if (/\s/.test(id)) return 'An id is one word: copy it without blanks or line breaks.';
  if (/^https?:/i.test(id)) return 'This is an address. Copy the id of the task alone.';
  if (id.length > 200) return 'This is too long for an id.';
  if (id === job.id) return 'This is the id of the take here, not of the task at the service.';
  if (id === job.requestId) return 'This is the id of the request. The task has another one.';
  if (id === job.traceId) return 'This is the id of the trace. The task has another one.';
  return null;
}

/** Whether a person has confirmed a second charge: one by a tick, several by typing how many. */
export function isConfirmed(count: number, ticked: boolean, typed: string): boolean {
  return count === 1 ? ticked : typed.trim() === String(count);
}

/** Why a text cannot be the address of a result; null when it can. Without one the kept answer itself is the result. */
export function problemOfAddress(text: string): string | null {
  const address = text.trim();
  return address === '' || /^https?:\/\/\S+$/i.test(address)
    ? null
    : 'An address begins with https:// and has no blanks.';
}

export function resolutionOf(choice: Choice, taskId: string, address = ''): Resolution {
  switch (choice) {
    case 'attach':
      return { action: 'attach', taskId: taskId.trim() };
    case 'accept':
      return address.trim() === '' ? { action: 'accept' } : { action: 'accept', url: address.trim() };
    default:
      return { action: choice };
  }
}
