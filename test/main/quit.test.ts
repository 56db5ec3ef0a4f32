import { app, BrowserWindow, powerMonitor, session } from 'electron';
import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { createQuit, type Quit } from '../../src/main/quit.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { MemoryLog } from '../support/world.ts';
import type { BrowserWindow as WindowStandIn } from './electron/browser-window.ts';
import { state } from './electron/index.ts';
import { t } from '../../src/contract/messages/words.ts';

/** Longer than any answer of the service. */
const LONG = 3_600_000;

describe('the way out', () => {
  let clock: FakeClock;
  let quit: Quit;
  let signals: EventEmitter;
  let steps: string[];
  let sending: number | 'no answer';
  let pageStays: boolean;
  let mayBeSending: boolean;
  let drained: PromiseWithResolvers<null>;
  const settle = async (): Promise<void> => {
    for (let turns = 0; turns < 10; turns += 1) await setImmediate();
  };

  beforeEach(() => {
    state.app.removeAllListeners();
    powerMonitor.removeAllListeners();
    state.app.exitStatus = null;
    state.windows.length = 0;
    state.dialogs = [];
    clock = new FakeClock();
    signals = new EventEmitter();
    steps = [];
    sending = 0;
    pageStays = false;
    mayBeSending = false;
    drained = Promise.withResolvers();
    const view = () =>
      sending === 'no answer'
        ? new Promise(() => undefined)
        : Promise.resolve({ status: { underWay: { submit: sending } } });
    const engine = {
      isRunning: true,
      client: { queue: { view } } as never,
      async stop(force: AbortSignal) {
        steps.push('drain');
        const forced = new Promise((resolve) => force.addEventListener('abort', () => resolve(steps.push('force'))));
        await Promise.race([drained.promise, forced]);
      },
    };
    const window = {
      close() {
        steps.push('close');
        return Promise.resolve(!pageStays);
      },
      destroy: () => void steps.push('destroy'),
    };
    const logger = new MemoryLog();
    quit = createQuit(engine, window, () => mayBeSending, { clock, logger, signals: signals as never });
    quit.before(() => void steps.push('before'));
  });

  it('asks nothing when nothing is being sent: it drains, then ends', async () => {
    app.quit();
    await settle();
    expect(steps).toEqual(['close', 'before', 'drain']);
    expect(state.dialogs).toEqual([]);
    expect(state.app.exitStatus).toBeNull();
    drained.resolve(null);
    await settle();
    expect(state.app.exitStatus).toBe(0);
  });

  it('asks when takes are being sent just then, and goes on when the person stays', async () => {
    sending = 2;
    app.quit();
    await settle();
    expect(state.dialogs[0]?.options.message).toBe(t('desktop.quitWhileSending', { count: 2 }));
    state.dialogs[0]?.press(t('common.keepRunning'));
    await settle();
    expect({ steps, under: quit.isUnderWay }).toEqual({ steps: [], under: false });

    sending = 1;
    app.quit();
    await settle();
    expect(state.dialogs[0]?.options.message).toBe(t('desktop.quitWhileSending', { count: 1 }));
    state.dialogs[0]?.press(t('desktop.waitAndQuit'));
    await settle();
    expect(steps).toEqual(['close', 'before', 'drain']);
  });

  it('does not wait for an engine that says nothing', async () => {
    sending = 'no answer';
    app.quit();
    await settle();
    clock.advance(2000);
    await settle();
    expect(steps).toEqual(['close', 'before', 'drain']);
  });

  it('goes on when a page is busy and the person stays', async () => {
    pageStays = true;
    app.quit();
    await settle();
    expect({ steps, under: quit.isUnderWay }).toEqual({ steps: ['close'], under: false });
  });

  it('says what it waits for when that takes long, until it is over', async () => {
    quit.begin();
    await settle();
    clock.advance(2000);
    await settle();
    expect(state.dialogs[0]?.options.message).toBe(t('desktop.quitWaiting'));
    drained.resolve(null);
    await settle();
    expect(state.dialogs).toEqual([]);
    expect(state.app.exitStatus).toBe(0);
    expect(steps).not.toContain('force');
  });

  it('waits no longer when the person says so', async () => {
    quit.begin();
    await settle();
    clock.advance(2000);
    await settle();
    state.dialogs[0]?.press('Quit now');
    await settle();
    expect(steps.at(-2)).toBe('force');
    expect(state.app.exitStatus).toBe(0);
  });

  it('waits no longer when it is asked to quit once more', async () => {
    app.quit();
    await settle();
    app.quit();
    await settle();
    expect(steps).toEqual(['close', 'before', 'drain', 'force', 'destroy']);
    expect(state.app.exitStatus).toBe(0);
  });

  it('does not wait for ever', async () => {
    quit.begin();
    await settle();
    clock.advance(LONG);
    await settle();
    expect(steps.at(-2)).toBe('force');
  });

  it('asks nobody when the machine goes down', async () => {
    sending = 3;
    let prevented = false;
    powerMonitor.emit('shutdown', { preventDefault: () => (prevented = true) });
    await settle();
    expect(prevented).toBe(true);
    expect(state.dialogs).toEqual([]);
    expect(steps).toEqual(['before', 'drain']);
    drained.resolve(null);
    await settle();
    // A page with running uploads would ask whether to stay.
    expect(steps).toEqual(['before', 'drain', 'destroy']);
    expect(state.app.exitStatus).toBe(0);
  });

  it.each(['SIGTERM', 'SIGHUP'])('asks nobody at a %s, however often it comes', async (signal) => {
    sending = 3;
    signals.emit(signal);
    signals.emit('SIGTERM');
    await settle();
    expect(state.dialogs).toEqual([]);
    expect(steps).toEqual(['before', 'drain']);
    drained.resolve(null);
    await settle();
    expect(state.app.exitStatus).toBe(0);
  });

  it('has Windows wait while something may be on its way, and for nothing else', async () => {
    const window = new BrowserWindow({ webPreferences: { session: session.fromPartition('quit') } });
    const standIn = window as unknown as WindowStandIn;
    expect(standIn.isPrevented('query-session-end')).toBe(false);
    expect(quit.isUnderWay).toBe(false);
    mayBeSending = true;
    expect(standIn.isPrevented('query-session-end')).toBe(true);
    await settle();
    expect(state.dialogs).toEqual([]);
    expect(steps).toEqual(['before', 'drain']);
    expect(standIn.isPrevented('query-session-end')).toBe(true);
    drained.resolve(null);
    await settle();
    expect(steps).toEqual(['before', 'drain', 'destroy']);
    expect(standIn.isPrevented('query-session-end')).toBe(false);
    expect(state.app.exitStatus).toBe(0);
  });

  it('leaves at once when Windows ends the session without asking', async () => {
    const window = new BrowserWindow({ webPreferences: { session: session.fromPartition('quit') } });
    (window as unknown as WindowStandIn).emit('session-end');
    drained.resolve(null);
    await settle();
    expect(state.app.exitStatus).toBe(0);
  });

  it('installs nothing while the session ends, however far it had come', async () => {
    quit.onSessionEnd(() => void steps.push('leave it'));
    quit.begin(() => void steps.push('install'));
    await settle();
    powerMonitor.emit('shutdown');
    drained.resolve(null);
    await settle();
    expect(steps).toEqual(['close', 'before', 'drain', 'leave it', 'destroy']);
    expect(state.app.exitStatus).toBe(0);
  });

  it('asks nobody when Windows ends the session, even while it was asking', async () => {
    sending = 3;
    app.quit();
    await settle();
    expect(state.dialogs).toHaveLength(1);
    signals.emit('SIGTERM');
    signals.emit('SIGTERM');
    await settle();
    state.dialogs[0]?.press(t('desktop.waitAndQuit'));
    drained.resolve(null);
    await settle();
    expect(steps.filter((step) => step === 'drain')).toEqual(['drain']);
    expect(state.app.exitStatus).toBe(0);
  });

  it('ends as it was told to, once all is drained', async () => {
    quit.begin(() => void steps.push('install'));
    drained.resolve(null);
    await settle();
    expect(steps).toEqual(['close', 'before', 'drain', 'destroy', 'install']);
    expect(state.app.exitStatus).toBeNull();
    app.quit();
    expect(state.app.exitStatus).toBe(0);
  });

  it('is not held up by work that fails', async () => {
    quit.before(() => Promise.reject(new Error('no')));
    quit.begin();
    drained.resolve(null);
    await settle();
    expect(state.app.exitStatus).toBe(0);
  });
});
