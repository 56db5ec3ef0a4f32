import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { chanceSeed, isNightly } from '../support/chance.ts';
import { scratchFolder } from '../support/scratch.ts';

/** What a worker is told. */
export interface Order {
  readonly name: string;
  /** An empty folder, which is removed afterwards. */
  readonly folder: string;
  readonly seed: number;
  /** It ends after so many inputs and so much time, ms. */
  readonly runs: number;
  readonly ms: number;
  /** Inputs that are read. */
  readonly count: Int32Array;
  /** The input that is being read, and its length. */
  readonly input: Uint8Array;
  readonly length: Int32Array;
}

export type Said = { readonly ended: true } | { readonly failure: string; readonly run: number };

/** At night each parser is fed for so long. */
const MS = isNightly ? Number(process.env['FUZZ_MINUTES'] ?? 10) * 60_000 : 0;
/** No parser needs so long for one input, ms. */
const HANGS_MS = 90_000;
const MEMORY_MB = 512;

/**
 * Feeds a parser damaged inputs in a thread of its own, which is ended when it takes too long or too much memory.
 * Resolves with the number of inputs; rejects with the first input that it did not get over, which is then in a file to
 * be kept in `kept/<name>`.
 */
export async function feed(name: string, runs: number): Promise<number> {
  const [count, length] = [0, 1].map(() => new Int32Array(new SharedArrayBuffer(4))) as [Int32Array, Int32Array];
  const input = new Uint8Array(new SharedArrayBuffer(1024 ** 2));
  const folder = scratchFolder('dailies-fuzz-');
  const order: Order = { name, folder, seed: chanceSeed, runs, ms: MS, count, input, length };
  const worker = new Worker(new URL('worker.ts', import.meta.url), {
    workerData: order,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    execArgv: ['--no-warnings'],
  });
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const fail = (why: string, run: number | string): void => {
    const found = join(tmpdir(), 'dailies-fuzz', name);
    mkdirSync(found, { recursive: true });
    const file = join(found, `seed-${chanceSeed}-run-${run}`);
    writeFileSync(file, Buffer.from(input.slice(0, Atomics.load(length, 0))));
    reject(new Error(`Input ${file} (CRASH_SEED=${chanceSeed}): ${why}`));
  };
  worker.on('message', (said: Said) => {
    if ('failure' in said) fail(said.failure, said.run);
    else resolve(Atomics.load(count, 0));
  });
  worker.on('error', (error) => fail(String(error), Atomics.load(count, 0)));
  let [read, since] = [0, performance.now()];
  const watchdog = setInterval(() => {
    const now = Atomics.load(count, 0);
    if (now !== read) [read, since] = [now, performance.now()];
    else if (performance.now() - since > HANGS_MS) fail('it does not end', now);
  }, 1000);
  return promise.finally(async () => {
    clearInterval(watchdog);
    await worker.terminate();
    rmSync(folder, { recursive: true, force: true });
  });
}
