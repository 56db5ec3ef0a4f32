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
  const asked = (): Promise<void> => {
    app.quit();
    return settle();
  };
  const begun = (ending?: () => void): Promise<void> => {
    quit.begin(ending);
    return settle();
  };
  const passed = (ms: number): Promise<void> => {
    clock.advance(ms);
    return settle();
  };
  const expectEnd = async (): Promise<void> => {
    drained.resolve(null);
    await settle();
    expect(state.app.exitStatus).toBe(0);
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
    await asked();
    expect(steps).toEqual(['close', 'before', 'drain']);
    expect(state.dialogs).toEqual([]);
    expect(state.app.exitStatus).toBeNull();
    await expectEnd();
  });

  it('asks when takes are being sent just then, and goes on when the person stays', async () => {
    sending = 2;
    await asked();
    expect(state.dialogs[0]?.options.message).toBe(t('desktop.quitWhileSending', { count: 2 }));
    state.dialogs[0]?.press(t('common.keepRunning'));
    await settle();
    expect({ steps, under: quit.isUnderWay }).toEqual({ steps: [], under: false });

    sending = 1;
    await asked();
    expect(state.dialogs[0]?.options.message).toBe(t('desktop.quitWhileSending', { count: 1 }));
    state.dialogs[0]?.press(t('desktop.waitAndQuit'));
    await settle();
    expect(steps).toEqual(['close', 'before', 'drain']);
  });

  it('does not wait for an engine that says nothing', async () => {
    sending = 'no answer';
    await asked();
    await passed(2000);
    expect(steps).toEqual(['close', 'before', 'drain']);
  });

  it('goes on when a page is busy and the person stays', async () => {
    pageStays = true;
    await asked();
    expect({ steps, under: quit.isUnderWay }).toEqual({ steps: ['close'], under: false });
  });

  it('says what it waits for when that takes long, until it is over', async () => {
    await begun();
    await passed(2000);
    expect(state.dialogs[0]?.options.message).toBe(t('desktop.quitWaiting'));
    await expectEnd();
    expect(state.dialogs).toEqual([]);
    expect(steps).not.toContain('force');
  });

  it('waits no longer when the person says so', async () => {
    await begun();
    await passed(2000);
    state.dialogs[0]?.press('Quit now');
    await settle();
    expect(steps.at(-2)).toBe('force');
    expect(state.app.exitStatus).toBe(0);
  });

  it('waits no longer when it is asked to quit once more', async () => {
    await asked();
    await asked();
    expect(steps).toEqual(['close', 'before', 'drain', 'force', 'destroy']);
    expect(state.app.exitStatus).toBe(0);
  });

  it('does not wait for ever', async () => {
    await begun();
    await passed(LONG);
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
    await expectEnd();
    // A page with running uploads would ask whether to stay.
    expect(steps).toEqual(['before', 'drain', 'destroy']);
  });

  it.each(['SIGTERM', 'SIGHUP'])('asks nobody at a %s, however often it comes', async (signal) => {
    sending = 3;
    signals.emit(signal);
    signals.emit('SIGTERM');
    await settle();
    expect(state.dialogs).toEqual([]);
    expect(steps).toEqual(['before', 'drain']);
    await expectEnd();
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
    await expectEnd();
    expect(steps).toEqual(['before', 'drain', 'destroy']);
    expect(standIn.isPrevented('query-session-end')).toBe(false);
  });

  it('leaves at once when Windows ends the session without asking', async () => {
    const window = new BrowserWindow({ webPreferences: { session: session.fromPartition('quit') } });
    (window as unknown as WindowStandIn).emit('session-end');
    await expectEnd();
  });

  it('installs nothing while the session ends, however far it had come', async () => {
    quit.onSessionEnd(() => void steps.push('leave it'));
    await begun(() => void steps.push('install'));
    powerMonitor.emit('shutdown');
    await expectEnd();
    expect(steps).toEqual(['close', 'before', 'drain', 'leave it', 'destroy']);
  });

  it('asks nobody when Windows ends the session, even while it was asking', async () => {
    sending = 3;
    await asked();
    expect(state.dialogs).toHaveLength(1);
    signals.emit('SIGTERM');
    signals.emit('SIGTERM');
    await settle();
    state.dialogs[0]?.press(t('desktop.waitAndQuit'));
    await expectEnd();
    expect(steps.filter((step) => step === 'drain')).toEqual(['drain']);
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
    await expectEnd();
  });
});
