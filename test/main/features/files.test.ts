import { pickFolder, type PickFolderParts } from '../../../src/main/features/files.ts';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copyDiagnostics, saveDiagnostics, type SaveDiagnosticsParts } from '../../../src/main/features/diagnostics.ts';
import { FakeDesktop } from './support.ts';

describe('choosing a folder', () => {
  const window = { id: 1 } as ReturnType<PickFolderParts['window']>;

  it('asks in the window, and returns the choice or that there was none', async () => {
    const asked: unknown[][] = [];
    let answer = { canceled: false, filePaths: ['/films/new'] };
    const dialog = {
      showOpenDialog: (...args: unknown[]) => {
        asked.push(args);
        return Promise.resolve(answer);
      },
    } as PickFolderParts['dialog'];
    const request = { title: 'Where to?', action: 'Export to', start: '/films' };
    expect(await pickFolder({ dialog, window: () => window }, request)).toBe('/films/new');
    expect(asked[0]).toMatchObject([window, { buttonLabel: 'Export to', defaultPath: '/films', message: 'Where to?' }]);
    answer = { canceled: true, filePaths: [] };
    expect(await pickFolder({ dialog, window: () => null }, { title: 'Where to?' })).toBeNull();
    expect(asked[1]).toHaveLength(1);
  });
});

describe('saving diagnostics', () => {
  let folder: string;
  let fake: FakeDesktop;
  const errors: string[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'dailies-diagnostics-'));
    fake = new FakeDesktop();
    errors.length = 0;
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  const partsWith = (filePath: string): SaveDiagnosticsParts => ({
    desktop: { ...fake.desktop, dataFolder: join(folder, 'data') },
    dialog: {
      showSaveDialog: () => Promise.resolve({ canceled: filePath === '', filePath }),
      showErrorBox: (_title: string, content: string) => void errors.push(content),
    } as SaveDiagnosticsParts['dialog'],
    window: () => null,
    homeFolder: folder,
    appFacts: () => ['Session: wayland, GNOME'],
    folder,
  });

  it("writes the engine's report, readable for its owner alone", async () => {
    const path = join(folder, 'out.txt');
    await saveDiagnostics(partsWith(path));
    expect(readFileSync(path, 'utf8')).toBe('whole, of the engine');
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('writes what it can when the engine does not answer', async () => {
    const path = join(folder, 'out.txt');
    const parts = partsWith(path);
    const silent = { desktop: { diagnostics: () => new Promise(() => undefined) } };
    const saving = saveDiagnostics({
      ...parts,
      desktop: { ...parts.desktop, client: silent as unknown as typeof parts.desktop.client },
    });
    while (fake.clock.nextWakeAt() === null) await new Promise(setImmediate);
    fake.clock.advance(20_000);
    await saving;
    expect(readFileSync(path, 'utf8')).toContain('It does not answer.');
  });

  it('copies what it can when the engine does not answer, where the app runs included', async () => {
    const copied: string[] = [];
    const parts = partsWith('');
    const silent = { desktop: { diagnostics: () => Promise.reject(new Error('The engine ended.')) } };
    await copyDiagnostics({
      ...parts,
      desktop: { ...parts.desktop, client: silent as unknown as typeof parts.desktop.client },
      clipboard: { writeText: (text) => Promise.resolve(void copied.push(text)) },
      dialog: { showMessageBox: () => Promise.resolve({ response: 0, checkboxChecked: false }) },
    });
    expect(copied.join()).toMatch(/Session: wayland, GNOME[^]*It does not answer\.[^]*## Last errors/);
  });

  it('writes nothing when the person thinks better of it, and says why it could not', async () => {
    await saveDiagnostics(partsWith(''));
    expect(errors).toEqual([]);
    await saveDiagnostics(partsWith(join(folder, 'no', 'such', 'folder.txt')));
    expect(errors.join()).toContain('Choose another folder.');
  });
});
