import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { windowOptions } from '../../src/main/window.ts';

/**
 * What of Electron's security checklist no single part of the app can show: that there is no second way around the parts
 * that are tested beside this. `docs/explanation/security.md` has the whole list.
 */
const root = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const sources = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|svelte|html)$/.test(name))
    .map((name) => `${folder}/${name}`);

/** Files of ours in which a pattern is found, comments left out. */
function filesWith(pattern: RegExp, folder: string): string[] {
  return sources(folder).filter((path) => pattern.test(read(path).replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')));
}

describe('there is no second way', () => {
  it('to make a window: each is made with the options of the one', () => {
    expect(filesWith(/new (BrowserWindow|BrowserView|WebContentsView|BaseWindow)\b/, 'src/main')).toEqual([
      'src/main/window.ts',
    ]);
  });

  it('to weaken one by options or switches', () => {
    const weak =
      /webSecurity: false|sandbox: false|contextIsolation: false|nodeIntegration\w*: true|allowRunningInsecureContent: true|experimentalFeatures: true|enableBlinkFeatures|webviewTag: true|bypassCSP|allowServiceWorkers|commandLine\.appendSwitch|no-sandbox|disable-web-security/;
    // One file names a switch, to refuse a start with it.
    expect(filesWith(weak, 'src/main')).toEqual(['src/main/lockdown.ts']);
    expect(read('src/main/lockdown.ts').match(/commandLine\.[\w('-]+/g)).toEqual([
      "commandLine.hasSwitch('no-sandbox'",
    ]);
    const { webPreferences } = windowOptions(null as never, '');
    expect(webPreferences).toMatchObject({
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webSecurity: true,
    });
  });

  it('to load anything but our own page', () => {
    expect(filesWith(/\.loadURL\(/, 'src/main')).toEqual(['src/main/window.ts']);
    expect(filesWith(/\.loadFile\(|['"`]file:\/\/[^']/, 'src/main')).toEqual([]);
    expect(filesWith(/(src|href)="https?:/, 'src/renderer')).toEqual([]);
  });

  it('to have an address opened by the system', () => {
    expect(filesWith(/openExternal\(/, 'src/main')).toEqual(['src/main/lockdown.ts']);
  });

  it('for a page to speak to main', () => {
    // For a port, and to begin the drag that was made ready. Both look at who sends it.
    const doors = filesWith(/ipcMain\b/, 'src/main');
    expect(doors).toEqual(['src/main/pages.ts', 'src/main/features/files.ts']);
    for (const file of doors) {
      expect(read(file).match(/\bipcMain\b.*/g)).toEqual([
        expect.stringMatching(/^ipcMain, .*from 'electron';$/),
        expect.stringMatching(/^ipcMain\.on\(/),
      ]);
      expect(read(file)).toContain('isOfOurPage(event, ');
    }
  });

  it('for the preload script to give a page more than paths and a port', () => {
    const preload = read('src/preload/index.ts');
    expect(preload.match(/exposeInMainWorld\(/g)).toHaveLength(1);
    expect(preload.match(/ipcRenderer\.\w+/g)).toEqual(['ipcRenderer.send', 'ipcRenderer.on', 'ipcRenderer.send']);
    expect(sources('src/preload')).toEqual(['src/preload/index.ts']);
  });

  it('into another program by words: nothing is run through a shell', () => {
    expect(filesWith(/shell: true|execSync|\bexec\(/, 'src/main')).toEqual([]);
  });
});

it('the runtime is pinned exactly, so that it is raised on purpose', () => {
  const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> };
  expect(devDependencies['electron']).toMatch(/^\d+\.\d+\.\d+$/);
  expect(Number(devDependencies['electron']?.split('.')[0])).toBeGreaterThanOrEqual(45);
});
