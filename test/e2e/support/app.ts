import AxeBuilder from '@axe-core/playwright';
import { test as base, expect, type Page } from '@playwright/test';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startDemoService, type DemoService } from '../../../src/demo/service.ts';

const root = resolve(import.meta.dirname, '../../..');

/** The real `dailies serve`, with a demo service of the test's own standing in for the real one. */
export class App {
  readonly folder = mkdtempSync(join(tmpdir(), 'dailies-e2e-'));
  readonly service: DemoService;
  readonly #page: Page;
  #process: ChildProcess | null = null;
  /** Where the window is, the token included. */
  entry = '';

  private constructor(service: DemoService, page: Page) {
    this.service = service;
    this.#page = page;
  }

  static async create(page: Page, options: Parameters<typeof startDemoService>[0] = {}): Promise<App> {
    const quick = { videoMs: 400, imageMs: 300, musicMs: 300, assetMs: 200 };
    return new App(await startDemoService({ media: 'tiny', speed: quick, ...options }), page);
  }

  path(...names: string[]): string {
    return join(this.folder, ...names);
  }

  /** Starts (again) on the same data folder and at the same address. `env` replaces address and key. */
  async start(env: Record<string, string> = {}): Promise<void> {
    const service = { DAILIES_BASE_URL: this.service.url, DAILIES_API_KEY: this.service.apiKey };
    const port = this.entry === '' ? '0' : new URL(this.entry).port;
    const child = spawn(
      process.execPath,
      [join(root, 'out/main/cli.js'), 'serve', '--data', this.path('data'), '--port', port],
      {
        cwd: this.folder,
        env: { ...process.env, HOME: this.folder, ...service, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    this.#process = child;
    this.entry = await addressOf(child);
  }

  /** Starts and opens the window. */
  async open(env: Record<string, string> = {}): Promise<void> {
    await this.start(env);
    await this.#page.goto(this.entry);
  }

  /** As the power cut does it. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  async close(): Promise<void> {
    await this.stop();
    await this.service.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((resolveEnd) => child.once('exit', resolveEnd));
    child.kill(signal);
    await ended;
  }
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolveAddress, reject) => {
    let said = '';
    const hear = (chunk: Buffer): void => {
      said += chunk.toString('utf8');
      const address = /http:\/\/\S+token=\S+/.exec(said)?.[0];
      if (address) resolveAddress(address);
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
    child.once('exit', () => reject(new Error(`dailies serve ended: ${said}`)));
  });
}

interface Fixtures {
  app: App;
  /** How the service of the test differs from the usual one. */
  demo: Parameters<typeof startDemoService>[0];
}

/** A page that fails its test on any console error, page error or request to another origin. */
export const test = base.extend<Fixtures>({
  demo: [{}, { option: true }],
  app: async ({ page, demo }, use) => {
    const app = await App.create(page, demo);
    const wrong: string[] = [];
    page.on('console', (message) => {
      if (message.type() !== 'error' || isExpected(message.text())) return;
      wrong.push(`console: ${message.text()} ${message.location().url}`);
    });
    page.on('pageerror', (error) => wrong.push(`page: ${error.message}`));
    page.on('request', (request) => {
      const { hostname, protocol } = new URL(request.url());
      const isOwn = hostname === '127.0.0.1' || protocol === 'blob:' || protocol === 'data:';
      if (!isOwn) wrong.push(`foreign request: ${request.url()}`);
    });
    await use(app);
    await app.close();
    expect(wrong).toEqual([]);
  },
});

/** The browser itself reports a server that is away on purpose, and thumbnails that are not made yet. */
const isExpected = (text: string): boolean =>
  /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/.test(text);

/** Nothing that keeps anybody from using the page as it stands. */
export async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`),
  ).toEqual([]);
}

export { expect };
