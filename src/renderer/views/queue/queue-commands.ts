import { say } from '../../../contract/messages/words.ts';
import type { JobView } from '../../../contract/job.ts';
import type { Actions } from '../../lib/jobs/actions.ts';
import type { Command } from '../../lib/state/commands.svelte.ts';
import type { JobActions } from '../../lib/jobs/job-actions.svelte.ts';
import { groups, type GroupName } from './rows/groups.ts';

interface QueueActions {
  readonly actions: JobActions;
  readonly show: (group: GroupName) => void;
  readonly focusFilter: () => void;
  readonly toggleDetails: () => void;
  readonly hasActive: () => boolean;
}

/**
 * The commands of the queue, for keys, palette, key sheet and the bar of actions. No key is the second one of a
 * sequence such as `g r`: both would run.
 */
export function queueCommands({ actions, show, focusFilter, toggleDetails, hasActive }: QueueActions): Command[] {
  const group = 'Queue' as const;
  const withChosen = (
    id: string,
    title: string,
    keys: string,
    run: () => unknown,
    jobs: (allowed: Actions) => readonly JobView[],
  ): Command => {
    const enabled = () => jobs(actions.allowed).length > 0;
    return { id: `queue-${id}`, title, group, keys, run: () => void run(), enabled };
  };
  return [
    ...groups.map(({ name, title }, index) => ({
      id: `queue-${name}`,
      title: say('queue.showGroup', { group: title }),
      group,
      keys: String(index + 1),
      run: () => show(name),
    })),
    { id: 'queue-filter', title: say('queue.filterRows'), group, keys: '/', run: focusFilter },
    {
      id: 'queue-details',
      title: say('queue.toggleDetails'),
      group,
      keys: 'i',
      run: toggleDetails,
      enabled: hasActive,
    },
    withChosen(
      'decide',
      say('queue.decideCommand'),
      'd',
      () => actions.decide(),
      ({ decide }) => decide,
    ),
    withChosen(
      'retry',
      say('common.tryAgain'),
      't',
      () => actions.retry(),
      ({ retry }) => retry,
    ),
    withChosen(
      'hold',
      say('queue.holdOrRelease'),
      'h',
      () => actions.hold(),
      ({ hold, release }) => [...hold, ...release],
    ),
    withChosen(
      'first',
      say('queue.sendFirst'),
      'Alt+ArrowUp',
      () => actions.sendFirst(),
      ({ move }) => move,
    ),
    withChosen(
      'last',
      say('queue.sendLast'),
      'Alt+ArrowDown',
      () => actions.sendLast(),
      ({ move }) => move,
    ),
    withChosen(
      'in-order',
      say('common.restoreOrder'),
      'Alt+Home',
      () => actions.sendInOrder(),
      ({ move }) => move,
    ),
    withChosen(
      'cancel',
      say('queue.cancelTakes'),
      'x',
      () => actions.cancel(),
      ({ cancel }) => cancel,
    ),
  ];
}
