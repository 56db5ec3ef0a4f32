import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { enter, entryIn, type Entered } from '../../test/support/entry.ts';
import { BENCH_KEY } from '../ports.ts';
import type { BenchWindow } from './browser.ts';

const CLI = join(import.meta.dirname, '..', '..', 'out', 'main', 'cli.js');
const MEMORY_TELLER = pathToFileURL(join(import.meta.dirname, 'memory-teller.ts')).href;

/** The built `dailies serve` over a data folder, in a process of its own. */
export class ServedWindow {
  readonly address: string;
  readonly entered: Entered;
  readonly #process: ChildProcess;
  /** Nothing outlives this process, however it ends. */
  readonly #kill = (): void => void this.#process.kill('SIGKILL');

  private constructor(served: ChildProcess, entered: Entered) {
    this.#process = served;
    this.address = entered.address;
    this.entered = entered;
    process.once('exit', this.#kill);
  }

  /** `service`: base address that the queue works with; nobody answers at the usual one. */
  static async start(dataFolder: string, service = 'http://127.0.0.1:9'): Promise<ServedWindow> {
    if (!existsSync(CLI)) throw new Error('The window is not built: run `npm run build` first.');
    const child = fork(CLI, ['serve', '--data', dataFolder, '--port', '0'], {
      execArgv: ['--expose-gc', '--import', MEMORY_TELLER],
      env: { ...process.env, HOME: dataFolder, DAILIES_API_KEY: BENCH_KEY, DAILIES_BASE_URL: service },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    try {
      return new ServedWindow(child, await enter(await addressOf(child)));
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  /** Lets a window in, as the first visit does. */
  async admit({ page }: BenchWindow): Promise<void> {
    const { cookie, pass } = this.entered;
    const [name = '', value = ''] = cookie.split('=');
    await page.context().addCookies([{ name, value, url: this.address, sameSite: 'Strict' }]);
    await page.addInitScript({ content: `localStorage.setItem('dailies-pass', '${pass}')` });
  }

  /** Memory of the server once what it does not need any more was let go, MB. */
  async memory(): Promise<{ readonly rss: number; readonly heap: number }> {
    const told = once(this.#process, 'message');
    this.#process.send('memory');
    const [{ rss, heapUsed }] = (await told) as [NodeJS.MemoryUsage];
    return { rss: rss / 1000 ** 2, heap: heapUsed / 1024 ** 2 };
  }

  async stop(): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    await ended;
    process.off('exit', this.#kill);
  }
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const onEvent = (piece: Buffer): void => {
      said += piece.toString('utf8');
      const address = entryIn(said);
      if (address !== null) resolve(address);
    };
    child.stdout?.on('data', onEvent);
    child.stderr?.on('data', onEvent);
    child.once('exit', () => reject(new Error(`dailies serve ended: ${said}`)));
  });
}
