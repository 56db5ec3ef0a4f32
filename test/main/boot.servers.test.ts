import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { t } from '../../src/contract/messages/words.ts';

/** The app as it was built: these tests run after the build. */
const BUILT = fileURLToPath(new URL('../../out', import.meta.url));
const REGISTER = fileURLToPath(new URL('./electron/register.ts', import.meta.url));
const DRIVE = fileURLToPath(new URL('./boot/start.ts', import.meta.url));

interface Answered {
  readonly status: number;
  readonly bytes: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** What `boot/drive.ts` saw. */
interface Seen {
  readonly schemes: unknown;
  readonly sandboxed: boolean;
  readonly userData: string;
  readonly crashReporter: unknown;
  readonly window: { readonly webPreferences: Readonly<Record<string, unknown>>; readonly [name: string]: unknown };
  readonly exposed: readonly string[];
  readonly policy: string | null;
  readonly files: readonly { path: string; status: number; type: string }[];
  readonly messages: readonly { resync: boolean; states: readonly string[] }[];
  readonly part: Answered;
  readonly rest: Answered;
  readonly beyond: Answered;
  readonly poster: number;
  readonly engines: readonly string[];
  readonly cutShort: { readonly cut: readonly boolean[]; readonly ended: string };
  readonly opened: unknown;
  readonly asked: string;
  readonly states: readonly string[];
  readonly logs: readonly { name: string; text: string }[];
  readonly told: readonly string[];
  readonly minimized: boolean;
  readonly features: {
    readonly abilities: object;
    readonly revealed: readonly string[];
    readonly dragged: readonly (readonly string[])[];
    readonly menus: readonly string[];
  };
  readonly takesAfter: readonly boolean[];
  readonly exitStatus: number;
  readonly behindSince: number | null;
  readonly keyOfMain: string | null;
  readonly dialogs: readonly string[];
  readonly errors: readonly unknown[];
}

describe('the app as it was built', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dailies-boot-'));
  let seen: Seen;
  let status: number | null;

  beforeAll(async () => {
    if (!existsSync(join(BUILT, 'main', 'index.js'))) throw new Error('Run `npm run build` first.');
    const child = spawn(process.execPath, ['--import', REGISTER, DRIVE, BUILT, folder], { cwd: folder });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (piece: Buffer) => (stdout += piece.toString()));
    child.stderr.on('data', (piece: Buffer) => (stderr += piece.toString()));
    status = await new Promise<number | null>((resolve) => child.once('close', resolve));
    const line = stdout.trimEnd().split('\n').at(-1) ?? '';
    if (!line.startsWith('{')) throw new Error(`The app did not come up: ${stdout}${stderr}`);
    seen = JSON.parse(line) as Seen;
  }, 60_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('opens one window in a sandbox, without Node, on a session of its own', () => {
    expect(seen.window.webPreferences).toMatchObject({
      session: 'persist:window',
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInSubFrames: false,
      nodeIntegrationInWorker: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      experimentalFeatures: false,
      webviewTag: false,
      spellcheck: false,
    });
    expect(Object.keys(seen.window.webPreferences)).not.toContain('enableBlinkFeatures');
    expect(seen.window).toMatchObject({
      name: 'main',
      windowStatePersistence: true,
      minWidth: 1024,
      minHeight: 640,
      show: false,
    });
    expect(seen.sandboxed).toBe(true);
  });

  it('serves the window by a scheme with no power that https has not', () => {
    const privileges = { standard: true, secure: true, supportFetchAPI: true, stream: true, codeCache: true };
    expect(seen.schemes).toEqual([{ scheme: 'dailies', privileges }]);
    expect(seen.policy).toContain("default-src 'none'");
    expect(seen.policy).toContain("script-src 'self'");
    expect(seen.policy).not.toContain('unsafe');
    expect(seen.files.length).toBeGreaterThan(2);
    expect(seen.files.filter((file) => file.status !== 200)).toEqual([]);
    expect(seen.files.map(({ type }) => type)).toContain('text/javascript; charset=utf-8');
  });

  it('gives the page the paths of dropped files and one port, and nothing else', () => {
    expect(seen.exposed).toEqual(['dailies']);
  });

  it('answers calls and tells what changes over the port', () => {
    expect(seen.messages[0]).toEqual({ resync: true, states: [] });
    expect(seen.messages.at(-1)?.states).toContain('saved');
  });

  it('serves the media of a saved take in ranges, as players ask for them', () => {
    expect(seen.part).toMatchObject({ status: 206, bytes: 100, headers: { 'content-type': 'video/mp4' } });
    const [, size] = /^bytes 0-99\/(\d+)$/.exec(seen.part.headers['content-range'] ?? '') ?? [];
    expect(seen.rest).toMatchObject({ status: 206, bytes: Number(size) - 100 });
    expect(seen.beyond).toMatchObject({ status: 416, bytes: 0 });
    expect(seen.part.headers).not.toHaveProperty('set-cookie');
    expect(seen.part.headers['content-security-policy']).toBe(seen.policy);
  });

  it('brings what a page sends to the engine', () => {
    // A hundred zeros are no picture, which shows that they were read.
    expect(seen.poster).toBe(422);
  });

  it('outlives its engine: the page hears of it, and goes on with the next one', () => {
    expect(seen.cutShort.cut).toEqual([true]);
    expect(seen.cutShort.ended).not.toBe('by itself');
    expect(seen.engines.filter((path) => !path.endsWith('facts-reader.js'))).toHaveLength(2);
    expect(seen.takesAfter).toEqual([true]);
  });

  it('opens the paths of a second launch, and comes to the front', () => {
    expect(seen.opened).toEqual({ type: 'open', what: 'list', path: join(folder, 'night.csv') });
    expect(seen.minimized).toBe(false);
  });

  it('does for its window what only an app can, and keeps the machine awake for a take', () => {
    const file = join(realpathSync(folder), 'film', '010', '010_t1.mp4');
    expect(seen.features).toMatchObject({
      abilities: { host: 'app', pickFolder: true, dragOut: true, updates: false },
      revealed: [file],
      dragged: [[file]],
    });
    expect(seen.features.menus).toEqual(expect.arrayContaining(['File', 'Edit', 'View', 'Go']));
  });

  it('keeps everything of its own in the data folder, and sends no crash anywhere', () => {
    expect(seen.userData).toBe(join(folder, 'data', 'window'));
    expect(seen.crashReporter).toEqual({ uploadToServer: false });
  });

  it('has the key of the environment in the process of its engine alone, which sends the takes', () => {
    expect(seen.keyOfMain).toBeNull();
    expect(seen.states).toContain('saved');
  });

  it('notes what happened, and in neither log the key', () => {
    const of = (name: string) => seen.logs.find((log) => log.name === name)?.text;
    expect(of('dailies.log')).toContain('A task was accepted');
    expect(of('desktop.log')).toContain('The process of the engine ended');
    expect(seen.told).toEqual([]);
  });

  it('asks before it ends while a take is being sent, and waits for the answer: nothing is left unknown', () => {
    expect(seen.asked).toBe(t('desktop.quitWhileSending', { count: 1 }));
    expect(seen.states[0]).toBe('saved');
    expect(seen.states[1]).toMatch(/^(accepted|polling|downloading)$/);
  });

  it('ends drained: the folder is free, and nothing keeps the process', () => {
    expect({ app: seen.exitStatus, process: status }).toEqual({ app: 0, process: 0 });
    // An engine that ends well takes its note with it.
    expect(seen.behindSince).toBeNull();
    expect(seen.dialogs).toEqual([]);
    expect(seen.errors).toEqual([]);
  });
});

/** What is loaded at once with a built file, by name: packages, and files of the app itself. */
function loadedWith(entry: string): ReadonlySet<string> {
  const loaded = new Set<string>();
  const visit = (path: string): void => {
    if (loaded.has(path)) return;
    loaded.add(path);
    const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
    for (const statement of source.statements) {
      if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) continue;
      if (!statement.moduleSpecifier || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
      const name = statement.moduleSpecifier.text;
      if (name.startsWith('.')) visit(join(path, '..', name));
      else loaded.add(name);
    }
  };
  visit(join(BUILT, 'main', entry));
  return loaded;
}

describe('the processes', () => {
  it('of the engine does without electron', () => {
    const loaded = loadedWith('engine.js');
    expect(loaded).toContain('better-sqlite3');
    expect(loaded).not.toContain('electron');
  });

  it('of main loads neither the database nor the image library, and so starts at once', () => {
    const loaded = loadedWith('index.js');
    expect(loaded).toContain('electron');
    expect(loaded).not.toContain('better-sqlite3');
    expect(loaded).not.toContain('sharp');
  });
});
