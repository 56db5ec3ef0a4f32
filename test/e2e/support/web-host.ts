import { expect } from '@playwright/test';
import { spawn, type ChildProcess } from 'node:child_process';
import { join, resolve } from 'node:path';
import { entryIn } from '../../support/entry.ts';
import type { TestHost, TestMachine } from './host.ts';
import { t } from '../../../src/contract/messages/words.ts';

const root = resolve(import.meta.dirname, '../../..');

/** The real `dailies serve`, and the page of a browser. */
export class WebTestHost implements TestHost {
  readonly #machine: TestMachine;
  #process: ChildProcess | null = null;
  entry = '';

  constructor(machine: TestMachine) {
    this.#machine = machine;
    machine.watch(machine.page);
  }

  /** At the same port as before, where a window that is still open looks for it. */
  async start(env: Record<string, string>): Promise<void> {
    const { folder } = this.#machine;
    const port = this.entry === '' ? '0' : new URL(this.entry).port;
    const child = spawn(
      process.execPath,
      [join(root, 'out/main/cli.js'), 'serve', '--data', join(folder, 'data'), '--port', port],
      { cwd: folder, env: { ...process.env, HOME: folder, ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    this.#process = child;
    this.entry = await addressOf(child);
  }

  async show(): Promise<void> {
    await this.#machine.page.goto(this.entry);
    // Its address lets a window in once: one that is loaded again before it was drawn would be locked out.
    await this.#machine.page.locator('#app > *').first().waitFor({ state: 'attached' });
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((resolveEnd) => child.once('exit', resolveEnd));
    child.kill(signal);
    await ended;
  }

  async chooseFolder(folder: string, button: string): Promise<void> {
    const { page } = this.#machine;
    // It begins somewhere: what is typed before that is read would be written over.
    await expect(page.getByRole('listbox', { name: /(^|\s)(\/|[A-Z]:)/ })).toBeVisible();
    const field = page.getByRole('textbox', { name: t('common.folder'), exact: true });
    await field.fill(folder);
    await field.press('Enter');
    await page.getByRole('button', { name: button, exact: true }).click();
  }

  clipboard(): Promise<string> {
    return this.#machine.page.evaluate('navigator.clipboard.readText()');
  }
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolveAddress, reject) => {
    let said = '';
    const onEvent = (chunk: Buffer): void => {
      said += chunk.toString('utf8');
      const address = entryIn(said);
      if (address !== null) resolveAddress(address);
    };
    child.stdout?.on('data', onEvent);
    child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
    child.once('exit', () => reject(new Error(`dailies serve ended: ${said}`)));
  });
}
