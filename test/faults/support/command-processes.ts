import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { startDemoService, type DemoService } from '../../support/demo/service.ts';
import { callSocket, socketIn } from '../../support/entry.ts';
import { teachSpeed } from '../../support/quick-service.ts';
import { crashFolders } from '../../support/scratch.ts';
import { command } from './command.ts';
import { compileCache } from './one-file.ts';

const TASK_MS = 300;

/** A command that has ended. */
export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A data folder with a demo service, and real processes of the command as it is installed, which meet in it. */
export class CommandProcesses {
  readonly folder: string;
  /** Its data folder. */
  readonly data: string;
  readonly service: DemoService;
  readonly #children: ChildProcess[] = [];

  constructor(service: DemoService) {
    this.service = service;
    const { folder, data } = crashFolders('dailies-house-');
    this.folder = folder;
    this.data = join(data, 'data');
    teachSpeed(this.data, service.url, TASK_MS);
    writeFileSync(join(this.data, 'settings.json'), JSON.stringify({ maxRate: { submit: 20 } }));
    onTestFinished(async () => {
      for (const child of this.#children) child.kill('SIGKILL');
      await service.stop();
      for (const each of [folder, data]) rmSync(each, { recursive: true, force: true });
    });
  }

  static async open(): Promise<CommandProcesses> {
    return new CommandProcesses(await startDemoService({ media: 'tiny', speed: { musicMs: TASK_MS } }));
  }

  /** What the processes that are started from now on have in their environment besides. */
  env: NodeJS.ProcessEnv = {};

  start(...args: string[]): ChildProcess {
    const child = spawn(process.execPath, [command, ...args], { cwd: this.folder, env: this.#env() });
    this.#children.push(child);
    return child;
  }

  run(...args: string[]): Promise<Ended> {
    return ended(this.start(...args));
  }

  /** Starts `dailies serve` and waits until it can be reached. */
  async serve(): Promise<ChildProcess> {
    const child = this.start('serve', '--port', '0');
    await new Promise<void>((served, failed) => {
      child.once('exit', (status) => failed(new Error(`serve ended with ${status}`)));
      child.stdout?.on('data', (text: Buffer) => text.includes('#enter=') && served());
    });
    return child;
  }

  list(name: string, rows: number): string {
    const lines = Array.from({ length: rows }, (_, index) => `S${index},music,music-demo,${name} number ${index}`);
    writeFileSync(join(this.folder, `${name}.csv`), ['shot,kind,model,prompt', ...lines].join('\n'));
    return `${name}.csv`;
  }

  /** How often each prompt was posted, whatever was answered. */
  get posts(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { body } of this.service.ledger.posts()) {
      const { prompt } = body as { prompt: string };
      counts.set(prompt, (counts.get(prompt) ?? 0) + 1);
    }
    return counts;
  }

  /** Pauses the queue, as a person does in the window. */
  async pause(): Promise<void> {
    expect(await callSocket(socketIn(this.data), 'queue/pause')).toMatchObject({ status: 200 });
  }

  /** How many takes the data folder knows. */
  async takes(): Promise<number> {
    const { stdout } = await this.run('jobs', 'list', '--json');
    return stdout.split('\n').filter((line) => line.startsWith('{"type":"job"')).length;
  }

  savedIn(batch: string): number {
    const folder = join(this.folder, 'film', batch);
    return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.mp3')).length : 0;
  }

  #env(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      DAILIES_DATA: this.data,
      DAILIES_BASE_URL: this.service.url,
      DAILIES_API_KEY: this.service.apiKey,
      NODE_COMPILE_CACHE: compileCache,
      ...this.env,
    };
  }
}

/** What it says until it ends. */
export function ended(child: ChildProcess): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (piece: Buffer) => (stdout += piece.toString()));
  child.stderr?.on('data', (piece: Buffer) => (stderr += piece.toString()));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, stdout, stderr }));
  });
}

/** The last line of a command with `--json`. */
export const summaryOf = ({ stdout }: Ended) =>
  JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as { saved: number; unknown: number };
