import type { Page } from '@playwright/test';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import type { DesktopEvent, FolderRequest, MenuCommand, UpdateChoice } from '../../../src/contract/desktop.ts';
import { Settings } from '../../../src/contract/settings.ts';
import { startDemoService, type DemoService } from '../../support/demo/service.ts';
import { startHostedEngine } from '../../../src/host/hosted-engine.ts';
import { processEnvironment } from '../../../src/host/process-environment.ts';
import { DesktopEvents } from '../../../src/main/features/desktop-events.ts';
import { servePort } from '../../../src/server/router/router.ts';
import { startWebHost, type WebHost } from '../../../src/server/web/host.ts';
import { enter } from '../../support/entry.ts';
import type { DesktopHost } from '../../../src/server/services.ts';

/**
 * The app's bridge in a page. A file whose name has tildes for slashes lies at that path, which is how a test drops one; the
 * other end of the page's port is this process.
 */
const BRIDGE = `
  if (location.protocol === 'http:') {
    const { port1, port2 } = new MessageChannel();
    window.dailies = {
      pathOfFile: ({ name }) => (name.includes('~') ? name.replaceAll('~', '/') : ''),
      startDrag: () => window.beginDrag(),
      connect: () => postMessage('dailies:port', location.origin, [port2]),
    };
    window.fromEngine = (message) => port1.postMessage(message);
    port1.onmessage = ({ data }) => window.toEngine(data);
  }
`;

const root = resolve(import.meta.dirname, '../../..');

/**
 * The window as it is inside the desktop app, in a browser: it has the app's bridge and speaks over a port, with an engine
 * of this process and a host that a test plays. Shows what the window does with an app around it, without one.
 */
export class AppWindow {
  readonly folder: string;
  readonly events = new DesktopEvents();
  menu: readonly MenuCommand[] = [];
  /** The files of the drag that may begin next. */
  prepared: readonly string[] = [];
  readonly dragged: (readonly string[])[] = [];
  readonly revealed: string[] = [];
  readonly folderRequests: FolderRequest[] = [];
  readonly choices: UpdateChoice[] = [];
  /** What is chosen in the system's dialogue; nothing when null. */
  chosen: string | null = null;
  readonly #page: Page;
  readonly #service: DemoService;
  readonly #hosted: Awaited<ReturnType<typeof startHostedEngine>>;
  readonly #web: WebHost;
  readonly #stopping = new AbortController();
  readonly #ports = new MessageChannel();

  private constructor(
    page: Page,
    folder: string,
    service: DemoService,
    hosted: Awaited<ReturnType<typeof startHostedEngine>>,
    web: WebHost,
  ) {
    this.#page = page;
    this.folder = folder;
    this.#service = service;
    this.#hosted = hosted;
    this.#web = web;
  }

  static async open(page: Page): Promise<AppWindow> {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'dailies-window-')));
    const service = await startDemoService({ media: 'tiny', speed: { imageMs: 200, videoMs: 200, musicMs: 200 } });
    const machine = {
      ...processEnvironment(),
      homeFolder: folder,
      env: { DAILIES_API_KEY: service.apiKey },
    };
    const hosted = await startHostedEngine(machine, {
      dataFolder: join(folder, 'data'),
      settings: Settings.parse({ baseUrl: service.url }),
      command: 'a test',
      power: () => ({ keepsAwake: true, onBattery: false }),
    });
    const web = await startWebHost({
      services: hosted.services,
      windowFolder: join(root, 'out', 'renderer'),
      port: 0,
    });
    hosted.engine.queue.run({});
    const window = new AppWindow(page, folder, service, hosted, web);
    await window.#connect();
    // Media go by the port of the app's scheme; here, by a host that has let this page in.
    const { address, cookie, pass } = await enter(web.newEntry());
    const [name = '', value = ''] = cookie.split('=');
    await page.context().addCookies([{ name, value, url: address }]);
    await page.setExtraHTTPHeaders({ authorization: `Bearer ${pass}` });
    await page.goto(address);
    return window;
  }

  get settings(): Settings {
    return this.#hosted.services.settings.get();
  }

  path(...names: string[]): string {
    return join(this.folder, ...names);
  }

  makeFolder(...names: string[]): string {
    mkdirSync(this.path(...names), { recursive: true });
    return this.path(...names);
  }

  tell(event: DesktopEvent): void {
    this.events.tell(event);
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    this.#ports.port1.close();
    await this.#page.goto('about:blank');
    await this.#web.close();
    await this.#hosted.stop();
    await this.#service.stop();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** The page's port leads here, message by message. */
  async #connect(): Promise<void> {
    const { port1, port2 } = this.#ports;
    servePort({ ...this.#hosted.services, desktop: this.#desktop(), stopping: this.#stopping.signal }, port1);
    await this.#page.exposeFunction('toEngine', (message: string) => port2.postMessage(message));
    port2.on('message', (message: unknown) => {
      // A page that has just closed gets no more messages.
      this.#page.evaluate(`window.fromEngine(${JSON.stringify(message)})`).catch(() => undefined);
    });
    await this.#page.exposeFunction('beginDrag', () => void this.dragged.push(this.prepared));
    await this.#page.addInitScript({ content: BRIDGE });
  }

  #desktop(): DesktopHost {
    return {
      abilities: () =>
        Promise.resolve({
          host: 'app',
          system: 'macos',
          pickFolder: true,
          dragOut: true,
          updates: true,
          keepRunning: true,
        }),
      pickFolder: (request) => {
        this.folderRequests.push(request);
        return Promise.resolve(this.chosen === null ? null : { path: this.chosen });
      },
      reveal: ({ path }) => Promise.resolve(void this.revealed.push(path)),
      prepareDrag: ({ files }) => {
        this.prepared = files;
        return Promise.resolve({ drag: 'drag' });
      },
      menu: ({ commands }) => Promise.resolve(void (this.menu = commands)),
      update: ({ choice }) => Promise.resolve(void this.choices.push(choice)),
      events: (_input, { signal }) => Promise.resolve(this.events.stream(signal)),
    };
  }
}
