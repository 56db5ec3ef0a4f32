import { implement } from '@orpc/server';
import { RPCHandler } from '@orpc/server/message-port';
import { app, dialog, nativeTheme, Notification, powerMonitor, type PowerMonitor, session, shell } from 'electron';
import { join } from 'node:path';
import { type DesktopEvent, type PowerEvent, shellContract, type UpdateState } from '../../contract/desktop.ts';
import { messageOf } from '../../engine/base/errors.ts';
import { systemOf } from '../../server/web/browser-desktop.ts';
import type { Port } from '../../server/message-port.ts';
import type { Desktop } from '../desktop.ts';
import { languageFor } from '../../contract/messages/languages.ts';
import { speak } from '../../contract/messages/words.ts';
import { systemLanguage } from '../window.ts';
import { appFacts, copyDiagnostics, saveDiagnostics } from './diagnostics.ts';
import { DragOut, pickFolder, wantedAmong } from './files.ts';
import { canInstallCommand, installCommand } from './install-command.ts';
import { Menus } from './menus.ts';
import { noteUnseen, Notifier, QUEUE, reportEnds } from './notifier.ts';
import { isOnBattery, KeepAwake, warnOnBattery } from './power.ts';
import { appUpdates, reportFailedUpdate } from './updates.ts';
import { Dock, StatusIcon } from './status.ts';
import { WorkMonitor } from './work.ts';

/** Brings up everything that only a desktop app can do. */
export function installFeatures(desktop: Desktop) {
  const { client, logger, version, window } = desktop;
  const system = systemOf(process.platform);
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

  const keepAwake = new KeepAwake(desktop.awakeHelper);
  let goesOn = false;
  const dock = new Dock(window, system);
  const updates = appUpdates(desktop, (update) => events.tell({ type: 'update', update }));
  begin(reportFailedUpdate(dialog, { argv: process.argv, version, system }));
  const statusIcon = new StatusIcon(desktop, system, (paused) =>
    begin(paused ? client.queue.pause() : client.queue.resume()),
  );
  const notifier = new Notifier(({ shows }) => show(shows), logger);
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
  const menus = new Menus({
    system,
    devTools: !app.isPackaged,
    run: (id) => events.tell({ type: 'command', id }),
    showWindow: () => window.show(),
    showAbout: () => app.showAboutPanel(),
    saveDiagnostics: () => begin(saveDiagnostics(desktop)),
    copyDiagnostics: () => begin(copyDiagnostics(desktop)),
    ...(canInstallCommand(commandParts) && { installCommand: () => begin(installCommand(commandParts)) }),
  });

  const watch = new WorkMonitor(desktop, (work) => {
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
    nativeTheme.themeSource = settings.appearance;
    await speak(languageFor([settings.language, systemLanguage()]));
    statusIcon.want(settings.keepRunning);
    updates.want(settings.lookForUpdates);
    wantsNotes = settings.messages.system;
  };
  desktop.listen(({ resync, settings }) => {
    if (resync || settings) begin(goBySettings());
  });
  desktop.openings.listen((paths) => begin(wantedAmong(paths).then((wanted) => wanted.forEach(show))));
  desktop.quit.before(() => {
    watch.stop();
    updates.want(false);
    statusIcon.want(false);
  });
  desktop.quit.onSessionEnd(() => updates.leaveForAnotherTime());
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

  const dragOut = new DragOut(window, desktop.packageFolder);
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
    prepareDrag: os.prepareDrag.handler(async ({ input }) => ({ drag: await dragOut.prepare(input.files) })),
    menu: os.menu.handler(({ input }) => menus.show(input.commands)),
    update: os.update.handler(({ input }) => updates.decide(input.choice)),
    notify: os.notify.handler(({ input: { title, text } }) => {
      if (!isLookedAt()) notifier.show({ title, body: text, shows: QUEUE });
    }),
    powerState: os.powerState.handler(() => ({ keepsAwake: keepAwake.state, onBattery: isOnBattery() })),
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
    runsWithoutWindow: (): boolean => statusIcon.isThere,
    /** The last window was closed, and the app keeps running: says where it is, if that cannot be seen. */
    goOnUnseen(): void {
      // GNOME shows no icons of programs, whatever Electron believes to have put there.
      if (system !== 'linux' || !goesOn) return;
      noteUnseen(join(desktop.dataFolder, 'window', 'told-unseen'), notifier);
    },
    /** Whether something goes on by itself, by the last reading: a request may be sent at any moment. */
    goesOn: (): boolean => goesOn,
  };
}

/** Most events to keep for a window that is still opening. */
const MOST_KEPT = 20;

/** Events for windows. Without a listener they wait for the next one: a file may have opened the app. */
export class DesktopEvents {
  readonly #listeners = new Set<(event: DesktopEvent) => void>();
  #kept: DesktopEvent[] = [];
  #update: UpdateState = { state: 'none' };

  tell(event: DesktopEvent): void {
    if (event.type === 'update') this.#update = event.update;
    else if (this.#listeners.size === 0) this.#kept = [...this.#kept, event].slice(-MOST_KEPT);
    for (const listener of this.#listeners) listener(event);
  }

  /** First the state of updates, then the events kept for the window, then new ones. */
  stream(signal: AbortSignal | undefined): AsyncGenerator<DesktopEvent, void, void> {
    const first: DesktopEvent[] = [{ type: 'update', update: this.#update }, ...this.#kept];
    this.#kept = [];
    const subscribe = (hear: (event: DesktopEvent) => void) => {
      this.#listeners.add(hear);
      return () => this.#listeners.delete(hear);
    };
    return streamOf(subscribe, signal, first);
  }
}

/**
 * Events one by one, as fast as the reader reads, `first` before all others. Ends when the signal is aborted or the
 * reader stops.
 */
async function* streamOf<Event>(
  subscribe: (hear: (event: Event) => void) => () => void,
  signal: AbortSignal | undefined,
  first: readonly Event[] = [],
): AsyncGenerator<Event, void, void> {
  const waiting = [...first];
  let wake = (): void => undefined;
  const unsubscribe = subscribe((event) => {
    waiting.push(event);
    wake();
  });
  const end = (): void => wake();
  signal?.addEventListener('abort', end);
  try {
    while (!signal?.aborted) {
      const next = waiting.shift();
      if (next !== undefined) yield next;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    unsubscribe();
    signal?.removeEventListener('abort', end);
  }
}

/** That the machine is about to sleep, and that it is awake again. */
function powerEvents(
  monitor: Pick<PowerMonitor, 'on' | 'off'>,
  signal: AbortSignal | undefined,
): AsyncGenerator<PowerEvent, void, void> {
  return streamOf((hear) => {
    const suspend = (): void => hear('suspend');
    const wake = (): void => hear('wake');
    monitor.on('suspend', suspend);
    monitor.on('resume', wake);
    return () => {
      monitor.off('suspend', suspend);
      monitor.off('resume', wake);
    };
  }, signal);
}
