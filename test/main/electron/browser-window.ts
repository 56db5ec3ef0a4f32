import { ipcMain, state } from './state.ts';
import { Page } from './page.ts';
import type { MessagePortStandIn } from './ports.ts';
import type { SessionStandIn } from './session.ts';
import { strict, StrictEmitter } from './strict.ts';

export interface WindowOptions {
  readonly name?: string;
  readonly show?: boolean;
  readonly webPreferences?: {
    readonly session?: SessionStandIn;
    readonly preload?: string;
    readonly [name: string]: unknown;
  };
  readonly [name: string]: unknown;
}

interface Frame {
  url: string;
  readonly parent: Frame | null;
}

export class WebContentsStandIn extends StrictEmitter {
  readonly session: SessionStandIn;
  readonly mainFrame: Frame = { url: '', parent: null };
  page: Page | null = null;
  /** The files of each drag out of the page. */
  readonly dragged: (readonly string[])[] = [];
  protected readonly preload: string | undefined;
  protected openHandler: ((details: { url: string }) => { action: string }) | null = null;
  /** A message of the page is being handled. */
  protected isHeard = false;
  protected destroyed = false;

  constructor({ session, preload }: NonNullable<WindowOptions['webPreferences']>) {
    super('WebContents', [
      'context-menu',
      'will-navigate',
      'will-frame-navigate',
      'will-redirect',
      'will-attach-webview',
      'will-prevent-unload',
      'render-process-gone',
      'did-finish-load',
      'unresponsive',
      'destroyed',
    ]);
    if (!session) throw new Error('A window of ours has a session of its own.');
    this.session = session;
    this.preload = preload;
    return strict('WebContents', this);
  }

  setWindowOpenHandler(handler: NonNullable<WebContentsStandIn['openHandler']>): void {
    this.openHandler = handler;
  }

  getURL(): string {
    return this.mainFrame.url;
  }

  isDestroyed(): boolean {
    return this.destroyed;
  }

  /**
   * A Mac ignores it outside of the page's `dragstart`, which is over once its message is handled
   * (https://github.com/LuqP2/Image-MetaHub/pull/471).
   */
  startDrag(item: { files?: readonly string[] }): void {
    if (this.isHeard) this.dragged.push(item.files ?? []);
  }

  postMessage(channel: string, _message: unknown, ports: readonly MessagePortStandIn[] = []): void {
    this.page?.onEvent(channel, ports);
  }

  /** The answer to a page's `window.open`. */
  opens(url: string): string {
    // Electron opens a window where nothing refuses it.
    return this.openHandler?.({ url }).action ?? 'allow';
  }

  async load(address: string): Promise<void> {
    const response = await this.session.load(address);
    this.mainFrame.url = address;
    const { protocol, host } = new URL(address);
    const page = new Page(response, `${protocol}//${host}`);
    this.page = page;
    state.pageScript?.(page);
    if (this.preload) page.runPreload(this.preload, (channel, ...args) => this.send(channel, this.mainFrame, ...args));
    if (state.tells.has('did-finish-load')) this.emit('did-finish-load');
  }

  /** A message of a frame of this page to main. */
  send(channel: string, senderFrame: Frame | null = this.mainFrame, ...args: unknown[]): void {
    this.isHeard = true;
    ipcMain.emit(channel, { sender: this, senderFrame }, ...args);
    this.isHeard = false;
  }

  end(): void {
    this.destroyed = true;
  }
}

export class BrowserWindow extends StrictEmitter {
  readonly options: WindowOptions;
  readonly webContents: WebContentsStandIn;
  visible: boolean;
  focused = false;
  /** In dock or taskbar; -1 for none. */
  progress = -1;
  overlay: unknown = null;
  minimized = false;
  /** Whether a page that is asked to go objects, as one with unsaved work does. */
  objects = false;
  /** Whether the page answers at all when it is asked to go. */
  answers = true;
  protected destroyed = false;

  constructor(options: WindowOptions = {}) {
    super('BrowserWindow', ['focus', 'ready-to-show', 'closed', 'close', 'query-session-end', 'session-end']);
    this.options = options;
    this.visible = options.show ?? true;
    this.webContents = new WebContentsStandIn(options.webPreferences ?? {});
    const window = strict('BrowserWindow', this);
    state.windows.push(window);
    state.app.emit('web-contents-created', {}, this.webContents);
    state.app.emit('browser-window-created', {}, window);
    return window;
  }

  async loadURL(address: string): Promise<void> {
    await this.webContents.load(address);
    if (state.tells.has('ready-to-show')) this.emit('ready-to-show');
  }

  show(): void {
    this.visible = true;
  }
  focus(): void {
    this.focused = true;
    this.emit('focus');
  }
  isFocused(): boolean {
    return this.focused;
  }
  setProgressBar(progress: number): void {
    this.progress = progress;
  }
  setOverlayIcon(overlay: unknown): void {
    this.overlay = overlay;
  }
  isMinimized(): boolean {
    return this.minimized;
  }
  restore(): void {
    this.minimized = false;
  }
  isDestroyed(): boolean {
    return this.destroyed;
  }

  hide(): void {
    this.visible = false;
    this.focused = false;
  }

  close(): void {
    if (this.isPrevented('close') || !this.answers) return;
    const stays = this.objects && !this.webContents.isPrevented('will-prevent-unload');
    if (!stays) this.destroy();
  }

  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.visible = false;
    this.webContents.end();
    state.windows.splice(state.windows.indexOf(this), 1);
    this.emit('closed');
    if (state.windows.every((window) => window.isDestroyed())) state.app.emit('window-all-closed');
  }
}
