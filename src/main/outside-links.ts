import type { Dialog, Shell } from 'electron';
import type { Logger } from '../engine/base/ports.ts';
import { say } from '../contract/messages/words.ts';

export interface OutsideParts {
  readonly dialog: Pick<Dialog, 'showMessageBox'>;
  readonly shell: Pick<Shell, 'openExternal'>;
  readonly logger: Logger;
}

/**
 * The address a link leads to outside, or null when it is none to follow: https alone, with nothing in it that makes it
 * look like another one. Pure.
 */
export function outsideAddress(text: string): URL | null {
  const url = URL.parse(text);
  if (url === null || url.protocol !== 'https:' || url.username !== '' || url.password !== '') return null;
  return url;
}

/**
 * Opens links that lead outside, after the person has read where to and agreed. Texts of lists and services are shown in
 * the window, so that no link in it can be taken for one of ours.
 */
export function createOpenOutside({ dialog, shell, logger }: OutsideParts): (address: string) => void {
  let asking = false;
  const ask = async (url: URL): Promise<void> => {
    const { response } = await dialog.showMessageBox({
      type: 'question',
      message: say('desktop.openInBrowser', { host: url.host }),
      detail: url.href.length > 500 ? `${url.href.slice(0, 500)}…` : url.href,
      buttons: [say('common.open'), say('common.cancel')],
      defaultId: 1,
      cancelId: 1,
    });
    if (response === 0) await shell.openExternal(url.href);
  };
  return (address) => {
    const url = outsideAddress(address);
    // One question at a time: a page must not be able to cover the screen with them.
    if (!url || asking) return;
    asking = true;
    ask(url)
      .catch((error: unknown) => logger.warn('A link could not be opened', { reason: String(error) }))
      .finally(() => {
        asking = false;
      });
  };
}
