import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { UpdateState } from '../../../src/contract/desktop.ts';
import { createUpdates, type UpdatesParts } from '../../../src/main/features/updates.ts';
import { FakeDesktop, settled } from './support.ts';

const HOUR = 60 * 60_000;

class FakeUpdater extends EventEmitter {
  autoDownload = false;
  autoInstallOnAppQuit = false;
  looked = 0;
  installed = 0;
  trouble: Error | null = null;
  /** How an installation that was asked for goes: it ends the app, tells an error, throws one, or nothing ever happens. */
  installs: 'well' | 'error' | 'throw' | 'never' = 'well';

  checkForUpdates(): Promise<null> {
    this.looked += 1;
    if (!this.trouble) return Promise.resolve(null);
    this.emit('error', this.trouble);
    return Promise.reject(this.trouble);
  }
  quitAndInstall(): void {
    this.installed += 1;
    const cancelled = new Error('Command pkexec exited with code 126');
    if (this.installs === 'error') this.emit('error', cancelled);
    if (this.installs === 'throw') throw cancelled;
  }
}

function updating(verifier: EventEmitter | null = null, installsOnQuit = true) {
  const updater = new FakeUpdater();
  const { desktop, clock, quits, logged } = new FakeDesktop();
  const told: UpdateState[] = [];
  const restarts: string[] = [];
  const updates = createUpdates({
    updater: updater as unknown as UpdatesParts['updater'],
    installsOnQuit,
    verifier: verifier as unknown as UpdatesParts['verifier'],
    clock,
    logger: desktop.logger,
    tell: (update) => told.push(update),
    quit: desktop.quit,
    relaunch: (without) => restarts.push(without),
  });
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await settled();
  };
  const getReady = (): void => {
    updater.emit('update-available', { version: '2.0.0' });
    updater.emit('update-downloaded', { version: '2.0.0' });
  };
  return { updater, updates, told, quits, logged, restarts, pass, getReady };
}

describe('new versions', () => {
  it('are looked for a while after the start, and a few times a day', async () => {
    const { updater, updates, pass } = updating();
    updates.want(true);
    updates.want(true);
    await pass(10_000);
    expect(updater.looked).toBe(0);
    await pass(20_000);
    expect(updater.looked).toBe(1);
    await pass(6 * HOUR);
    expect(updater.looked).toBe(2);
  });

  it('are not looked for when the person does not want it, from then on', async () => {
    const { updater, updates, pass } = updating();
    updates.want(true);
    await pass(30_000);
    updates.want(false);
    await pass(48 * HOUR);
    expect(updater.looked).toBe(1);
  });

  it('are told of while they are fetched and when they are ready', () => {
    const { updater, told, getReady } = updating();
    updater.emit('update-available', { version: '2.0.0' });
    updater.emit('download-progress', { percent: 41.7 });
    getReady();
    expect(told).toEqual([
      { state: 'fetching', version: '2.0.0', percent: 0 },
      { state: 'fetching', version: '2.0.0', percent: 42 },
      { state: 'fetching', version: '2.0.0', percent: 0 },
      { state: 'ready', version: '2.0.0' },
    ]);
    // At the person's own next quit, which drains as every quit does.
    expect(updater.autoInstallOnAppQuit).toBe(true);
  });

  it('say nothing without a network, and are looked for again', async () => {
    const { updater, updates, told, logged, pass } = updating();
    updater.trouble = new Error('net::ERR_INTERNET_DISCONNECTED');
    updates.want(true);
    await pass(30_000);
    await pass(6 * HOUR);
    expect(updater.looked).toBe(2);
    expect(told).toEqual([]);
    expect(logged.join()).toContain('ERR_INTERNET_DISCONNECTED');
  });

  it('take over once the queue is idle, by the way out that drains, and only when the person says so', () => {
    const { updater, updates, told, quits, getReady } = updating();
    updates.see(false);
    getReady();
    updates.see(true);
    expect(quits).toHaveLength(0);
    updates.see(false);
    updates.decide('when_idle');
    expect(told.at(-1)).toEqual({ state: 'awaited', version: '2.0.0' });
    expect(quits).toHaveLength(0);
    updates.see(true);
    expect(quits).toHaveLength(1);
    expect(updater.installed).toBe(0);
    quits[0]?.();
    expect(updater.installed).toBe(1);
    // Had the person said no to quitting, nobody would quit behind their back.
    updates.see(true);
    expect(quits).toHaveLength(1);
  });

  it.each(['error', 'throw', 'never'] as const)(
    'leave no dead app behind when they cannot be put in place: %s',
    async (installs) => {
      const { updater, updates, quits, restarts, logged, pass, getReady } = updating();
      updater.installs = installs;
      updates.see(true);
      getReady();
      updates.decide('when_idle');
      quits[0]?.();
      await pass(59_000);
      expect(restarts).toHaveLength(installs === 'never' ? 0 : 1);
      await pass(1000);
      expect(restarts).toEqual(['2.0.0']);
      // Or the end of the app would start it again.
      expect(updater.autoInstallOnAppQuit).toBe(false);
      expect(logged.join()).toMatch(/could not be put in place.*(pkexec|within 60 s)/);
    },
  );

  it('are ready on a Mac once they are verified, which may fail', () => {
    const verifier = new EventEmitter();
    const { updater, told, getReady } = updating(verifier);
    getReady();
    expect(told.at(-1)).toMatchObject({ state: 'fetching' });
    updater.emit('error', new Error('Could not get code signature for running application'));
    expect(told.at(-1)).toEqual({ state: 'none' });
    getReady();
    verifier.emit('update-downloaded');
    expect(told.at(-1)).toEqual({ state: 'ready', version: '2.0.0' });
  });

  // A .deb or .rpm is put in place by the administrator's password, which pkexec asks for.
  it('of a package of the system are put in place when asked for, never because the app was quit', () => {
    const { updater, updates, quits, getReady } = updating(null, false);
    getReady();
    expect(updater.autoInstallOnAppQuit).toBe(false);
    updates.see(true);
    updates.decide('when_idle');
    quits[0]?.();
    expect(updater.installed).toBe(1);
  });
});
