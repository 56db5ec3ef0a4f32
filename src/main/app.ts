import type { Clock } from '../engine/base/ports.ts';
import type { Changes } from '../contract/events.ts';
import { app, session, utilityProcess, type UtilityProcess } from 'electron';
import { join } from 'node:path';
import { systemAwakeHelper } from '../host/awake-helper.ts';
import { toDesktopLog } from '../host/data-folder.ts';
import { createFileLogger } from '../host/log-file.ts';
import { packageFolder, packageVersion } from '../host/package-folder.ts';
import { StaticFiles } from '../server/web/static-files.ts';
import type { Desktop, OpenRequests } from './desktop.ts';
import { EngineLink } from './engine-link.ts';
import { installFeatures } from './features/index.ts';
import { createOpenOutside, lockContents, lockSession, SCHEME } from './lockdown.ts';
import { createPagePorts, createPages } from './pages.ts';
import { createQuit } from './quit.ts';
import { beginWithAppearance, MainWindow } from './window.ts';
import { createTroubles, watchForFailures } from './troubles.ts';
import { type Environment, systemClock } from '../host/process-environment.ts';

/** The pages' own storage, such as widths of columns, outlives a restart; nothing else shares it. */
const PARTITION = 'persist:window';

/**
 * Brings up the app once Electron is ready. `show` brings its window to the front. The environment of the engine's
 * process may contain the key, which no other process of the app has.
 */
export function startApp(
  dataFolder: string,
  openings: Pick<OpenRequests, 'listen'>,
  engineEnvironment: Environment['env'],
): { show(): void } {
  const clock = systemClock;
  const folder = packageFolder();
  // What this process notes has no key and no signed address in it: nothing of them is handed to what notes.
  const logger = createFileLogger(toDesktopLog(dataFolder), (line) => line);

  let features: ReturnType<typeof installFeatures> | null = null;
  const built = (file: string): string => join(folder, 'out', 'main', file);
  const engine: EngineLink = new EngineLink({
    dataFolder,
    clock,
    logger,
    fork: () => utilityProcess.fork(built('engine.js'), [], { serviceName: 'Dailies engine', env: engineEnvironment }),
    kill: endAtOnce,
    forkReader: (entry) => utilityProcess.fork(built(entry), [], { serviceName: 'Dailies reader', env: {} }),
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
  lockContents(app, createOpenOutside(logger));
  const files = new StaticFiles(join(folder, 'out', 'renderer'));
  ownSession.protocol.handle(SCHEME, createPages(files, engine, clock, logger));

  beginWithAppearance(dataFolder);
  const window = new MainWindow({
    session: ownSession,
    clock,
    logger,
    preload: join(folder, 'out', 'preload', 'index.cjs'),
    // Windows tells windows alone that the session ends.
    hidesOnClose: () => process.platform === 'win32' && (features?.runsWithoutWindow() ?? false),
  });
  const ports = createPagePorts(engine, window, logger);
  const mayBeSending = (): boolean => features?.hasPendingWork() ?? false;
  const quit = createQuit(engine, window, mayBeSending, { clock, logger });
  const troubles = createTroubles(engine, quit);
  watchForFailures(process, logger, quit);

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
      void followChanges(engine.client, clock, listener, ended.signal);
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
    quit,
  };
  const installed = installFeatures(desktop);
  features = installed;

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

/** Calls `listener` with what changes in the engine, across its deaths, until the signal is aborted. */
async function followChanges(
  client: EngineLink['client'],
  clock: Clock,
  listener: (changes: Changes) => void,
  signal: AbortSignal,
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
