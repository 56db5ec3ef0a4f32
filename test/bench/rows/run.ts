import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startDemoService } from '../../../src/demo/service.ts';
import { findingsOf } from '../finding.ts';
import { inTurns, type Side } from '../measure.ts';
import { BENCH_KEY } from '../ports.ts';
import type { MeasureRow } from '../row.ts';
import type { TakesOrder } from '../run-takes.ts';

const TAKES = 500;
/** Each round is a minute of work. */
const MOST_ROUNDS = 3;

/**
 * Processor time that one take costs, from the list to the file, beside a script with p-queue. A run of so many takes is
 * compared with one of twice as many, which leaves out what a process costs itself.
 */
export const measure: MeasureRow = async ({ folder, rounds }) => {
  const speed = { videoMs: 60, imageMs: 60, musicMs: 60, jitter: 0.2 };
  const service = await startDemoService({ media: 'tiny', tinyBytes: 20_000, speed, apiKey: BENCH_KEY });
  const side = (name: string, script: string): Side => ({
    name,
    async measure() {
      const few = await processorMs(script, TAKES, service.url, join(folder, 'few'));
      const many = await processorMs(script, 2 * TAKES, service.url, join(folder, 'many'));
      return (many - few) / TAKES;
    },
  });
  const compared = await inTurns(Math.min(rounds, MOST_ROUNDS), side('Dailies', 'run-takes.ts'), [
    side('a p-queue script', 'script-takes.ts'),
  ]);
  await service.stop();
  return findingsOf('Processor time of a take', { name: 'ms', digits: 2 }, compared, [{ atMost: 2 }]);
};

/** Of the whole process that makes so many takes. */
async function processorMs(script: string, takes: number, serviceUrl: string, folder: string): Promise<number> {
  const order: TakesOrder = {
    dataFolder: join(folder, 'data'),
    projectFolder: join(folder, 'film'),
    serviceUrl,
    takes,
  };
  const args = ['--import', SAY_PROCESSOR_TIME, join(import.meta.dirname, '..', script), JSON.stringify(order)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  rmSync(folder, { recursive: true, force: true });
  return Number(/processor (\d+)/.exec(stdout)?.[1]) / 1000;
}

/** Microseconds, of all threads. */
const SAY_PROCESSOR_TIME = `data:text/javascript,${encodeURIComponent(
  `process.on('exit', () => { const { user, system } = process.cpuUsage(); process.stdout.write('processor ' + (user + system)); })`,
)}`;
