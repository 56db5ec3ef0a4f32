import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { MessageChannel } from 'node:worker_threads';
import type { DesktopEvent } from '../../../src/contract/desktop.ts';
import { desktopOver, followPower } from '../../../src/main/engine-host.ts';
import { installFeatures } from '../../../src/main/features/index.ts';
import { BrowserWindow, ipcMain, nativeTheme, state, type Menu } from '../electron/index.ts';
import { SessionStandIn } from '../electron/session.ts';
import { aBatch, aProject, aQueue, FakeDesktop, settled } from './support.ts';
import { t } from '../../../src/contract/messages/words.ts';

/** Everything composed as in the app, on the stand-in of Electron, with an engine that is what the test says. */
describe('the features of the app together', () => {
  let fake: FakeDesktop;
  let features: ReturnType<typeof installFeatures>;
  let engineSide: ReturnType<typeof desktopOver>;
  let window: BrowserWindow;
  let ports: MessageChannel;
  let leaving: AbortController;

  beforeEach(() => {
    state.app.removeAllListeners();
    ipcMain.removeAllListeners();
    Object.assign(state, { notifications: [], revealed: [], popups: [], awake: [], badge: 0, chosen: null });
    fake = new FakeDesktop();
    features = installFeatures(fake.desktop);
    window = new BrowserWindow({ webPreferences: { session: new SessionStandIn('features') } });
    fake.window = window;
    ports = new MessageChannel();
    features.serveDesktop(ports.port1 as never);
    engineSide = desktopOver(ports.port2);
    leaving = new AbortController();
  });

  afterEach(() => {
    leaving.abort();
    fake.window = null;
    window.destroy();
    ports.port1.close();
  });

  const menu = (): Menu => state.menu as Menu;

  /** Events for the window from now on. */
  async function listening(): Promise<{ heard: DesktopEvent[] }> {
    const heard: DesktopEvent[] = [];
    const stream = await engineSide.events(undefined, { signal: leaving.signal });
    void (async () => {
      for await (const event of stream) heard.push(event);
    })().catch(() => undefined);
    await arrived(() => heard.length > 0);
    return { heard };
  }

  const arrived = async (isThere: () => boolean): Promise<void> => {
    for (let turn = 0; turn < 50_000 && !isThere(); turn += 1) await settled();
    if (!isThere()) throw new Error('It did not arrive.');
  };

  it('keep the machine awake while something goes on by itself, and say so', async () => {
    expect(await engineSide.powerState()).toMatchObject({ keepsAwake: false });
    fake.projects = [aProject('film', { unfinished: 2 })];
    fake.batches = [aBatch('a', { unfinished: 2 })];
    await fake.tell();
    expect(state.awake).toEqual(['prevent-app-suspension']);
    expect(await engineSide.powerState()).toMatchObject({ keepsAwake: true });
    expect(features.hasPendingWork()).toBe(true);
    fake.queue = aQueue({ run: { is: 'paused' }, pausedByUser: true });
    await fake.tell();
    expect(state.awake).toEqual([]);
    expect(await engineSide.powerState()).toMatchObject({ keepsAwake: false });
    expect(features.hasPendingWork()).toBe(false);
  });

  it('tell of the end of a batch once, and a click leads there', async () => {
    const { heard } = await listening();
    fake.projects = [aProject('film', { unfinished: 1 })];
    fake.batches = [aBatch('a', { saved: 2, unfinished: 1 })];
    await fake.tell();
    expect(window.progress).toBeCloseTo(2 / 3);
    fake.projects = [aProject('film', { saved: 2, unknown: 1 })];
    fake.batches = [aBatch('a', { saved: 2, unknown: 1 })];
    fake.queue = aQueue({ run: { is: 'over' } });
    await fake.tell();
    await fake.tell();
    expect(window.progress).toBe(-1);
    expect(state.notifications.map(({ options }) => options.title)).toEqual(['“Day 1” needs a decision']);
    state.notifications[0]?.emit('click');
    expect(fake.shown).toBe(1);
    await arrived(() => heard.length > 1);
    expect(heard.at(-1)).toEqual({
      type: 'show',
      view: 'queue',
      projectId: 'film',
      detail: { of: 'film', batch: 'a' },
    });
  });

  it('go with the appearance of the settings when it changes', async () => {
    fake.settings = { ...fake.settings, appearance: 'light' };
    await fake.tell({ resync: true });
    expect(nativeTheme.themeSource).toBe('light');
    fake.settings = { ...fake.settings, appearance: 'system' };
    await fake.tell({ settings: false });
    expect(nativeTheme.themeSource).toBe('light');
    await fake.tell({ settings: true });
    expect(nativeTheme.themeSource).toBe('system');
  });

  it('go on without a window only when the person wants that, with a way back in', async () => {
    await fake.tell({ resync: true });
    expect(features.runsWithoutWindow()).toBe(false);
    expect(state.tray).toBeNull();
    fake.settings = { ...fake.settings, keepRunning: true };
    await fake.tell({ settings: true });
    expect(features.runsWithoutWindow()).toBe(true);
    expect(state.tray?.toolTip).toBe(`Dailies: ${t('status.empty')}`);
    state.tray?.menu?.choose('Open Dailies');
    expect(fake.shown).toBe(1);
    state.tray?.menu?.choose(t('queue.pause'));
    fake.queue = aQueue({ pausedByUser: true, run: { is: 'paused' } });
    await fake.tell();
    state.tray?.menu?.choose(t('queue.resume'));
    expect(fake.asked).toEqual(['pause', 'resume']);
    state.tray?.menu?.choose('Quit Dailies');
    expect(fake.quits).toHaveLength(1);
    fake.settings = { ...fake.settings, keepRunning: false };
    await fake.tell({ settings: true });
    expect(state.tray).toBeNull();
    expect(features.runsWithoutWindow()).toBe(false);
  });

  // GNOME shows no status icons, and Electron is told nothing of that
  // (https://github.com/electron/electron/issues/10427).
  it('say once, of all times, how to come back to an app that goes on unseen on Linux', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dailies-unseen-'));
    mkdirSync(join(folder, 'window'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const { platform } = process;
    onTestFinished(() => void Object.defineProperty(process, 'platform', { value: platform }));
    const titlesOn = async (system: NodeJS.Platform, unfinished: number): Promise<unknown[]> => {
      Object.defineProperty(process, 'platform', { value: system });
      state.notifications = [];
      const fresh = new FakeDesktop();
      fresh.dataFolder = folder;
      fresh.queue = aQueue({ run: { is: unfinished > 0 ? 'going' : 'over' } });
      const installed = installFeatures(fresh.desktop);
      await fresh.tell();
      installed.goOnUnseen();
      return state.notifications.map(({ options }) => options.title);
    };
    expect(await titlesOn('darwin', 1)).toEqual([]);
    expect(await titlesOn('linux', 0)).toEqual([]);
    expect(await titlesOn('linux', 1)).toEqual([t('notification.goesOnUnseen')]);
    expect(await titlesOn('linux', 1)).toEqual([]);
  });

  it('show in the menus what the window can do, and do it', async () => {
    const { heard } = await listening();
    const command = { id: 'go-queue', title: 'Go to queue', group: 'Go', keys: 'g q', enabled: true };
    await engineSide.menu({ commands: [command] });
    menu().choose('Go', 'Go to queue');
    await arrived(() => heard.length > 1);
    expect(heard.at(-1)).toEqual({ type: 'command', id: 'go-queue' });
    fake.window = null;
    window.destroy();
    expect(() => menu().choose('Go', 'Go to queue')).toThrow();
  });

  it('keep what was opened for the window that is still to come', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dailies-together-'));
    const list = join(folder, 'day.csv');
    writeFileSync(list, 'shot\n');
    fake.open('/etc/passwd', list);
    await arrived(() => fake.shown === 1);
    rmSync(folder, { recursive: true });
    const { heard } = await listening();
    await arrived(() => heard.length > 1);
    expect(heard).toEqual([
      { type: 'update', update: { state: 'none' } },
      { type: 'open', what: 'list', path: list },
    ]);
    // Told once: another window does not open it again.
    leaving.abort();
    leaving = new AbortController();
    expect((await listening()).heard).toHaveLength(1);
  });

  it('let the engine rest while the machine sleeps', async () => {
    const told: string[] = [];
    const queue = { rest: () => void told.push('rest'), wake: () => void told.push('wake') };
    const { powerMonitor } = await import('../electron/index.ts');
    const following = followPower(engineSide, queue, leaving.signal);
    await arrived(() => powerMonitor.listenerCount('suspend') > 0);
    powerMonitor.emit('suspend');
    powerMonitor.emit('resume');
    await arrived(() => told.length === 2);
    expect(told).toEqual(['rest', 'wake']);
    leaving.abort();
    await following;
    await arrived(() => powerMonitor.listenerCount('suspend') === 0);
  });

  it('choose folders, show files and carry them out for the window', async () => {
    expect(await engineSide.abilities()).toMatchObject({
      host: 'app',
      pickFolder: true,
      dragOut: true,
      updates: false,
    });
    expect(await engineSide.pickFolder({ title: 'Where?' })).toBeNull();
    state.chosen = '/films/new';
    expect(await engineSide.pickFolder({ title: 'Where?' })).toEqual({ path: '/films/new' });
    await engineSide.reveal({ path: '/films/a.mp4' });
    expect(state.revealed).toEqual(['/films/a.mp4']);
    const files: [string, string] = ['/films/a.mp4', '/films/b.mp4'];
    const { drag } = await engineSide.prepareDrag({ files });
    window.webContents.mainFrame.url = 'dailies://app/';
    window.webContents.send('dailies:drag', window.webContents.mainFrame, drag);
    expect(window.webContents.dragged).toEqual([files]);
  });

  it('copy a short report from the menu, and tell the engine where the app runs', async () => {
    menu().choose(t('menu.role.help'), 'Copy diagnostics');
    await arrived(() => state.dialogs.length > 0);
    expect(state.clipboard).toBe('short, of the engine');
    expect(state.dialogs[0]?.options.message).toBe('Diagnostics copied');
    state.dialogs[0]?.press('OK');
    const facts = await engineSide.facts();
    expect(facts).toContain('GPU: gpu_compositing enabled, webgl disabled_software');
    expect(facts).toContain('Languages of the system: en-US');
  });
});
