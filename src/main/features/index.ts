import { join } from 'node:path';
import { pickFolder, wantedAmong } from './files.ts';
import {
  app,
  autoUpdater,
  clipboard,
  dialog,
  ipcMain,
  Menu,
  Notification,
  powerMonitor,
  powerSaveBlocker,
  session,
  shell,
  Tray,
} from 'electron';
import type { DesktopEvent } from '../../contract/desktop.ts';
import { messageOf } from '../../engine/base/errors.ts';
import { systemOf } from '../../server/web/browser-desktop.ts';
import type { Desktop, Features } from '../desktop.ts';
import { languageFor } from '../../contract/messages/languages.ts';
import { speak } from '../../contract/messages/words.ts';
import { systemLanguage } from '../system-language.ts';
import { appUpdates } from './app-updates.ts';
import { isOnBattery, warnOnBattery } from './battery.ts';
import { DesktopEvents, powerEvents } from './desktop-events.ts';
import { DragOut } from './drag-out.ts';
import { Dock } from './dock.ts';
import { dot, statusImage } from './images.ts';
import { canInstallCommand, installCommand } from './install-command.ts';
import { KeepAwake } from './keep-awake.ts';
import { Menus } from './menus.ts';
import { Notifier, QUEUE, reportEnds } from './notifier.ts';
import { appFacts } from './app-facts.ts';
import { copyDiagnostics, saveDiagnostics } from './diagnostics.ts';
import { serveShell, type Shell } from './shell-server.ts';
import { reportFailedUpdate } from './relaunch.ts';
import { noteUnseen } from './unseen-note.ts';
import { StatusIcon } from './status-icon.ts';
import { WorkMonitor } from './work-monitor.ts';

/** Brings up everything that only a desktop app can do. */
export function installFeatures(desktop: Desktop): Features {
  const { client, logger, packageFolder, version, window } = desktop;
  const system = systemOf(process.platform);
  const current = () => window.current();
  const events = new DesktopEvents();
  /** Starts work that nothing waits for. */
  const begin = (work: Promise<unknown>): void => {
    work.catch((error: unknown) =>
      logger.warn('A request from outside the window failed', { reason: messageOf(error) }),
    );
  };
  const show = (event: DesktopEvent): void => {
    window.show();
    events.tell(event);
  };

  const keepAwake = new KeepAwake({ blocker: powerSaveBlocker, helper: desktop.awakeHelper });
  const isOnBatteryNow = (): boolean => isOnBattery(powerMonitor, process.platform);
  let goesOn = false;
  const dock = new Dock({ app, window: current, system, dot });
  const updates = appUpdates({
    ...desktop,
    app,
    squirrel: autoUpdater,
    tell: (update) => events.tell({ type: 'update', update }),
  });
  begin(reportFailedUpdate(dialog, { argv: process.argv, version, system }));
  const statusIcon = new StatusIcon({
    create: () => new Tray(statusImage(packageFolder, system)),
    opensByClick: system !== 'macos',
    buildMenu: (template) => Menu.buildFromTemplate(template),
    open: () => window.show(),
    pause: (paused) => begin(paused ? client.queue.pause() : client.queue.resume()),
    quit: () => desktop.quit(),
  });
  const notifier = new Notifier({
    isSupported: () => Notification.isSupported(),
    create: (options) => new Notification(options),
    follow: ({ shows }) => show(shows),
    failed: (reason) => logger.warn('The system did not show a notification', { reason }),
  });
  // Windows still lists notifications of an earlier start: a click on one at least shows the window.
  if (system === 'windows') Notification.handleActivation(() => window.show());
  let wantsNotes = true;
  const isLookedAt = (): boolean => !wantsNotes || (current()?.isFocused() ?? false);
  const notifyEnds = reportEnds({
    isLookedAt,
    show: (note) => notifier.show(note),
  });
  const warnOfBattery = warnOnBattery({
    isOnBattery: isOnBatteryNow,
    isLookedAt,
    show: (note) => notifier.show(note),
  });
  const facts = (): string[] => appFacts({ app, env: process.env, platform: process.platform });
  const diagnostics = () => ({ desktop, homeFolder: app.getPath('home'), appFacts: facts });
  const commandParts = {
    ...{ app, dialog, env: process.env, platform: process.platform },
    ...{ homeFolder: app.getPath('home'), resources: process.resourcesPath },
  };
  const menus = new Menus({
    menu: Menu,
    requests: {
      system,
      devTools: !app.isPackaged,
      run: (id) => events.tell({ type: 'command', id }),
      showWindow: () => window.show(),
      showAbout: () => app.showAboutPanel(),
      saveDiagnostics: () =>
        begin(saveDiagnostics({ ...diagnostics(), dialog, window: current, folder: app.getPath('documents') })),
      copyDiagnostics: () => begin(copyDiagnostics({ ...diagnostics(), dialog, clipboard })),
      ...(canInstallCommand(commandParts) && { installCommand: () => begin(installCommand(commandParts)) }),
    },
  });

  const watch = new WorkMonitor(desktop);
  watch.listen((work) => {
    goesOn = work.goesOn;
    keepAwake.need(goesOn);
    dock.show(work);
    statusIcon.show(work);
    updates.see(!goesOn);
    notifyEnds(work);
    warnOfBattery(work);
  });
  watch.start();
  const goBySettings = async (): Promise<void> => {
    const { settings } = await client.settings.get();
    await speak(languageFor([settings.language, systemLanguage()]));
    statusIcon.want(settings.keepRunning);
    updates.want(settings.lookForUpdates);
    wantsNotes = settings.messages.system;
  };
  desktop.listen(({ resync, settings }) => {
    if (resync || settings) begin(goBySettings());
  });
  desktop.openings.listen((paths) => begin(wantedAmong(paths).then((wanted) => wanted.forEach(show))));
  desktop.onQuit(() => {
    watch.stop();
    updates.want(false);
    statusIcon.want(false);
  });
  desktop.onSessionEnd(() => updates.leaveForAnotherTime());
  app.on('browser-window-created', (_event, made) => {
    menus.follow(made);
    made.on('focus', () => dock.looked());
  });
  // Windows shows notifications of programs it knows by this name, which the installer has given it.
  app.setAppUserModelId('app.dailies.desktop');
  app.setAboutPanelOptions({
    applicationName: 'Dailies',
    applicationVersion: version,
    copyright: 'Copyright © the Dailies contributors. MIT licence.',
  });

  const plainIcon = () => statusImage(packageFolder, 'linux');
  const dragOut = new DragOut({ app, ipc: ipcMain, window, plainIcon });
  const ofWindow: Shell = {
    abilities: {
      host: 'app',
      system,
      pickFolder: true,
      dragOut: true,
      updates: updates.isPossible,
      keepRunning: true,
    },
    pickFolder: (request) => pickFolder({ dialog, window: current }, request),
    reveal: (path) => shell.showItemInFolder(path),
    prepareDrag: (files) => dragOut.prepare(files),
    menu: (commands) => menus.show(commands),
    update: (choice) => updates.decide(choice),
    notify({ title, text }) {
      if (!isLookedAt()) notifier.show({ title, body: text, shows: QUEUE });
    },
    powerState: () => ({ keepsAwake: keepAwake.state, onBattery: isOnBatteryNow() }),
    facts,
    // The session of the window reaches nothing outside; the default one goes by the system's settings.
    resolveProxy: (origin) => session.defaultSession.resolveProxy(origin),
    events: (signal) => events.stream(signal),
    power: (signal) => powerEvents(powerMonitor, signal),
  };
  return {
    serveDesktop: (port) => serveShell(ofWindow, port),
    runsWithoutWindow: () => statusIcon.isThere,
    goOnUnseen() {
      // GNOME shows no icons of programs, whatever Electron believes to have put there.
      if (system !== 'linux' || !goesOn) return;
      noteUnseen({ file: join(desktop.dataFolder, 'window', 'told-unseen'), show: (note) => notifier.show(note) });
    },
    goesOn: () => goesOn,
  };
}
