import { app, autoUpdater, type AutoUpdater, type Dialog, type RelaunchOptions } from 'electron';
import type { AppUpdater } from 'electron-updater';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DesktopAbilities, UpdateChoice, UpdateState } from '../../contract/desktop.ts';
import { toMessage } from '../../engine/base/errors.ts';
import type { Clock, Logger } from '../../engine/base/ports.ts';
import type { Desktop } from '../desktop.ts';
import type { Quit } from '../quit.ts';
import { type MessageKey, t } from '../../contract/messages/words.ts';

const FIRST_LOOK_MS = 30_000;
const LOOK_EVERY_MS = 6 * 60 * 60_000;
/** An update that is put in place ends the app within this time, ms. */
const INSTALL_LIMIT_MS = 60_000;

export interface UpdatesParts {
  readonly updater: Pick<
    AppUpdater,
    'checkForUpdates' | 'on' | 'quitAndInstall' | 'autoDownload' | 'autoInstallOnAppQuit'
  >;
  /** Whether a new version is put in place without a question; else only when the person asks for it. */
  readonly installsOnQuit: boolean;
  /** On macOS Electron's own updater, which verifies the fetched version and may refuse it; else null. */
  readonly verifier: Pick<AutoUpdater, 'on'> | null;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tell: (update: UpdateState) => void;
  readonly quit: Pick<Quit, 'begin'>;
  /** Ends the app, drained as it is, and opens it again, to say there that this version could not be put in place. */
  readonly relaunch: (without: string) => void;
}

/**
 * Looks for new versions and fetches them. Installs only when the app quits, after the queue is drained: when the
 * person quits, or, if they chose so, as soon as the queue is idle. Without a network it says nothing and looks again
 * later.
 */
export function createUpdates({
  updater,
  installsOnQuit,
  verifier,
  clock,
  logger,
  tell,
  quit,
  relaunch,
}: UpdatesParts) {
  let state: UpdateState = { state: 'none' };
  let looking: AbortController | null = null;
  let isIdle = false;

  const be = (next: UpdateState): void => {
    state = next;
    tell(next);
  };
  updater.autoDownload = true;
  updater.autoInstallOnAppQuit = installsOnQuit;
  updater.on('download-progress', ({ percent }) => {
    if (state.state === 'fetching') be({ ...state, percent: Math.round(percent) });
  });
  updater.on('update-available', ({ version }) => be({ state: 'fetching', version, percent: 0 }));
  updater.on('update-downloaded', ({ version }) => {
    if (!verifier) be({ state: 'ready', version });
  });
  verifier?.on('update-downloaded', () => {
    if (state.state === 'fetching') be({ state: 'ready', version: state.version });
  });
  updater.on('error', (error) => {
    logger.info('The updates report an error', { reason: toMessage(error) });
    if (state.state === 'fetching') be({ state: 'none' });
  });

  const lookFromTimeToTime = async (signal: AbortSignal): Promise<void> => {
    for (let wait = FIRST_LOOK_MS; ; wait = LOOK_EVERY_MS) {
      await clock.sleep(wait, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      // Does not look again while a version is ready or on its way; errors arrive as an event.
      if (state.state === 'none') await updater.checkForUpdates().catch(() => null);
    }
  };

  const restartIfIdle = (): void => {
    if (state.state !== 'awaited' || !isIdle) return;
    const { version } = state;
    // Asked once: should the person say no when asked whether to quit, they are not asked again at every turn.
    be({ state: 'ready', version });
    quit.begin(() => void install(version));
  };

  /** The session ends: an installation started now would be cut off, which on Windows has cost people the whole app. */
  const leaveForAnotherTime = (): void => {
    updater.autoInstallOnAppQuit = false;
  };

  /** The app is over by now. When the update does not quit it, quit it here, or it stays as a dead one. */
  const install = async (version: string): Promise<void> => {
    const failed = Promise.withResolvers<string>();
    updater.on('error', (error) => failed.resolve(toMessage(error)));
    try {
      updater.quitAndInstall(true, true);
    } catch (error) {
      failed.resolve(toMessage(error));
    }
    // Only from here: what asks for the administrator's password holds everything up until it is answered.
    const late = clock.sleep(INSTALL_LIMIT_MS).then(() => `nothing happened within ${INSTALL_LIMIT_MS / 1000} s`);
    const reason = await Promise.race([failed.promise, late]);
    logger.error('A new version could not be put in place', { version, reason });
    leaveForAnotherTime();
    relaunch(version);
  };

  return {
    want(wanted: boolean): void {
      if (wanted === (looking !== null)) return;
      looking?.abort();
      looking = wanted ? new AbortController() : null;
      if (looking) void lookFromTimeToTime(looking.signal);
    },
    decide(choice: UpdateChoice): void {
      if (state.state !== 'ready' && state.state !== 'awaited') return;
      be({ state: choice === 'when_idle' ? 'awaited' : 'ready', version: state.version });
      restartIfIdle();
    },
    see(idle: boolean): void {
      isIdle = idle;
      restartIfIdle();
    },
    leaveForAnotherTime,
  };
}

/** Only a packaged app is replaced by another one, and only if its package says where from. */
export function appUpdates(
  { clock, logger, quit }: Pick<Desktop, 'clock' | 'logger' | 'quit'>,
  tell: (update: UpdateState) => void,
) {
  const isPossible = app.isPackaged && existsSync(join(process.resourcesPath, 'app-update.yml'));
  const relaunch = (without: string): void => {
    app.relaunch(relaunchOptions(process, without));
    app.quit();
  };
  // Packages of a system (deb, rpm) have this file. They are put in place by the administrator's password, and a person
  // who quits, or who is quit by a shutdown, has not asked to be asked for it.
  const installsOnQuit = isPossible && !existsSync(join(process.resourcesPath, 'package-type'));
  const verifier = process.platform === 'darwin' ? autoUpdater : null;
  // Loaded for its purpose only: it looks about itself in the app as soon as it is.
  const loading = isPossible
    ? import('electron-updater').then(({ default: { autoUpdater: updater } }) =>
        createUpdates({ updater, installsOnQuit, verifier, clock, logger, tell, quit, relaunch }),
      )
    : null;
  const withUpdates = (action: (updates: ReturnType<typeof createUpdates>) => void): void => {
    loading?.then(action).catch((error: unknown) => logger.error('Updates do not work', { reason: String(error) }));
  };
  return {
    isPossible,
    want: (wanted: boolean) => withUpdates((updates) => updates.want(wanted)),
    decide: (choice: UpdateChoice) => withUpdates((updates) => updates.decide(choice)),
    leaveForAnotherTime: () => withUpdates((updates) => updates.leaveForAnotherTime()),
    see: (isIdle: boolean) => withUpdates((updates) => updates.see(isIdle)),
  };
}

type System = DesktopAbilities['system'];

/** Tells the next start which version could not be installed. */
const SWITCH = '--update-failed=';

/**
 * How the app restarts after an update that could not be installed, to say so: with the arguments of its start, without
 * the files that were opened with it. The program of an AppImage ends with the app, so the file itself is started. Pure.
 */
export function relaunchOptions(
  { argv, execPath, env }: Pick<NodeJS.Process, 'argv' | 'execPath' | 'env'>,
  without: string,
): RelaunchOptions {
  const switches = argv.slice(1).filter((arg) => arg.startsWith('--') && !arg.startsWith(SWITCH));
  return { execPath: env['APPIMAGE'] ?? execPath, args: [...switches, `${SWITCH}${without}`] };
}

/** The version that the start before could not put in place; null for every other start. Pure. */
export function toFailedUpdate(argv: readonly string[]): string | null {
  const version = argv.find((arg) => arg.startsWith(SWITCH))?.slice(SWITCH.length) ?? '';
  return /^\d+\.\d+\.\d+[\w.+-]{0,40}$/.test(version) ? version : null;
}

const hints = {
  macos: 'desktop.updateHintMac',
  windows: 'desktop.updateHintWindows',
  linux: 'desktop.updateHintLinux',
} as const satisfies Readonly<Record<System, MessageKey>>;

export async function reportFailedUpdate(
  dialog: Pick<Dialog, 'showMessageBox'>,
  { argv, version, system }: { argv: readonly string[]; version: string; system: System },
): Promise<void> {
  const failed = toFailedUpdate(argv);
  if (failed === null) return;
  await dialog.showMessageBox({
    type: 'warning',
    message: t('desktop.updateFailed', { version: failed }),
    detail: t('desktop.updateFailedDetail', { version, hint: t(hints[system]) }),
    buttons: [t('common.ok')],
  });
}
