import { BrowserWindow, dialog, session } from 'electron';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Desktop } from '../../../src/main/desktop.ts';
import { copyDiagnostics, saveDiagnostics } from '../../../src/main/features/diagnostics.ts';
import { pickFolder } from '../../../src/main/features/files.ts';
import { state } from '../electron/index.ts';
import { FakeDesktop } from './support.ts';

describe('choosing a folder', () => {
  afterEach(() => vi.restoreAllMocks());

  it('asks in the window, and returns the choice or that there was none', async () => {
    const window = new BrowserWindow({ webPreferences: { session: session.fromPartition('persist:window') } });
    const asking = vi.spyOn(dialog, 'showOpenDialog');
    asking.mockResolvedValueOnce({ canceled: false, filePaths: ['/films/new'] });
    const request = { title: 'Where to?', action: 'Export to', start: '/films' };
    expect(await pickFolder({ current: () => window }, request)).toEqual({ path: '/films/new' });
    expect(asking).toHaveBeenLastCalledWith(
      window,
      expect.objectContaining({ buttonLabel: 'Export to', defaultPath: '/films', message: 'Where to?' }),
    );
    asking.mockResolvedValueOnce({ canceled: true, filePaths: [] });
    expect(await pickFolder({ current: () => null }, { title: 'Where to?' })).toBeNull();
    expect(asking.mock.lastCall).toHaveLength(1);
  });
});

describe('saving diagnostics', () => {
  let folder: string;
  let fake: FakeDesktop;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'dailies-diagnostics-'));
    fake = new FakeDesktop();
    fake.dataFolder = join(folder, 'data');
    Object.assign(state, { errorBoxes: [], chosen: null });
    state.app.isUp = true;
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it("writes the engine's report, readable for its owner alone", async () => {
    const path = join(folder, 'out.txt');
    state.chosen = path;
    await saveDiagnostics(fake.desktop);
    expect(readFileSync(path, 'utf8')).toBe('whole, of the engine');
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('writes what it can when the engine does not answer', async () => {
    const path = join(folder, 'out.txt');
    state.chosen = path;
    const silent = { desktop: { diagnostics: () => new Promise(() => undefined) } };
    const saving = saveDiagnostics({ ...fake.desktop, client: silent as unknown as Desktop['client'] });
    while (fake.clock.nextWakeAt() === null) await new Promise(setImmediate);
    fake.clock.advance(20_000);
    await saving;
    expect(readFileSync(path, 'utf8')).toContain('It does not answer.');
  });

  it('copies what it can when the engine does not answer, where the app runs included', async () => {
    const silent = { desktop: { diagnostics: () => Promise.reject(new Error('The engine ended.')) } };
    state.dialogs = [];
    const copying = copyDiagnostics({ ...fake.desktop, client: silent as unknown as Desktop['client'] });
    await vi.waitUntil(() => state.dialogs.length > 0);
    state.dialogs[0]?.press('OK');
    await copying;
    expect(state.clipboard).toMatch(/Languages of the system: en-US[^]*It does not answer\.[^]*## Last errors/);
  });

  it('writes nothing when the person thinks better of it, and says why it could not', async () => {
    await saveDiagnostics(fake.desktop);
    expect(state.errorBoxes).toEqual([]);
    state.chosen = join(folder, 'no', 'such', 'folder.txt');
    await saveDiagnostics(fake.desktop);
    expect(state.errorBoxes.join()).toContain('Choose another folder.');
  });
});
