import type { Page } from '@playwright/test';
import { fork, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startDemoService, type DemoService } from '../../support/demo/service.ts';
import type { FromMain, ToMain } from '../../main/boot/page-messages.ts';

const root = resolve(import.meta.dirname, '../../..');

/** The preload script's part in a page of a browser: it asks for a port, and hands the page what comes. */
const PRELOAD = `
  if (location.protocol === 'http:') {
    const ports = new Map();
    let listens = false;
    const connect = () => {
      listens = true;
      window.toMain({ type: 'connect' });
    };
    window.dailies = { pathOfFile: () => '', connect };
    window.portComes = (id) => {
      if (!listens) return;
      const { port1, port2 } = new MessageChannel();
      ports.set(id, port1);
      port1.onmessage = ({ data }) => window.toMain({ type: 'say', port: id, data });
      window.postMessage('dailies:port', location.origin, [port2]);
    };
    window.portSays = (id, data) => ports.get(id)?.postMessage(data);
    window.portCloses = (id) => ports.get(id)?.close();
  }
`;

/**
 * The desktop app as it was built, over the stand-in of Electron, with a real browser for its window: the app's own main, engine
 * process and scheme, and the page it serves. Shows that they fit together where there is no Electron.
 */
export class BuiltApp {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'dailies-built-')));
  readonly #page: Page;
  readonly #service: DemoService;
  readonly #process: ChildProcess;
  /** Questions about the abilities of the app, until they are let through. */
  #held: ToMain[] | null = [];

  private constructor(page: Page, service: DemoService) {
    this.#page = page;
    this.#service = service;
    const register = join(root, 'test', 'main', 'electron', 'register.ts');
    this.#process = fork(
      join(root, 'test', 'main', 'boot', 'serve-page.ts'),
      [join(root, 'out'), this.makeFolder('Film')],
      {
        execArgv: ['--import', register],
        cwd: this.folder,
        env: {
          ...process.env,
          HOME: this.folder,
          DAILIES_DATA: join(this.folder, 'data'),
          DAILIES_BASE_URL: service.url,
          DAILIES_API_KEY: service.apiKey,
        },
      },
    );
  }

  static async open(page: Page): Promise<BuiltApp> {
    const service = await startDemoService({ media: 'tiny', speed: { imageMs: 200, videoMs: 200, musicMs: 200 } });
    const app = new BuiltApp(page, service);
    const serving = new Promise<number>((found, failed) => {
      app.#process.once('exit', (status) => failed(new Error(`The app ended with ${String(status)}.`)));
      app.#process.on('message', (message: FromMain) => {
        if (message.type === 'serving') found(message.port);
        else app.#pass(message);
      });
    });
    await page.addInitScript({ content: PRELOAD });
    await page.exposeFunction('toMain', (message: ToMain) => app.#onEvent(message));
    await page.goto(`http://127.0.0.1:${await serving}/`);
    return app;
  }

  /** From here on, the page learns of the abilities of the app. A person may be quicker than that. */
  answerAbilities(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const message of held) this.tell(message);
  }

  tell(message: ToMain): void {
    if (this.#process.connected) this.#process.send(message);
  }

  makeFolder(name: string): string {
    mkdirSync(join(this.folder, name));
    return join(this.folder, name);
  }

  /** Quits as the menu does. Resolves with the exit status. */
  async quit(): Promise<number | null> {
    const ended = new Promise<number | null>((resolveEnd) => this.#process.once('exit', resolveEnd));
    this.tell({ type: 'quit' });
    return ended;
  }

  async close(): Promise<void> {
    if (this.#process.exitCode === null) this.#process.kill('SIGKILL');
    await this.#service.stop();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #onEvent(message: ToMain): void {
    if (this.#held && message.type === 'say' && message.data.includes('/desktop/abilities')) this.#held.push(message);
    else this.tell(message);
  }

  #pass(message: Exclude<FromMain, { type: 'serving' }>): void {
    const call = {
      port: `portComes(${message.port})`,
      said: `portSays(${message.port}, ${JSON.stringify('data' in message ? message.data : '')})`,
      closed: `portCloses(${message.port})`,
    };
    // The first port is of a page that only the stand-in has loaded; nobody in a browser hears of it.
    this.#page.evaluate(`window.${call[message.type]}`).catch(() => undefined);
  }
}
