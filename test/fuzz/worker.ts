import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { seededRandom } from '../support/seeded-random.ts';
import { damaged } from './mutate.ts';
import type { Order, Said } from './harness.ts';
import type { Target } from './target.ts';

/** Feeds one parser; see `harness.ts`. */
const { name, folder, seed, runs, ms, count, length, input } = workerData as Order;
const { targetIn } = (await import(`./targets/${name}.ts`)) as { targetIn: (folder: string) => Target };
const target = targetIn(folder);
const say = (message: Said): void => parentPort?.postMessage(message);

async function feed(bytes: Buffer, run: number): Promise<void> {
  input.set(bytes.subarray(0, input.length));
  Atomics.store(length, 0, bytes.length);
  try {
    await target.read(bytes, run);
  } catch (error) {
    say({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error), run });
    // The host ends this thread; until then nothing may take the place of the input.
    await new Promise(() => undefined);
  }
  Atomics.add(count, 0, 1);
}

const kept = join(import.meta.dirname, 'kept', name);
const names = existsSync(kept) ? readdirSync(kept).sort() : [];
for (const [index, file] of names.entries()) await feed(readFileSync(join(kept, file)), -1 - index);
const samples = await target.samples();
for (const [index, sample] of samples.entries()) await feed(sample, -1000 - index);
const end = performance.now() + ms;
for (let run = 0; run < runs || performance.now() < end; run += 1)
  await feed(damaged(samples, seededRandom(seed + run * 7919), target.isJson ?? false), run);
say({ ended: true });
