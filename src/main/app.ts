import type { Clock } from '../engine/base/ports.ts';
import type { Contract } from '../contract/procedures.ts';
import type { Changes } from '../contract/events.ts';
import type { ContractRouterClient } from '@orpc/contract';
import {
  app,
  BrowserWindow,
  dialog,
  ipcMain,
  MessageChannelMain,
  nativeTheme,
  powerMonitor,
  session,
  shell,
  utilityProcess,
  type UtilityProcess,
} from 'electron';
import { join } from 'node:path';
import { systemAwakeHelper } from '../host/awake-helper.ts';
import { desktopLogOf } from '../host/data-folder.ts';
import { createFileLogger } from '../host/log-file.ts';
import { packageFolder, packageVersion } from '../host/package-folder.ts';
import { StaticFiles } from '../server/web/static-files.ts';
import { beginWithAppearance, followAppearance, groundOf } from './appearance.ts';
import type { Desktop, Features, OpenRequests } from './desktop.ts';
import { EngineLink } from './engine-link.ts';
import { watchForFailures } from './failures.ts';
import { installFeatures } from './features/index.ts';
import { lockContents, lockSession, SCHEME } from './lockdown.ts';
import { createOpenOutside } from './outside-links.ts';
import { PagePorts } from './page-ports.ts';
import { createPages } from './pages.ts';
import { Readers } from './readers.ts';
import { Quit } from './quit.ts';
import { systemLanguage } from './system-language.ts';
import { Troubles } from './troubles.ts';
import { MainWindow } from './window.ts';
import { type Surroundings, systemClock } from '../host/process-surroundings.ts';

/** The pages' own storage, such as widths of columns, outlives a restart; nothing else shares it. */
const PARTITION = 'persist:window';

export interface AppOptions {
  readonly dataFolder: string;
  readonly openings: OpenRequests;
  /** The environment of the engine's process. It may contain the key, which no other process of the app has. */
  readonly engineEnvironment: Surroundings['env'];
}

/** Brings up the app once Electron is ready. `show` brings its window to the front. */
export function startApp({ dataFolder, openings, engineEnvironment }: AppOptions): { show(): void } {
  const clock = systemClock;
  const folder = packageFolder();
  // What this process notes has no key and no signed address in it: nothing of them is handed to what notes.
  const logger = createFileLogger(desktopLogOf(dataFolder), (line) => line);

  let features: Features | null = null;
  const built = (file: string): string => join(folder, 'out', 'main', file);
  const channel = (): MessageChannelMain => new MessageChannelMain();
  const engine: EngineLink = new EngineLink({
    dataFolder,
    systemLanguage,
    clock,
    logger,
    fork: () => utilityProcess.fork(built('engine.js'), [], { serviceName: 'Dailies engine', env: engineEnvironment }),
    kill: endAtOnce,
    channel,
    readers: new Readers(
      (entry) => utilityProcess.fork(built(entry), [], { serviceName: 'Dailies reader', env: {} }),
      channel,
    ),
    serveDesktop: (port) => features?.serveDesktop(port),
    onTrouble: (trouble) => troubles.couldNotStart(trouble),
    onRunning() {
      troubles.over();
      ports.renew();
      window.allow();
    },
    onGaveUp: (deaths) => troubles.keepsEnding(deaths),
  });

  const ownSession = session.fromPartition(PARTITION);
  lockSession(ownSession);
  lockContents(app, createOpenOutside({ dialog, shell, logger }));
  const files = new StaticFiles(join(folder, 'out', 'renderer'));
  ownSession.protocol.handle(SCHEME, createPages({ files, engine: () => engine.socket(), clock, logger }));

  beginWithAppearance(nativeTheme, dataFolder);
  const window = new MainWindow({
    create: (options) => new BrowserWindow(options),
    session: ownSession,
    dialog,
    clock,
    logger,
    preload: join(folder, 'out', 'preload', 'index.cjs'),
    systemLanguage,
    // Windows tells windows alone that the session ends.
    hidesOnClose: () => process.platform === 'win32' && (features?.runsWithoutWindow() ?? false),
    devTools: !app.isPackaged,
    background: () => groundOf(nativeTheme),
  });
  const ports = new PagePorts({ ipc: ipcMain, engine, window, logger });
  const mayBeSending = (): boolean => features?.goesOn() ?? false;
  const quit = new Quit({ app, power: powerMonitor, process, dialog, engine, window, mayBeSending, clock, logger });
  const troubles = new Troubles({ dialog, tryAgain: () => engine.tryAgain(), quit: () => quit.begin() });
  watchForFailures(process, { app, dialog, logger, quit: () => quit.begin() });

  const show = (): void => {
    if (quit.isUnderWay) return;
    troubles.remind();
    window.show();
  };
  const mayFallAsleep = (): void => logger.warn('The system does not keep the computer awake');
  const desktop: Desktop = {
    client: engine.client,
    listen(listener) {
      const ended = new AbortController();
      void followChanges({ client: engine.client, clock, signal: ended.signal }, listener);
      return () => ended.abort();
    },
    window,
    openings,
    clock,
    logger,
    awakeHelper: process.platform === 'linux' ? systemAwakeHelper(mayFallAsleep) : null,
    dataFolder,
    packageFolder: folder,
    version: packageVersion(),
    onQuit: (work) => quit.before(work),
    onSessionEnd: (work) => quit.onSessionEnd(work),
    quit: (last) => quit.begin(last),
  };
  const installed = installFeatures(desktop);
  features = installed;
  followAppearance(nativeTheme, desktop);

  app.on('activate', show);
  app.on('window-all-closed', () => {
    if (quit.isUnderWay) return;
    if (process.platform === 'darwin' || installed.runsWithoutWindow()) installed.goOnUnseen();
    else quit.begin();
  });
  window.open();
  window.show();
  engine.start();
  return { show };
}

/** Electron's own `kill` asks as a logout does, and the engine answers that by draining. */
function endAtOnce(child: UtilityProcess): void {
  if (child.pid === undefined) child.kill();
  else process.kill(child.pid, 'SIGKILL');
}

/** An engine that has just died is not asked at once, ms. */
const PAUSE_MS = 500;

interface ChangesToFollow {
  readonly client: ContractRouterClient<Contract>;
  readonly clock: Clock;
  /** Aborted when the listener leaves. */
  readonly signal: AbortSignal;
}

/** Calls `listener` with what changes in the engine, across its deaths, until the signal is aborted. */
async function followChanges(
  { client, clock, signal }: ChangesToFollow,
  listener: (changes: Changes) => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const changes of await client.events.changes(undefined, { signal })) listener(changes);
    } catch {
      // Cut short by the end of the engine or of the listening; the first is followed by a resync of the next one.
    }
    await clock.sleep(PAUSE_MS, { signal }).catch(() => undefined);
  }
}
