import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

describe('a launch', () => {
  let folder: string;
  const argv = process.argv;

  /** Launches the app with these arguments, up to where Electron would be ready. */
  const launch = async (args: readonly string[], isFirst: boolean, isPackaged = false, languages = ['en-US']) => {
    vi.resetModules();
    const { state } = await import('./electron/index.ts');
    Object.assign(state.app, { isFirst, isPackaged, languages });
    state.app.switches = new Set(args.filter((arg) => arg.startsWith('--')).map((arg) => arg.slice(2)));
    // Some ways of starting it put switches before the folder that it is run from.
    process.argv = ['electron', '--inspect', '/checkout/app', ...args];
    await import('../../src/main/index.ts');
    return state;
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'dailies-launch-'));
    vi.stubEnv('DAILIES_DATA', join(folder, 'data'));
  });
  afterEach(() => {
    process.argv = argv;
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });

  it('that is not the first hands its files over and ends, before anything else', async () => {
    const state = await launch([join(folder, 'day1.csv'), '--flag', 'https://example.com/'], false);
    expect(state.app.messageToFirst).toEqual({ paths: [join(folder, 'day1.csv')] });
    expect(state.app.exitStatus).toBe(0);
    expect({ schemes: state.schemes, windows: state.windows }).toEqual({ schemes: [], windows: [] });
  });

  it('that is the first keeps what is its own in the data folder, which nobody else may enter', async () => {
    const state = await launch([], true);
    expect(state.app.exitStatus).toBeNull();
    expect(state.app.paths['userData']).toBe(join(folder, 'data', 'window'));
    expect(statSync(join(folder, 'data')).mode & 0o077).toBe(0);
    expect(state.app.sandboxed).toBe(true);
    expect(state.app.name).toBe('Dailies');
  });

  it.each([
    [{}, ['zh-Hans-CN', 'en-US'], '取消'],
    [{ language: 'system' }, ['de-DE'], 'Cancel'],
    [{ language: 'zh-CN' }, ['en-US'], '取消'],
    [{ language: 'klingon' }, ['zh-TW'], '取消'],
    ['broken', ['en-US'], 'Cancel'],
  ])('speaks as the settings %j say, else as the system %j does', async (settings, system, cancel) => {
    mkdirSync(join(folder, 'data'));
    writeFileSync(join(folder, 'data', 'settings.json'), JSON.stringify(settings));
    await launch([], true, false, system);
    const { t: say } = await import('../../src/contract/messages/words.ts');
    expect(say('common.cancel')).toBe(cancel);
  });

  it('without a place for its data says so in words, and ends', async () => {
    writeFileSync(join(folder, 'data'), 'a file, not a folder');
    const state = await launch([], true);
    expect(state.app.exitStatus).toBeNull();
    state.app.becomeReady();
    await vi.waitUntil(() => state.app.exitStatus === 1);
    const [[title, content] = ['', '']] = state.errorBoxes;
    expect(title).toBe('Dailies cannot start');
    expect(content).toContain(join(folder, 'data'));
    expect(content).not.toMatch(/\bat .*\.(ts|js)/);
    expect(existsSync(join(folder, 'data', 'window'))).toBe(false);
    expect(state.app.paths['userData']?.startsWith(tmpdir())).toBe(true);
  });

  it('without a sandbox says what that means and ends: an AppImage starts so by itself', async () => {
    const state = await launch(['--no-sandbox'], true, true);
    expect(state.app.messageToFirst).toBeNull();
    state.app.becomeReady();
    await vi.waitUntil(() => state.app.exitStatus === 1);
    const [[, content] = ['', '']] = state.errorBoxes;
    expect(content).toContain('kernel.apparmor_restrict_unprivileged_userns=0');
    expect(state.windows).toEqual([]);
  });

  it('without a sandbox continues where a person asked for it, and while it is built', async () => {
    expect((await launch(['--no-sandbox'], true)).app.sandboxed).toBe(true);
    vi.stubEnv('DAILIES_NO_SANDBOX', '1');
    expect((await launch(['--no-sandbox'], true, true)).app.sandboxed).toBe(true);
  });
});
