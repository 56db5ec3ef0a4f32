import { languages } from '../../../src/contract/messages/languages.ts';
import { setLanguage } from '../../../src/contract/messages/words.ts';
import AxeBuilder from '@axe-core/playwright';
import { test as base, expect, type Page } from '@playwright/test';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDesktop } from '../../../scripts/electron-binary.ts';
import { startDemoService, type DemoService } from '../../support/demo/service.ts';
import { DesktopTestHost, StandingPage } from './desktop-host.ts';
import { teachSpeed } from '../../support/quick-service.ts';
import type { TestHost, TestMachine } from './host.ts';
import { WebTestHost } from './web-host.ts';

/** What tests look for, and what is said in their own process. */
await setLanguage('en');

const times = { videoMs: 100, imageMs: 100, musicMs: 100, textMs: 100, speechMs: 100, presenterMs: 100, assetMs: 50 };
const QUICK = { ...times, jitter: 0 };

type ServiceOptions = Parameters<typeof startDemoService>[0];

const appsByPage = new WeakMap<Page, App>();

/** The app that shows this page. */
export function appOf(page: Page): App {
  const app = appsByPage.get(page);
  if (!app) throw new Error('No app shows this page.');
  return app;
}

/** The real app, with a demo service of the test's own standing in for the real one. */
export class App {
  readonly folder: string;
  readonly service: DemoService;
  readonly #host: TestHost;

  private constructor(service: DemoService, folder: string, host: TestHost) {
    this.service = service;
    this.folder = folder;
    this.#host = host;
  }

  /** Runs it for a page of a browser; `hostOf` has something else run it. */
  static async create(
    page: Page,
    options: ServiceOptions = {},
    hostOf: (machine: Omit<TestMachine, 'watch'>) => TestHost = (machine) =>
      new WebTestHost({ ...machine, watch: () => undefined }),
  ): Promise<App> {
    const service = await startDemoService({ media: 'tiny', speed: QUICK, ...options });
    // As the app itself will call it: some systems keep temporary files behind a link.
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'dailies-e2e-')));
    teachSpeed(join(folder, 'data'), service.url, QUICK.videoMs);
    const app = new App(service, folder, hostOf({ folder, page }));
    appsByPage.set(page, app);
    return app;
  }

  path(...names: string[]): string {
    return join(this.folder, ...names);
  }

  /** Starts (again) on the same data folder. `env` replaces address and key. */
  async start(env: Record<string, string> = {}): Promise<void> {
    const own = { DAILIES_BASE_URL: this.service.url, DAILIES_API_KEY: this.service.apiKey };
    // The keychain may hold the key of the person who runs the tests.
    await this.#host.start({ ...own, DAILIES_KEYCHAIN: 'none', ...env });
  }

  /** Starts and opens the window. */
  async open(env: Record<string, string> = {}): Promise<void> {
    await this.start(env);
    await this.#host.show();
  }

  /** Opens the window so that it goes by the theme of the system, which a test can change with anything open. */
  async openInSystemTheme(): Promise<void> {
    writeFileSync(this.path('data', 'settings.json'), JSON.stringify({ appearance: 'system' }));
    await this.open();
  }

  /** The address that `dailies serve` has printed. It lets one window in. */
  get entry(): string {
    return this.#host.entry ?? '';
  }

  /** Chooses a folder in the dialogue that is open; `button` is what its button says. */
  async chooseFolder(folder: string, button: string): Promise<void> {
    await this.#host.chooseFolder(folder, button);
  }

  /** The text on the clipboard. */
  clipboard(): Promise<string> {
    return this.#host.clipboard();
  }

  /** As the power cut does it. */
  async kill(): Promise<void> {
    await this.#host.end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.#host.end('SIGTERM');
  }

  async close(): Promise<void> {
    await this.stop();
    await this.service.stop();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface Fixtures {
  app: App;
  /** How the service of the test differs from the usual one. */
  demo: ServiceOptions;
  standing: StandingPage | null;
}

/** A page that fails its test on any console error, page error or request to another origin. */
export const test = base.extend<Fixtures>({
  demo: [{}, { option: true }],
  standing: async ({ viewport }, use) => {
    await use(isDesktop ? new StandingPage(viewport ?? { width: 1440, height: 900 }) : null);
  },
  ...(isDesktop && {
    page: async ({ standing }, use) => {
      if (standing) await use(standing.page);
    },
  }),
  app: async ({ page, demo, standing }, use) => {
    const wrong: string[] = [];
    const watch = (shown: Page): void => watchPage(shown, wrong);
    const app = await App.create(page, demo, (machine) =>
      standing ? new DesktopTestHost({ ...machine, watch }, standing) : new WebTestHost({ ...machine, watch }),
    );
    await use(app);
    await app.close();
    expect(wrong).toEqual([]);
  },
});

/** Notes console errors, page errors and requests to another origin. */
export function watchPage(page: Page, wrong: string[]): void {
  page.on('console', (message) => {
    if (message.type() !== 'error' || isExpected(message.text())) return;
    wrong.push(`console: ${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => wrong.push(`page: ${error.message}`));
  page.on('request', (request) => {
    const { hostname, protocol } = new URL(request.url());
    const isOwn = hostname === '127.0.0.1' || ['blob:', 'data:', 'dailies:'].includes(protocol);
    if (!isOwn) wrong.push(`foreign request: ${request.url()}`);
  });
}

/** The browser itself reports a server that is away on purpose, and refusals (409), which the person sees. */
const isExpected = (text: string): boolean =>
  /ERR_(CONNECTION_REFUSED|CONNECTION_RESET|SOCKET_NOT_CONNECTED|INCOMPLETE_CHUNKED|EMPTY_RESPONSE)|status of 409/.test(
    text,
  );

/** Shows the page in a theme, where it goes by that of the system (`App.openInSystemTheme`). */
async function wear(page: Page, theme: 'dark' | 'light'): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
}

/** Nothing that keeps anybody from using the page as it stands, by these rules or by all of them. */
export async function expectAccessible(page: Page, rules: readonly string[] = []): Promise<void> {
  // Its usual mode gathers what frames hold in a second window: ours has no frames, and Electron opens no second one.
  // A page reads it once, half a megabyte.
  const isLoaded = await page.evaluate<boolean>(`'axe' in window`);
  const axe = new AxeBuilder({ page, ...(isLoaded && { axeSource: ';' }) }).setLegacyMode(true);
  const violations = async () => {
    const found = await (rules.length > 0 ? axe.withRules([...rules]) : axe).analyze();
    return found.violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`,
    );
  };
  // A button that becomes enabled, or a toast that fades, while axe looks has colours that nobody sees for long.
  await expect.poll(violations, { timeout: 45_000 }).toEqual([]);
}

/**
 * The same in both themes, of a window that goes by that of the system. Only colours differ between them, which the nightly
 * run looks at. The page is left in the dark one.
 */
export async function expectAccessibleInBothThemes(page: Page): Promise<void> {
  if (isNightly) {
    await wear(page, 'light');
    await expectAccessible(page, ['color-contrast']);
  }
  await wear(page, 'dark');
  await expectAccessible(page);
}

/** The nightly run, and `npm run test:all`. */
const isNightly = process.env['CRASH_ALL'] === '1';

/** The same tests in every language: at night in all of them, by day in English. */
export function inEachLanguage(tests: () => void): void {
  for (const language of isNightly ? languages : (['en'] as const)) {
    test.describe(language, () => {
      test.skip(isDesktop && language !== 'en', 'The app speaks the language of its system.');
      test.use({ locale: language });
      test.beforeEach(() => setLanguage(language));
      test.afterEach(() => setLanguage('en'));
      tests();
    });
  }
}

export { expect, isDesktop };
