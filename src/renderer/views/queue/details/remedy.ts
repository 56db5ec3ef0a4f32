import type { JobView } from '../../../../contract/job.ts';
import { isOverdue } from '../actions/wishes.ts';

/** What to do next, in this window: the engine's own sentence names commands where the window has buttons. */
export function remedyHere(job: JobView): string {
  if (isOverdue(job)) return 'Wait longer, or stop following it. The task goes on at the service either way.';
  switch (job.state) {
    case 'submit_unknown':
      return 'Look for it on the service’s own pages, then decide what becomes of it.';
    case 'download_blocked':
      return 'The result is paid for and fetching it again is free: clear the cause, then try again.';
    default:
      return job.failure?.code === 'key_refused'
        ? 'Set the right key in Settings; it goes on by itself then.'
        : (job.failure?.remedy ?? '');
  }
}
