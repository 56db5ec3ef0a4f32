import { say } from '../../../contract/messages/words.ts';
import type { Command } from '../../lib/state/commands.svelte.ts';
import { unlessArchived } from '../../lib/state/projects.svelte.ts';
import type { Research, Shown } from './research.svelte.ts';

interface ResearchActions {
  readonly find: () => void;
  readonly show: (shown: Shown) => void;
  readonly copy: () => void;
  readonly open: () => void;
  readonly note: () => void;
  readonly read: () => void;
}

/** Commands for found items and for kept ones. */
export function researchCommands(research: Research, actions: ResearchActions): Command[] {
  const hasItem = (): boolean => research.item !== null;
  const hasAddress = (): boolean => Boolean(research.item?.url);
  const canKeep = (): boolean =>
    research.item !== null && research.clipping === null && !research.isKept(research.item);
  const changes = [
    { id: 'find', title: say('research.askWeb'), keys: '/', run: actions.find },
    { id: 'results', title: say('research.showResults'), keys: 'f', run: () => actions.show('results') },
    {
      id: 'keep',
      title: say('research.keepClipping'),
      keys: 'k',
      run: () => void (research.item && research.keep(research.item)),
      enabled: canKeep,
    },
    { id: 'notes', title: say('research.putIntoNotes'), keys: 'n', run: actions.note, enabled: hasItem },
    { id: 'read', title: say('research.readPage'), keys: 'r', run: actions.read, enabled: hasAddress },
    {
      id: 'delete',
      title: say('research.deleteClipping'),
      keys: 'Delete',
      run: () => void (research.clipping && research.remove(research.clipping)),
      enabled: () => research.clipping !== null,
    },
  ];
  return [
    ...changes.map(unlessArchived),
    { id: 'clippings', title: say('research.showClippings'), keys: 'c', run: () => actions.show('clippings') },
    { id: 'open', title: say('research.openAddress'), keys: 'o', run: actions.open, enabled: hasAddress },
    { id: 'copy', title: say('research.copyText'), keys: 'Shift+c', run: actions.copy, enabled: hasItem },
  ].map((command) => ({ ...command, id: `research-${command.id}`, group: 'Research' }));
}
