import { say } from '../../../contract/messages/words.ts';
import type { Command } from '../../lib/state/commands.svelte.ts';

interface LibraryActions {
  readonly upload: () => void;
  readonly addAddress: () => void;
  readonly newGroup: () => void;
  readonly sync: () => void;
  readonly find: () => void;
  readonly copy: () => void;
  readonly hide: () => void;
  readonly close: () => void;
  readonly hasActive: () => boolean;
}

/** The commands of the library. None of the keys is the second of a sequence such as `g r`: both would run. */
export function libraryCommands(actions: LibraryActions): Command[] {
  const group = 'Library';
  const enabled = actions.hasActive;
  return [
    { id: 'library-upload', title: say('library.uploadFiles'), group, keys: 'u', run: actions.upload },
    { id: 'library-address', title: say('library.addAddressCommand'), group, keys: 'a', run: actions.addAddress },
    { id: 'library-group', title: say('library.newGroup'), group, keys: 'n', run: actions.newGroup },
    { id: 'library-sync', title: say('library.syncWithService'), group, keys: 'y', run: actions.sync },
    { id: 'library-find', title: say('library.findAssets'), group, keys: '/', run: actions.find },
    { id: 'library-copy', title: say('library.copyReferenceCommand'), group, keys: 'c', run: actions.copy, enabled },
    { id: 'library-hide', title: say('library.hideCommand'), group, keys: 'h', run: actions.hide, enabled },
    { id: 'library-close', title: say('common.closeDetails'), group, keys: 'Escape', run: actions.close, enabled },
  ];
}
