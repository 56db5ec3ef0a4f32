import { FuseV1Options, FuseVersion, flipFuses } from '@electron/fuses';
import { _electron, expect, type ElectronApplication, type Page } from '@playwright/test';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { electronBinary } from '../../../scripts/electron-binary.ts';
import type { TestHost, TestMachine } from './host.ts';

const root = resolve(import.meta.dirname, '../../..');

/**
 * The desktop app: the packaged one in the folder that `DAILIES_APP` names, else this checkout's under the Electron that
 * was downloaded for it. Pages are reached through `window`, which stands for whichever window is open.
 */
export class DesktopTestHost implements TestHost {
  readonly #machine: TestMachine;
  readonly #window: StandingPage;
  #app: ElectronApplication | null = null;

  constructor(machine: TestMachine, window: StandingPage) {
    this.#machine = machine;
    this.#window = window;
  }

  async start(env: Record<string, string>): Promise<void> {
    const { folder, watch } = this.#machine;
    const { executablePath, args } = await program();
    const app = await _electron.launch({
      executablePath,
      args,
      cwd: folder,
      // As for everybody else: the app asks for its sandbox.
      chromiumSandbox: true,
      colorScheme: 'dark',
      env: { ...textsOf(process.env), HOME: folder, USERPROFILE: folder, DAILIES_DATA: join(folder, 'data'), ...env },
    });
    this.#app = app;
    // The system's dialogues cannot be seen from here, so they wait for an answer of the test.
    await app.evaluate(({ dialog }) => {
      dialog.showOpenDialog = () =>
        new Promise((answer) => {
          const answers = globalThis as { dailiesAnswer?: (path: string) => void };
          answers.dailiesAnswer = (path) => answer({ canceled: false, filePaths: [path] });
        });
    });
    const page = await app.firstWindow();
    await page.emulateMedia({ reducedMotion: 'reduce' });
    watch(page);
    this.#window.standFor(page);
  }

  async show(): Promise<void> {
    const { width, height } = this.#window.size;
    await this.#running().evaluate(
      ({ BrowserWindow }, size) => BrowserWindow.getAllWindows()[0]?.setContentSize(size.width, size.height),
      { width, height },
    );
    await this.#machine.page.waitForLoadState();
    // A page works in a window that nobody sees, too.
    await expect
      .poll(() => this.#running().evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible()))
      .toBe(true);
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const app = this.#app;
    this.#app = null;
    if (!app) return;
    if (signal === 'SIGTERM') return app.close();
    const ended = new Promise((resolveEnd) => app.process().once('exit', resolveEnd));
    app.process().kill(signal);
    await ended;
  }

  async chooseFolder(folder: string): Promise<void> {
    await expect
      .poll(() =>
        this.#running().evaluate((_electronModule, path) => {
          const answers = globalThis as { dailiesAnswer?: ((path: string) => void) | undefined };
          const { dailiesAnswer } = answers;
          answers.dailiesAnswer = undefined;
          dailiesAnswer?.(path);
          return dailiesAnswer !== undefined;
        }, folder),
      )
      .toBe(true);
  }

  /** Asked of the system, because pages of the app may write there but not read. */
  clipboard(): Promise<string> {
    return this.#running().evaluate(({ clipboard }) => clipboard.readText());
  }

  #running(): ElectronApplication {
    if (!this.#app) throw new Error('The app does not run.');
    return this.#app;
  }
}

/** A page for the tests to hold from the beginning on, while windows come and go behind it. */
export class StandingPage {
  readonly page: Page;
  readonly size: { readonly width: number; readonly height: number };
  #behind: Page | null = null;

  constructor(size: { readonly width: number; readonly height: number }) {
    this.size = size;
    this.page = new Proxy({} as Page, {
      get: (_none, name) => {
        const page = this.#behind;
        if (!page) throw new Error('The window is not open yet: call app.open() first.');
        const value: unknown = Reflect.get(page, name, page);
        return typeof value === 'function' && name !== 'constructor' ? (value.bind(page) as unknown) : value;
      },
    });
  }

  standFor(page: Page): void {
    this.#behind = page;
  }
}

let inspectable: Promise<string> | null = null;

/**
 * Chromium has the system keep the key that encrypts its cookies. A home folder of the test's own has no keychain, and
 * that of the person who runs the tests asks them: either dialogue stops the app. Playwright does the same for browsers.
 */
const WITHOUT_KEYCHAIN = ['--use-mock-keychain', '--password-store=basic'];

async function program(): Promise<{ executablePath: string; args: string[] }> {
  const packaged = process.env['DAILIES_APP'];
  if (packaged !== undefined) {
    inspectable ??= inspectableCopy(resolve(packaged));
    return { executablePath: programIn(await inspectable), args: WITHOUT_KEYCHAIN };
  }
  const executablePath = electronBinary();
  if (!executablePath) throw new Error('Electron was not downloaded: run `npm run test:app`, which says what to do.');
  return { executablePath, args: [...WITHOUT_KEYCHAIN, root] };
}

/**
 * Playwright drives Electron by its inspector, which a fuse of the packaged app forbids. The tests run in a copy in which
 * that fuse, and nothing else, is put back.
 */
async function inspectableCopy(folder: string): Promise<string> {
  const copy = `${folder}-inspectable-${process.env['TEST_WORKER_INDEX'] ?? '0'}`;
  cpSync(folder, copy, { recursive: true, verbatimSymlinks: true, force: true });
  // Nor does a test look for newer versions.
  for (const place of ['resources', 'Dailies.app/Contents/Resources'])
    rmSync(join(copy, place, 'app-update.yml'), { force: true });
  const target = fuseTarget(copy);
  await flipFuses(target, { version: FuseVersion.V1, [FuseV1Options.EnableNodeCliInspectArguments]: true });
  // The change broke its signature; one of our own, and without the hardened runtime, which would want one signer of all.
  if (process.platform === 'darwin') execFileSync('codesign', ['--force', '--deep', '--sign', '-', target]);
  return copy;
}

function fuseTarget(folder: string): string {
  const mac = join(folder, 'Dailies.app');
  return existsSync(mac) ? mac : programIn(folder);
}

function programIn(folder: string): string {
  const places = ['Dailies.app/Contents/MacOS/Dailies', 'Dailies.exe', 'dailies-desktop'];
  const place = places.map((name) => join(folder, name)).find((path) => existsSync(path));
  if (!place) throw new Error(`There is no packaged app in ${folder}.`);
  return place;
}

const textsOf = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
