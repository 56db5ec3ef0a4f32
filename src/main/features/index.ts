import { implement } from '@orpc/server';
import { RPCHandler } from '@orpc/server/message-port';
import { app, dialog, nativeTheme, Notification, powerMonitor, session, shell } from 'electron';
import { join } from 'node:path';
import { type DesktopEvent, shellContract } from '../../contract/desktop.ts';
import { toMessage } from '../../engine/base/errors.ts';
import { systemFor } from '../../server/web/browser-desktop.ts';
import type { Port } from '../../server/router/router.ts';
import type { Desktop } from '../desktop.ts';
import { languageFor } from '../../contract/messages/languages.ts';
import { setLanguage } from '../../contract/messages/words.ts';
import { systemLanguage } from '../window.ts';
import { appFacts, copyDiagnostics, saveDiagnostics } from './diagnostics.ts';
import { createDragOut, pickFolder, wantedAmong } from './files.ts';
import { canInstallCommand, installCommand } from './install-command.ts';
import { showMenus } from './menus.ts';
import { createNotifier, noteUnseen, QUEUE, reportEnds } from './notifier.ts';
import { createKeepAwake, isOnBattery, warnOnBattery } from './power.ts';
import { appUpdates, reportFailedUpdate } from './updates.ts';
import { createDock, createStatusIcon } from './status.ts';
import { watchWork } from './work.ts';
import { DesktopEvents, powerEvents } from './desktop-events.ts';

export function installFeatures(desktop: Desktop) {
  const { client, logger, version, window } = desktop;
  const system = systemFor(process.platform);
  const events = new DesktopEvents();
  const begin = (work: Promise<unknown>): void => {
    work.catch((error: unknown) =>
      logger.warn('A request from outside the window failed', { reason: toMessage(error) }),
    );
  };
  const show = (event: DesktopEvent): void => {
    window.show();
    events.tell(event);
  };

  const keepAwake = createKeepAwake(desktop.awakeHelper);
  let hasPendingWork = false;
  const dock = createDock(window, system);
  const updates = appUpdates(desktop, (update) => events.tell({ type: 'update', update }));
  begin(reportFailedUpdate(dialog, { argv: process.argv, version, system }));
  const statusIcon = createStatusIcon(desktop, system, (paused) =>
    begin(paused ? client.queue.pause() : client.queue.resume()),
  );
  const notifier = createNotifier(({ shows }) => show(shows), logger);
  // Windows still lists notifications of an earlier start: a click on one at least shows the window.
  if (system === 'windows') Notification.handleActivation(() => window.show());
  let wantsNotes = true;
  const isLookedAt = (): boolean => !wantsNotes || (window.current()?.isFocused() ?? false);
  const notifyEnds = reportEnds(isLookedAt, notifier);
  const warnOfBattery = warnOnBattery(isLookedAt, notifier);
  const commandParts = {
    ...{ app, dialog, env: process.env, platform: process.platform },
    ...{ homeFolder: app.getPath('home'), resources: process.resourcesPath },
  };
  const showMenu = showMenus({
    system,
    devTools: !app.isPackaged,
    run: (id) => events.tell({ type: 'command', id }),
    showWindow: () => window.show(),
    showAbout: () => app.showAboutPanel(),
    saveDiagnostics: () => begin(saveDiagnostics(desktop)),
    copyDiagnostics: () => begin(copyDiagnostics(desktop)),
    ...(canInstallCommand(commandParts) && { installCommand: () => begin(installCommand(commandParts)) }),
  });

  const endWatch = watchWork(desktop, (work) => {
    hasPendingWork = work.hasPendingWork;
    keepAwake.need(hasPendingWork);
    dock.show(work);
    statusIcon.show(work);
    updates.see(!hasPendingWork);
    notifyEnds(work);
    warnOfBattery(work);
  });
  const goBySettings = async (): Promise<void> => {
    const { settings } = await client.settings.get();
    nativeTheme.themeSource = settings.appearance;
    await setLanguage(languageFor([settings.language, systemLanguage()]));
    statusIcon.want(settings.keepRunning);
    updates.want(settings.lookForUpdates);
    wantsNotes = settings.messages.system;
  };
  desktop.listen(({ resync, settings }) => {
    if (resync || settings) begin(goBySettings());
  });
  desktop.openings.listen((paths) => begin(wantedAmong(paths).then((wanted) => wanted.forEach(show))));
  desktop.quit.before(() => {
    endWatch();
    updates.want(false);
    statusIcon.want(false);
  });
  desktop.quit.onSessionEnd(() => updates.leaveForAnotherTime());
  app.on('browser-window-created', (_event, made) => made.on('focus', () => dock.looked()));
  // Windows shows notifications of programs it knows by this name, which the installer has given it.
  app.setAppUserModelId('app.dailies.desktop');
  app.setAboutPanelOptions({
    applicationName: 'Dailies',
    applicationVersion: version,
    copyright: 'Copyright © the Dailies contributors. MIT licence.',
  });

  const prepareDrag = createDragOut(window, desktop.packageFolder);
  const os = implement(shellContract);
  // What main does for the engine's process, and through it for the window.
  const router = os.router({
    abilities: os.abilities.handler(() => ({
      host: 'app',
      system,
      pickFolder: true,
      dragOut: true,
      updates: updates.isPossible,
      keepRunning: true,
    })),
    pickFolder: os.pickFolder.handler(({ input }) => pickFolder(window, input)),
    reveal: os.reveal.handler(({ input }) => shell.showItemInFolder(input.path)),
    prepareDrag: os.prepareDrag.handler(async ({ input }) => ({ drag: await prepareDrag(input.files) })),
    menu: os.menu.handler(({ input }) => showMenu(input.commands)),
    update: os.update.handler(({ input }) => updates.decide(input.choice)),
    notify: os.notify.handler(({ input: { title, text } }) => {
      if (!isLookedAt()) notifier.show({ title, body: text, shows: QUEUE });
    }),
    powerState: os.powerState.handler(() => ({ keepsAwake: keepAwake.state(), onBattery: isOnBattery() })),
    facts: os.facts.handler(() => appFacts()),
    // The session of the window reaches nothing outside; the default one goes by the system's settings.
    resolveProxy: os.resolveProxy.handler(({ input }) => session.defaultSession.resolveProxy(input.origin)),
    events: os.events.handler(({ signal }) => events.stream(signal)),
    power: os.power.handler(({ signal }) => powerEvents(powerMonitor, signal)),
  });
  return {
    /** Answers the engine's process, over a new port at each start of the engine, what only this process can do. */
    serveDesktop: (port: Port): void => new RPCHandler(router).upgrade(port),
    /** Whether the app keeps running after its last window is closed. macOS always does. */
    runsWithoutWindow: statusIcon.isThere,
    /** The last window was closed, and the app keeps running: says where it is, if that cannot be seen. */
    goOnUnseen(): void {
      // GNOME shows no icons of programs, whatever Electron believes to have put there.
      if (system !== 'linux' || !hasPendingWork) return;
      noteUnseen(join(desktop.dataFolder, 'window', 'told-unseen'), notifier);
    },
    hasPendingWork: (): boolean => hasPendingWork,
  };
}
