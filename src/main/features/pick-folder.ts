import type { BrowserWindow, Dialog, OpenDialogOptions } from 'electron';
import type { FolderRequest } from '../../contract/desktop.ts';

export interface PickFolderParts {
  readonly dialog: Pick<Dialog, 'showOpenDialog'>;
  readonly window: () => BrowserWindow | null;
}

/** Has the person choose a folder, in a dialogue of the window. Null when they choose none. */
export async function pickFolder({ dialog, window }: PickFolderParts, request: FolderRequest): Promise<string | null> {
  const options: OpenDialogOptions = {
    title: request.title,
    // A Mac shows no title.
    message: request.title,
    properties: ['openDirectory', 'createDirectory', 'promptToCreate'],
    ...(request.action !== undefined && { buttonLabel: request.action }),
    ...(request.start !== undefined && { defaultPath: request.start }),
  };
  const parent = window();
  const { canceled, filePaths } = await (parent
    ? dialog.showOpenDialog(parent, options)
    : dialog.showOpenDialog(options));
  return canceled ? null : (filePaths[0] ?? null);
}
