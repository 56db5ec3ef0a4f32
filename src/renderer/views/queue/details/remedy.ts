import type { JobView } from '../../../../contract/job.ts';
import { isOverdue } from '../../../lib/jobs/actions.ts';

/** What to do next, where this window has a place or a button of its own for it. */
export function remedyHere(job: JobView): string {
  if (isOverdue(job)) return 'Wait longer, or stop following it. The task goes on at the service either way.';
  return job.failure?.code === 'key_refused'
    ? 'Set the right key in Settings; it goes on by itself then.'
    : (job.failure?.remedy ?? '');
}
