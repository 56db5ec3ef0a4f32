import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startDemoService } from '../../src/demo/service.ts';
import { findingsOf, type Finding } from '../finding.ts';
import { inTurns, type Side } from '../measure.ts';
import { BENCH_KEY } from '../ports.ts';
import type { MeasureRow, RowOptions } from '../row.ts';
import type { TakesOrder } from '../run-takes.ts';

/** It is a minute of work, and two rounds differ by a tenth. */
const MAX_ROUNDS = 1;

/**
 * Processor time that one take costs, from the list to the file, beside a script with p-queue, and beside one that
 * writes down, checks and syncs as much as we do. A process that has made `few` takes has warmed up: what the takes
 * beyond them cost, up to `many`, is what a take costs.
 */
export async function measureTakes(few: number, many: number, { folder, rounds }: RowOptions): Promise<Finding[]> {
  const speed = { videoMs: 60, imageMs: 60, musicMs: 60, jitter: 0.2 };
  const service = await startDemoService({ media: 'tiny', tinyBytes: 20_000, speed, apiKey: BENCH_KEY });
  const side = (name: string, script: string, careful = false): Side => {
    const processorMs = (takes: number): Promise<number> =>
      processorMsOf(script, {
        dataFolder: join(folder, 'data'),
        projectFolder: join(folder, 'film'),
        serviceUrl: service.url,
        takes,
        careful,
      });
    return {
      name,
      async measure() {
        const before = await processorMs(few);
        rmSync(folder, { recursive: true });
        const after = await processorMs(many);
        rmSync(folder, { recursive: true });
        return (after - before) / (many - few);
      },
    };
  };
  const compared = await inTurns(
    Math.min(rounds, MAX_ROUNDS),
    side('Dailies', 'run-takes.ts'),
    [
      side('a p-queue script', 'script-takes.ts'),
      side('the script with as many notes, checks and syncs', 'script-takes.ts', true),
    ],
    { warmUp: false },
  );
  await service.stop();
  return findingsOf(`Processor time of a take, of ${many.toLocaleString('en')}`, { name: 'ms', digits: 2 }, compared, [
    { atMost: 2 },
    null,
  ]);
}

export const measure: MeasureRow = (options) => measureTakes(100, 1000, options);

/** Of the whole process that makes so many takes. */
async function processorMsOf(script: string, order: TakesOrder): Promise<number> {
  const args = ['--import', SAY_PROCESSOR_TIME, join(import.meta.dirname, '..', script), JSON.stringify(order)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return Number(/processor (\d+)/.exec(stdout)?.[1]) / 1000;
}

/** Microseconds, of all threads. */
const SAY_PROCESSOR_TIME = `data:text/javascript,${encodeURIComponent(
  `process.on('exit', () => { const { user, system } = process.cpuUsage(); process.stdout.write('processor ' + (user + system)); })`,
)}`;
