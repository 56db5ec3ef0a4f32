import { app, BrowserWindow, type BrowserWindowConstructorOptions, dialog, nativeTheme, type Session } from 'electron';
import { LANGUAGE_PARAMETER } from '../contract/bridge.ts';
import { type Language, languageFor } from '../contract/messages/languages.ts';
import type { Clock, Logger } from '../engine/base/ports.ts';
import { readSettings } from '../host/settings-file.ts';
import { ORIGIN } from './lockdown.ts';
import { t } from '../contract/messages/words.ts';

/** A page that crashes again within this time is not loaded a third time by itself, ms. */
const CRASH_MEMORY_MS = 60_000;
/** Without a word of its page, a window is shown after this time all the same, ms. */
const UNSEEN_LIMIT_MS = 3000;
/** A page that does not let its window close within this time is not asked any longer, ms. */
const CLOSE_LIMIT_MS = 3000;

interface WindowParts {
  readonly session: Session;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly preload: string;
  /** Whether its own button only hides it, since it must be there for the system to speak to. */
  readonly hidesOnClose: () => boolean;
}

/** The backgrounds before the page is loaded: the page's own. */
const GROUND = { dark: '#141414', light: '#fafafa' } as const;

/** Options of the one window. Everything that our pages do not need is off, whatever its default. */
export function windowOptions(session: Session, preload: string): BrowserWindowConstructorOptions {
  return {
    // Size, place and whether it is maximised are stored under this name, and corrected when a screen is gone.
    name: 'main',
    windowStatePersistence: true,
    width: 1440,
    height: 900,
    minWidth: 1024,
    minHeight: 640,
    title: 'Dailies',
    backgroundColor: GROUND[nativeTheme.shouldUseDarkColors ? 'dark' : 'light'],
    show: false,
    webPreferences: {
      session,
      preload,
      // The developer's tools are for those who build the app.
      devTools: !app.isPackaged,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInSubFrames: false,
      nodeIntegrationInWorker: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      experimentalFeatures: false,
      webviewTag: false,
      plugins: false,
      navigateOnDragDrop: false,
      spellcheck: false,
    },
  };
}

/** The one window, made while the engine starts, shown once that works and the page is painted: never white. */
export class MainWindow {
  readonly #parts: WindowParts;
  #window: BrowserWindow | null = null;
  #painted = false;
  #allowed = false;
  #crashedAt = Number.NEGATIVE_INFINITY;
  /** The app quits: while it drains, no window without an engine may open. */
  #isOver = false;
  #isLeaving = false;
  /** Answers the caller that waits for the window to close; see `close`. */
  #stays: (() => void) | null = null;

  constructor(parts: WindowParts) {
    this.#parts = parts;
  }

  current(): BrowserWindow | null {
    return this.#window;
  }

  /** Brings it to the front, out of the dock or the taskbar, and opens it if it was closed; not while the app ends. */
  show(): void {
    if (this.#isOver) return;
    if (!this.#window) this.open();
    this.#reveal();
  }

  allow(): void {
    if (this.#allowed) return;
    this.#allowed = true;
    this.#reveal();
  }

  open(): BrowserWindow {
    const { session, preload, clock, logger, hidesOnClose } = this.#parts;
    const window = new BrowserWindow(windowOptions(session, preload));
    this.#window = window;
    this.#painted = false;
    const paint = (): void => {
      if (this.#window !== window) return;
      this.#painted = true;
      this.#reveal();
    };
    // Under Wayland a window that was never shown may not be told that it is ready.
    window.once('ready-to-show', paint);
    window.webContents.once('did-finish-load', paint);
    void clock.sleep(UNSEEN_LIMIT_MS).then(paint);
    window.on('close', (event) => {
      if (this.#isLeaving || !hidesOnClose()) return;
      event.preventDefault();
      window.hide();
    });
    window.once('closed', () => {
      this.#window = null;
    });
    window.webContents.on('will-prevent-unload', (event) => {
      if (this.#agreesToLeave(window)) event.preventDefault();
      else this.#stays?.();
    });
    window.webContents.on('render-process-gone', (_event, { reason, exitCode }) => {
      logger.error('The page of the window crashed', { reason, exitCode });
      if (reason !== 'clean-exit') void this.#reload(window);
    });
    window.webContents.on('unresponsive', () => logger.warn('The page of the window does not answer'));
    this.#load(window);
    return window;
  }

  /**
   * Closes the window for good, as its own button does: the app quits. False when the page was busy and the person
   * stayed.
   */
  async close(): Promise<boolean> {
    this.#isLeaving = true;
    this.#isOver = await this.#isLeft();
    this.#isLeaving = this.#isOver;
    return this.#isOver;
  }

  destroy(): void {
    this.#isOver = true;
    this.#window?.destroy();
  }

  async #isLeft(): Promise<boolean> {
    const window = this.#window;
    if (!window) return true;
    const answered = new AbortController();
    const closed = new Promise<boolean>((resolve) => {
      window.once('closed', () => resolve(true));
      this.#stays = () => resolve(false);
    });
    window.close();
    const limit = this.#parts.clock.sleep(CLOSE_LIMIT_MS, { signal: answered.signal }).then(
      () => window.destroy(),
      () => undefined,
    );
    const isClosed = await closed;
    answered.abort();
    await limit;
    this.#stays = null;
    return isClosed;
  }

  #load(window: BrowserWindow): void {
    window.loadURL(`${ORIGIN}/?${LANGUAGE_PARAMETER}=${systemLanguage()}`).catch((error: unknown) => {
      this.#parts.logger.error('The page of the window could not be loaded', { reason: String(error) });
    });
  }

  #reveal(): void {
    const window = this.#window;
    if (!window || window.isDestroyed() || !this.#allowed || !this.#painted) return;
    if (window.isMinimized()) window.restore();
    window.show();
    window.focus();
  }

  #agreesToLeave(window: BrowserWindow): boolean {
    // It may be hidden, and the question with it.
    this.#reveal();
    const answer = dialog.showMessageBoxSync(window, {
      type: 'question',
      message: t('desktop.closeWithUploads'),
      detail: t('desktop.closeWithUploadsDetail'),
      buttons: [t('desktop.keepWindow'), t('menu.role.close')],
      defaultId: 0,
      cancelId: 0,
    });
    return answer === 1;
  }

  /** Only once: a page that crashes again at once would do so forever. */
  async #reload(window: BrowserWindow): Promise<void> {
    const { clock, logger } = this.#parts;
    const isRepeated = clock.now() - this.#crashedAt < CRASH_MEMORY_MS;
    this.#crashedAt = clock.now();
    if (isRepeated) {
      const { response } = await dialog.showMessageBox({
        type: 'error',
        message: t('desktop.windowFailing'),
        detail: t('desktop.wentWrongDetail'),
        buttons: [t('desktop.reload'), t('menu.role.close')],
        defaultId: 0,
        cancelId: 1,
      });
      if (response === 1) return window.destroy();
    }
    if (window.isDestroyed()) return;
    logger.info('The page of the window is loaded again');
    this.#load(window);
  }
}

export type DesktopWindow = Pick<MainWindow, 'current' | 'show'>;

/** Gives the window's frame, menus and dialogs the page's theme, if it is known at the start. */
export function beginWithAppearance(dataFolder: string): void {
  try {
    nativeTheme.themeSource = readSettings(dataFolder).appearance;
  } catch {
    // The engine reports settings that cannot be read.
    nativeTheme.themeSource = 'dark';
  }
}

/**
 * Our language for what the person reads on this system. Only this process can know: the page and the engine's process are
 * told by Chromium and ICU of a language that the package has, which may be another.
 */
export const systemLanguage = (): Language => languageFor(app.getPreferredSystemLanguages());
