import type { Command } from '../../lib/state/commands.svelte.ts';

interface LibraryDoings {
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

/** What can be done in the library. None of the keys is the second of a sequence such as `g r`: both would be heard. */
export function libraryCommands(doings: LibraryDoings): Command[] {
  const group = 'Library';
  const enabled = doings.hasActive;
  return [
    { id: 'library-upload', title: 'Upload files', group, keys: 'u', run: doings.upload },
    { id: 'library-address', title: 'Add an asset from a web address', group, keys: 'a', run: doings.addAddress },
    { id: 'library-group', title: 'New group', group, keys: 'n', run: doings.newGroup },
    { id: 'library-sync', title: 'Sync with the service', group, keys: 'y', run: doings.sync },
    { id: 'library-find', title: 'Find assets', group, keys: '/', run: doings.find },
    { id: 'library-copy', title: 'Copy the reference of the asset', group, keys: 'c', run: doings.copy, enabled },
    { id: 'library-hide', title: 'Hide the asset, or show it again', group, keys: 'h', run: doings.hide, enabled },
    { id: 'library-close', title: 'Close the details', group, keys: 'Escape', run: doings.close, enabled },
  ];
}
