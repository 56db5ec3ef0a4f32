import type { BrowserWindow, Dialog, OpenDialogOptions } from 'electron';
import type { FolderWish } from '../../contract/desktop.ts';

export interface PickFolderParts {
  readonly dialog: Pick<Dialog, 'showOpenDialog'>;
  readonly window: () => BrowserWindow | null;
}

/** Has the person choose a folder, in a dialogue of the window. Null when they choose none. */
export async function pickFolder({ dialog, window }: PickFolderParts, wish: FolderWish): Promise<string | null> {
  const options: OpenDialogOptions = {
    title: wish.title,
    // A Mac shows no title.
    message: wish.title,
    properties: ['openDirectory', 'createDirectory', 'promptToCreate'],
    ...(wish.action !== undefined && { buttonLabel: wish.action }),
    ...(wish.start !== undefined && { defaultPath: wish.start }),
  };
  const parent = window();
  const { canceled, filePaths } = await (parent
    ? dialog.showOpenDialog(parent, options)
    : dialog.showOpenDialog(options));
  return canceled ? null : (filePaths[0] ?? null);
}
