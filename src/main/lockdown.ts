import { dialog, shell, type App, type BrowserWindow, type IpcMainEvent, type Session } from 'electron';
import { t } from '../contract/messages/words.ts';
import type { Logger } from '../engine/base/ports.ts';

/** The scheme of our own pages. It leads to this program and nowhere else. */
export const SCHEME = 'dailies';

export const ORIGIN = `${SCHEME}://app`;

export function isOurs(address: string): boolean {
  const url = URL.parse(address);
  // Not `origin`: outside of Chromium it is "null" for schemes of one's own.
  return (
    url !== null && url.protocol === `${SCHEME}:` && url.host === 'app' && url.username === '' && url.password === ''
  );
}

/** Whether a message is of the main frame of our one window, at our own address: not of a frame inside it, nor another. */
export function isOfOurPage(
  { sender, senderFrame }: Pick<IpcMainEvent, 'sender' | 'senderFrame'>,
  window: Pick<BrowserWindow, 'webContents'> | null,
): boolean {
  return (
    sender === window?.webContents && senderFrame !== null && senderFrame.parent === null && isOurs(senderFrame.url)
  );
}

/** What our page asks the system's leave for, and gets: its "Copy" buttons, and films over the whole screen. */
const GRANTED = ['clipboard-sanitized-write', 'fullscreen'];

export function mayDo(permission: string, address: string | undefined): boolean {
  return GRANTED.includes(permission) && address !== undefined && isOurs(address);
}

/**
 * Whether anything may be loaded from an address: ours, those made by a page itself, and the developer's tools. Pure.
 */
export function mayLoad(address: string): boolean {
  const scheme = URL.parse(address)?.protocol;
  return isOurs(address) || address.startsWith(`blob:${ORIGIN}/`) || scheme === 'data:' || scheme === 'devtools:';
}

/** Whether a window may be at an address: there is one page, which moves between views by the fragment of its own. Pure. */
export function mayBeAt(address: string): boolean {
  return isOurs(address) && new URL(address).pathname === '/';
}

/** The one thing a page of ours has people save: a list that it has written itself. Pure. */
export function mayBeSaved(address: string): boolean {
  return address.startsWith(`blob:${ORIGIN}/`);
}

export function lockSession(session: Session): void {
  session.setPermissionRequestHandler((_contents, permission, decide, { requestingUrl, isMainFrame }) => {
    decide(isMainFrame && mayDo(permission, requestingUrl));
  });
  session.setPermissionCheckHandler((_contents, permission, origin) => mayDo(permission, origin));
  session.setDevicePermissionHandler(() => false);
  // A second barrier behind the content policy: no page sends anything to the outside.
  session.webRequest.onBeforeRequest(({ url }, decide) => decide({ cancel: !mayLoad(url) }));
  session.on('will-download', (event, item) => {
    if (!mayBeSaved(item.getURL())) event.preventDefault();
  });
  // Its dictionaries would be fetched from elsewhere.
  session.setSpellCheckerEnabled(false);
}

/** Keeps every page where it is: no other addresses, no further windows, no guests inside. */
export function lockContents(app: App, openOutside: (address: string) => void): void {
  const stay = (event: { url: string; preventDefault(): void }): void => {
    if (!mayBeAt(event.url)) event.preventDefault();
  };
  app.on('web-contents-created', (_event, contents) => {
    contents.setWindowOpenHandler(({ url }) => {
      openOutside(url);
      return { action: 'deny' };
    });
    contents.on('will-navigate', stay);
    contents.on('will-frame-navigate', stay);
    contents.on('will-redirect', stay);
    contents.on('will-attach-webview', (event) => event.preventDefault());
  });
}

/** To be registered before the app is ready: our scheme behaves as https does, without further powers. */
export const schemes = [
  {
    scheme: SCHEME,
    privileges: { standard: true, secure: true, supportFetchAPI: true, stream: true, codeCache: true },
  },
];

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
export function createOpenOutside(logger: Logger): (address: string) => void {
  let asking = false;
  const ask = async (url: URL): Promise<void> => {
    const { response } = await dialog.showMessageBox({
      type: 'question',
      message: t('desktop.openInBrowser', { host: url.host }),
      detail: url.href.length > 500 ? `${url.href.slice(0, 500)}…` : url.href,
      buttons: [t('common.open'), t('common.cancel')],
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

/** Set it to 1 to run without a sandbox and take the risk, for example in a container. */
const WITHOUT_SANDBOX = 'DAILIES_NO_SANDBOX';

/**
 * Whether the packaged app was started without Chromium's sandbox, and not on purpose: an AppImage does so where the
 * system forbids a sandbox. Call it before `enableSandbox`, which removes the switch but cannot add the sandbox.
 */
export function isWithoutSandbox(app: Pick<App, 'commandLine' | 'isPackaged'>, env: NodeJS.ProcessEnv): boolean {
  return app.isPackaged && app.commandLine.hasSwitch('no-sandbox') && env[WITHOUT_SANDBOX] !== '1';
}

export const withoutSandbox = (): string => t('desktop.noSandbox', { variable: WITHOUT_SANDBOX });
