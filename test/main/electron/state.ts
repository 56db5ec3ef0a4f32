import type { BrowserWindow } from './browser-window.ts';
import type { Menu, Notification, Tray } from './native.ts';
import type { Page } from './page.ts';
import { SessionStandIn } from './session.ts';
import { strict, StrictEmitter } from './strict.ts';
import { UtilityProcessStandIn } from './utility-process.ts';

/** The app, which ends by saying so: tests are not to end with it. */
class AppStandIn extends StrictEmitter {
  isPackaged = false;
  readonly paths: Record<string, string> = {};
  name = 'electron';
  sandboxed = false;
  /** Null while it runs. */
  exitStatus: number | null = null;
  /** Whether this is the first launch, and the message to the first one otherwise. */
  isFirst = true;
  messageToFirst: unknown = null;
  isUp = false;
  protected readonly ready = Promise.withResolvers<null>();

  constructor() {
    super('app', [
      'activate',
      'before-quit',
      'browser-window-created',
      'child-process-gone',
      'open-file',
      'quit',
      'second-instance',
      'web-contents-created',
      'will-quit',
      'window-all-closed',
    ]);
  }

  /** What the person reads, the most preferred first. */
  languages = ['en-US'];
  getPreferredSystemLanguages(): string[] {
    return this.languages;
  }
  /** What the graphics can do, with Chromium's words for it. */
  getGPUFeatureStatus(): Record<string, string> {
    return { gpu_compositing: 'enabled', webgl: 'disabled_software' };
  }
  /** On a Mac alone; elsewhere too, it is false. */
  runningUnderARM64Translation = false;
  setName(name: string): void {
    this.name = name;
  }
  setPath(what: string, path: string): void {
    this.paths[what] = path;
  }
  getPath(what: string): string {
    return this.paths[what] ?? `/${what}`;
  }
  /** The folder that Electron was given to run. */
  getAppPath(): string {
    return process.argv[2] ?? '';
  }
  setAboutPanelOptions(options: unknown): void {
    state.about = options;
  }
  setAppUserModelId(): void {
    // Names the app to Windows, and nothing anywhere else.
  }
  setBadgeCount(count: number): boolean {
    state.badge = count;
    return true;
  }
  getFileIcon(path: string): Promise<{ source: string; isEmpty(): boolean }> {
    return Promise.resolve({ source: path, isEmpty: () => false });
  }
  /** The switches that it was started with. */
  switches = new Set<string>();
  readonly commandLine = strict('app.commandLine', { hasSwitch: (name: string): boolean => this.switches.has(name) });
  enableSandbox(): void {
    // Electron takes it off the command line, although what was started before went without.
    this.switches.delete('no-sandbox');
    this.sandboxed = true;
  }
  requestSingleInstanceLock(told: unknown): boolean {
    this.messageToFirst = told;
    return this.isFirst;
  }
  whenReady(): Promise<null> {
    return this.ready.promise;
  }
  /** The system is done with starting it. */
  becomeReady(): void {
    this.isUp = true;
    this.ready.resolve(null);
  }
  quit(): void {
    if (this.isPrevented('before-quit')) return;
    for (const window of [...state.windows]) window.close();
    if (state.windows.length > 0 || this.isPrevented('will-quit')) return;
    this.exit(0);
  }
  /** The app is opened again once it has ended. */
  relaunch(options: unknown): void {
    state.relaunched.push(options);
  }
  exit(status = 0): void {
    if (this.exitStatus !== null) return;
    this.exitStatus = status;
    this.emit('quit', {}, status);
  }
}

interface MessageBox {
  readonly message: string;
  readonly detail?: string;
  readonly buttons?: readonly string[];
  readonly cancelId?: number;
  readonly signal?: AbortSignal;
}

/** A dialogue that is open. */
export interface OpenDialog {
  readonly options: MessageBox;
  /** Presses the button of this name. */
  press(button: string): void;
}

function showMessageBox(...args: [MessageBox] | [unknown, MessageBox]): Promise<{ response: number }> {
  const options = args.at(-1) as MessageBox;
  return new Promise((resolve) => {
    const close = (response: number): void => {
      state.dialogs = state.dialogs.filter((each) => each !== open);
      resolve({ response });
    };
    const open: OpenDialog = {
      options,
      press(button) {
        const index = options.buttons?.indexOf(button) ?? -1;
        if (index < 0) throw new Error(`There is no button ${button} among ${String(options.buttons)}.`);
        close(index);
      },
    };
    const cancel = (): void => close(options.cancelId ?? 0);
    if (options.signal?.aborted) return cancel();
    options.signal?.addEventListener('abort', cancel, { once: true });
    state.dialogs.push(open);
  });
}

/** Everything that the stand-in remembers. Tests look at it, and play the system by it. */
export const state = {
  app: new AppStandIn(),
  windows: [] as BrowserWindow[],
  sessions: new Map<string, SessionStandIn>(),
  processes: [] as UtilityProcessStandIn[],
  schemes: [] as unknown[],
  dialogs: [] as OpenDialog[],
  errorBoxes: [] as [title: string, content: string][],
  /** The button that is pressed in a dialogue that holds everything up. */
  syncAnswer: 0,
  opened: [] as string[],
  /** What was shown in the file manager. */
  revealed: [] as string[],
  /**
   * What a window tells of its page. Under Wayland it may leave out `ready-to-show` while it is hidden
   * (https://github.com/electron/electron/issues/48859).
   */
  tells: new Set(['ready-to-show', 'did-finish-load']),
  /** The menus of the app, and those that came up under the mouse. */
  menu: null as Menu | null,
  popups: [] as Menu[],
  notifications: [] as Notification[],
  /** The handler of a click on any notification of Windows. */
  activated: null as (() => void) | null,
  tray: null as Tray | null,
  badge: 0,
  /** The text that was copied. */
  clipboard: '',
  about: null as unknown,
  /** What keeps the machine awake. */
  awake: [] as string[],
  /** Whether the machine runs on its battery. */
  onBattery: false,
  /** How often it was kept awake so far. */
  held: 0,
  /** What is chosen in the next dialogue for files; nothing when null. */
  chosen: null as string | null,
  relaunched: [] as unknown[],
  crashReporter: null as unknown,
  /** The script of a page: run before its document is whole. */
  pageScript: null as ((page: Page) => void) | null,
};

export const app = strict('app', state.app);

export const ipcMain = strict('ipcMain', new StrictEmitter('ipcMain', ['dailies:connect', 'dailies:drag']));

class PowerMonitorStandIn extends StrictEmitter {
  override on(event: string, listener: (...args: never[]) => void): this {
    // lib/browser/api/power-monitor.ts counts the listeners of 'shutdown' before the first of all is among them.
    if (event === 'shutdown' && this.eventNames().length === 0)
      throw new Error('On Linux, Electron tells of no shutdown when that is the first event that is listened for.');
    return super.on(event, listener);
  }

  /** Never of Linux: its part of Chromium has no look at the battery (power_monitor_device_source_stub.cc). */
  isOnBatteryPower(): boolean {
    return state.onBattery && process.platform !== 'linux';
  }
}

export const powerMonitor = strict(
  'powerMonitor',
  new PowerMonitorStandIn('powerMonitor', ['shutdown', 'suspend', 'resume']),
);

/** Squirrel, on a Mac. */
export const autoUpdater = strict(
  'autoUpdater',
  new StrictEmitter('autoUpdater', ['update-downloaded', 'error', 'before-quit-for-update']),
);

/** Light, where the system's own is asked for. */
export const nativeTheme = strict('nativeTheme', {
  themeSource: 'system',
  get shouldUseDarkColors(): boolean {
    return this.themeSource === 'dark';
  },
});

export const protocol = strict('protocol', {
  registerSchemesAsPrivileged(schemes: unknown[]): void {
    state.schemes.push(...schemes);
  },
});

export const session = strict('session', {
  defaultSession: new SessionStandIn(''),
  fromPartition(partition: string): SessionStandIn {
    const known = state.sessions.get(partition) ?? new SessionStandIn(partition);
    state.sessions.set(partition, known);
    return known;
  },
});

export const utilityProcess = strict('utilityProcess', {
  fork(modulePath: string, _args: readonly string[], options: unknown): UtilityProcessStandIn {
    const child = new UtilityProcessStandIn(modulePath, options);
    state.processes.push(child);
    return child;
  },
});

export const dialog = strict('dialog', {
  showMessageBox,
  showMessageBoxSync: (): number => state.syncAnswer,
  showOpenDialog: () =>
    Promise.resolve({ canceled: state.chosen === null, filePaths: state.chosen === null ? [] : [state.chosen] }),
  showSaveDialog: () => Promise.resolve({ canceled: state.chosen === null, filePath: state.chosen ?? '' }),
  showErrorBox(title: string, content: string): void {
    if (!state.app.isUp) throw new Error('On Linux, Electron shows no box before it is ready.');
    state.errorBoxes.push([title, content]);
  },
});

export const clipboard = strict('clipboard', {
  writeText(text: string): Promise<void> {
    state.clipboard = text;
    return Promise.resolve();
  },
});

export const shell = strict('shell', {
  showItemInFolder: (path: string): void => void state.revealed.push(path),
  openExternal(address: string): Promise<void> {
    state.opened.push(address);
    return Promise.resolve();
  },
});

export const crashReporter = strict('crashReporter', {
  start(options: unknown): void {
    state.crashReporter = options;
  },
});
