import type { Command } from '../../lib/state/commands.svelte.ts';
import type { JobActions } from '../../lib/jobs/job-actions.svelte.ts';
import { groups, type GroupName } from './rows/groups.ts';

/** Keys of the queue. None of them is the second key of a sequence such as `g r`: both would be heard. */
export const queueKeys = {
  retry: 't',
  decide: 'd',
  hold: 'h',
  cancel: 'x',
  sendFirst: 'Alt+ArrowUp',
  sendLast: 'Alt+ArrowDown',
  sendInOrder: 'Alt+Home',
  details: 'i',
  filter: '/',
} as const;

interface QueueDoings {
  readonly actions: JobActions;
  readonly show: (group: GroupName) => void;
  readonly focusFilter: () => void;
  readonly toggleDetails: () => void;
  readonly hasActive: () => boolean;
}

/** What can be done in the queue, for keys, palette and key sheet. */
export function queueCommands({ actions, show, focusFilter, toggleDetails, hasActive }: QueueDoings): Command[] {
  const group = 'Queue';
  return [
    ...groups.map(({ name, title }, index) => ({
      id: `queue-${name}`,
      title: `Show: ${title.toLowerCase()}`,
      group,
      keys: String(index + 1),
      run: () => show(name),
    })),
    { id: 'queue-filter', title: 'Filter rows', group, keys: queueKeys.filter, run: focusFilter },
    {
      id: 'queue-details',
      title: 'Show or hide details',
      group,
      keys: queueKeys.details,
      run: toggleDetails,
      enabled: hasActive,
    },
    {
      id: 'queue-decide',
      title: 'Decide what may have been charged',
      group,
      keys: queueKeys.decide,
      run: () => actions.decide(),
      enabled: () => actions.allowed.decide.length > 0,
    },
    {
      id: 'queue-retry',
      title: 'Try again',
      group,
      keys: queueKeys.retry,
      run: () => actions.retry(),
      enabled: () => actions.allowed.retry.length > 0,
    },
    {
      id: 'queue-hold',
      title: 'Hold back, or let go on',
      group,
      keys: queueKeys.hold,
      run: () => void actions.hold(),
      enabled: () => actions.allowed.hold.length + actions.allowed.release.length > 0,
    },
    {
      id: 'queue-first',
      title: 'Send first',
      group,
      keys: queueKeys.sendFirst,
      run: () => void actions.sendFirst(),
      enabled: () => actions.allowed.move.length > 0,
    },
    {
      id: 'queue-last',
      title: 'Send last',
      group,
      keys: queueKeys.sendLast,
      run: () => void actions.sendLast(),
      enabled: () => actions.allowed.move.length > 0,
    },
    {
      id: 'queue-in-order',
      title: 'Send where the list has it',
      group,
      keys: queueKeys.sendInOrder,
      run: () => void actions.sendInOrder(),
      enabled: () => actions.allowed.move.length > 0,
    },
    {
      id: 'queue-cancel',
      title: 'Cancel takes',
      group,
      keys: queueKeys.cancel,
      run: () => actions.cancel(),
      enabled: () => actions.allowed.cancel.length > 0,
    },
  ];
}
