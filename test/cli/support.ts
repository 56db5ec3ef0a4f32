import type { Keychain } from '../../src/host/process-environment.ts';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { runCli } from '../../src/cli/main.ts';
import type { Input, Output, Questions, Shell, StopSignal } from '../../src/cli/shell.ts';
import {
  startDemoService,
  type DemoService,
  type DemoServiceOptions,
  type Fault,
  type FaultRule,
} from '../support/demo/service.ts';
import { startEngine } from '../../src/engine/engine.ts';
import type { Clock } from '../../src/engine/base/ports.ts';
import { aJob as anyJob } from '../support/jobs.ts';
import { scratchFolder } from '../support/scratch.ts';

/** A stream that remembers. */
export class Page implements Output {
  text = '';
  readonly isTTY: boolean;
  readonly columns = 100;

  constructor(isTTY = false) {
    this.isTTY = isTTY;
  }

  write(text: string): void {
    this.text += text;
  }

  control(sequence: string): void {
    this.text += sequence;
  }

  get lines(): string[] {
    return this.text.split('\n').filter((line) => line !== '');
  }

  /** The lines as JSON, for `--json`. */
  get objects(): Record<string, unknown>[] {
    return this.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }
}

export function typed(...pieces: string[]): Input {
  return {
    async *[Symbol.asyncIterator]() {
      for (const piece of pieces) {
        await Promise.resolve();
        yield piece;
      }
    },
  };
}

/** A keychain of the test's own: no test ever touches the one of the machine it runs on. */
export class FakeKeychain implements Keychain {
  secret: string | null = null;
  readonly works: boolean;

  constructor(works = true) {
    this.works = works;
  }

  async getPassword(): Promise<string | null> {
    await this.#answer();
    return this.secret;
  }

  async setPassword(secret: string): Promise<void> {
    await this.#answer();
    this.secret = secret;
  }

  async deletePassword(): Promise<boolean> {
    await this.#answer();
    const was = this.secret;
    this.secret = null;
    return was !== null;
  }

  #answer(): Promise<void> {
    return this.works ? Promise.resolve() : Promise.reject(new Error('no secret service'));
  }
}

/** Time that goes `factor` times as fast as it should. */
export function fastClock(factor: number): Clock {
  const start = Date.now();
  return {
    now: () => start + (Date.now() - start) * factor,
    async sleep(ms, options) {
      const { signal } = options ?? {};
      try {
        await wait(Math.min(ms / factor, 2 ** 31 - 1), undefined, signal ? { signal } : {});
      } catch (error) {
        signal?.throwIfAborted();
        throw error;
      }
    },
  };
}

/** No test keeps the machine it runs on awake. */
class FakeAwakeHelper {
  /** Whether the system gives what it is asked for. */
  works = true;
  /** What it was asked, in this order. */
  readonly needs: boolean[] = [];
  onFailure: () => void = () => undefined;

  get state(): boolean | null {
    if (this.needs.at(-1) !== true) return false;
    return this.works ? true : null;
  }

  need(needed: boolean): void {
    if (needed === (this.needs.at(-1) ?? false)) return;
    this.needs.push(needed);
    if (needed && !this.works) this.onFailure();
  }
}

/** A command line with everything around it: streams, folders, keychain, signals. */
export class CliScene {
  readonly folder = scratchFolder('dailies-cli-');
  readonly dataFolder = join(this.folder, 'data');
  readonly keychain = new FakeKeychain();
  /** Of other entries than that of the first account's key. */
  readonly keychains = new Map<string, FakeKeychain>();
  readonly env: Record<string, string> = { LANG: 'C' };
  readonly quits: number[] = [];
  readonly awake = new FakeAwakeHelper();
  clock: Clock = fastClock(50);
  stdout = new Page();
  /** A person reads the errors at a terminal. */
  isAtTerminal = false;
  stderr = new Page();
  stdin: Input = typed();
  questions: Questions = {
    confirm: () => Promise.reject(new Error('nobody was to be asked')),
    secret: () => Promise.reject(new Error('nobody was to be asked')),
  };
  parts: Partial<Shell> = {};
  readonly #listeners = new Set<(signal: StopSignal) => void>();

  constructor() {
    this.env['DAILIES_DATA'] = this.dataFolder;
    onTestFinished(() => rmSync(this.folder, { recursive: true, force: true }));
  }

  /** Runs one command line with fresh pages and returns its exit status. */
  run(...args: string[]): Promise<number> {
    this.stdout = new Page(this.stdout.isTTY);
    this.stderr = new Page(this.isAtTerminal);
    return runCli(args, this.shell());
  }

  /** What one that ends with 0 writes. */
  async says(...args: string[]): Promise<string> {
    const status = await this.run(...args);
    expect(status, this.stdout.text + this.stderr.text).toBe(0);
    return this.stdout.text;
  }

  /** The same as objects. */
  async lists(...args: string[]): Promise<Record<string, unknown>[]> {
    await this.says(...args, '--json');
    return this.stdout.objects;
  }

  /** What is wrong with one that ends with 2. */
  async refuses(...args: string[]): Promise<string> {
    expect(await this.run(...args)).toBe(2);
    return this.stderr.text;
  }

  shell(): Shell {
    return {
      stdin: this.stdin,
      stdout: this.stdout,
      stderr: this.stderr,
      env: this.env,
      cwd: this.folder,
      homeFolder: this.folder,
      platform: process.platform,
      processor: process.arch,
      builtFor: () => [process.arch],
      clock: this.clock,
      onInterrupt: (listener) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
      quitNow: (status) => void this.quits.push(status),
      keychain: (entry = 'api-key') => Promise.resolve(this.keychainOf(entry)),
      awakeHelper: (onFailure) => Promise.resolve(Object.assign(this.awake, { onFailure })),
      questions: () => Promise.resolve(this.questions),
      startEngine,
      startDemoService,
      ...this.parts,
    };
  }

  keychainOf(entry: string): FakeKeychain {
    if (entry === 'api-key') return this.keychain;
    const known = this.keychains.get(entry) ?? new FakeKeychain();
    this.keychains.set(entry, known);
    return known;
  }

  /** Ctrl-C, or another signal. */
  interrupt(signal: StopSignal = 'SIGINT'): void {
    for (const listener of this.#listeners) listener(signal);
  }

  path(...names: string[]): string {
    return join(this.folder, ...names);
  }

  /** What both streams say. */
  get said(): string {
    return this.stdout.text + this.stderr.text;
  }
}

export interface Desk extends CliScene {
  readonly service: DemoService;
  /** Has the service meet requests with a fault. */
  fault(match: FaultRule['match'], fault: Fault): number;
}

/** A scene with the address and the key of a demo service of its own, both on one fast clock. */
export async function deskWithService(options: DemoServiceOptions = {}): Promise<Desk> {
  const scene = new CliScene();
  const service = await startDemoService({ clock: scene.clock, media: 'tiny', ...options });
  onTestFinished(() => service.stop());
  scene.env['DAILIES_BASE_URL'] = service.url;
  scene.env['DAILIES_API_KEY'] = service.apiKey;
  const fault: Desk['fault'] = (match, fault) => service.faults.add({ match, do: fault });
  return Object.assign(scene, { service, fault });
}

/** The same with the takes of a list, saved in the project `film`. */
export async function deskWithTakes(list: string, ...more: string[]): Promise<Desk> {
  const scene = await deskWithService();
  writeFileSync(scene.path('night.csv'), list);
  expect(await scene.run('run', 'night.csv', '--project', 'film', ...more)).toBe(0);
  return scene;
}

const id = '01a1f8c7-a8d6-71ae-b2d1-5fd82979fe09';
export const aJob = anyJob({
  id,
  project: 'film',
  batch: 'night',
  shot: '007',
  model: 'vgen-2.0-nt',
  state: 'polling',
});
