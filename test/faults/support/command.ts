import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { JobView } from '../../../src/contract/job.ts';
import { compileCache } from './one-file.ts';
import type { Scene } from './scene.ts';

const root = join(import.meta.dirname, '..', '..', '..');
export const command = join(root, 'out', 'main', 'cli.js');

/** The command as it is installed; `npm test` has built it already. */
export async function ensureBuilt(): Promise<void> {
  if (!existsSync(command)) await promisify(execFile)('npm run --silent build', { cwd: root, shell: true });
}

export interface Ended {
  /** Null when it was killed. */
  readonly status: number | null;
  /** What it said with `--json`, line by line. */
  readonly lines: readonly ({ readonly type: string } & Record<string, unknown>)[];
}

/** Where a command runs, and whose service it uses. */
export type CommandScene = Pick<Scene, 'folder' | 'untilServiceIsIdle'> & {
  readonly place: Pick<Scene['place'], 'dataFolder' | 'serviceUrl' | 'apiKey'>;
  /** Its project is on a disk of another system. */
  readonly isOdd?: boolean;
};

const oddDisk = pathToFileURL(join(root, 'test', 'support', 'odd-disk-preload.ts')).href;

/** Runs the real command in the folder of a scene, to its end. */
export function dailies(scene: CommandScene, ...args: string[]): Promise<Ended> {
  return ended(start(scene, args));
}

/** The same, killed after a while. `status` is a number when it had ended before. */
export async function dailiesKilled(scene: CommandScene, afterMs: number, ...args: string[]): Promise<Ended> {
  return dailiesKilledWhen(scene, (signal) => wait(afterMs, undefined, { signal }), ...args);
}

/** The same, killed at `moment`. Throws when the process ends before. */
export async function dailiesKilledWhen(
  scene: CommandScene,
  moment: (ended: AbortSignal) => Promise<unknown>,
  ...args: string[]
): Promise<Ended> {
  const child = start(scene, args);
  const over = new AbortController();
  const ending = ended(child).finally(() => over.abort());
  await moment(over.signal).catch((error: unknown) => {
    if (!over.signal.aborted) throw error;
  });
  child.kill('SIGKILL');
  const end = await ending;
  await scene.untilServiceIsIdle();
  return end;
}

/** Submits of unknown fate, as `jobs list` shows them. */
export async function undecidedJobs(scene: Scene): Promise<JobView[]> {
  const { lines } = await dailies(scene, 'jobs', 'list', '--standing', 'unknown', '--json');
  return lines.filter(({ type }) => type === 'job') as unknown as JobView[];
}

function start(scene: CommandScene, args: readonly string[]): ChildProcess {
  const env = {
    ...process.env,
    DAILIES_DATA: scene.place.dataFolder,
    DAILIES_BASE_URL: scene.place.serviceUrl,
    DAILIES_API_KEY: scene.place.apiKey,
    NODE_COMPILE_CACHE: compileCache,
    ...(scene.isOdd === true && { NODE_OPTIONS: `--import=${oddDisk}` }),
  };
  return spawn(process.execPath, [command, ...args], { cwd: scene.folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
}

function ended(child: ChildProcess): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (piece: Buffer) => (stdout += piece.toString()));
  child.stderr?.on('data', (piece: Buffer) => (stderr += piece.toString()));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => {
      if (status === 1) reject(new Error(`The command failed: ${stderr}`));
      else resolve({ status, lines: jsonLines(stdout) });
    });
  });
}

/** The last line of a killed process may be cut. */
function jsonLines(text: string): Ended['lines'] {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  return whole.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Ended['lines'][number]);
}
