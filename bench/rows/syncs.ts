import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startDemoService } from '../../src/demo/service.ts';
import { limitOf } from '../finding.ts';
import { spreadOf } from '../measure.ts';
import { BENCH_KEY } from '../ports.ts';
import type { MeasureRow } from '../row.ts';
import type { TakesOrder } from '../run-takes.ts';

const TAKES = 20;

/**
 * How often one take makes the disk sync, as the system sees it: commits of the database, and those of files and
 * folders with them. A run of so many takes is compared with one of twice as many, which leaves out what a run itself
 * syncs.
 */
export const measure: MeasureRow = async ({ folder }) => {
  if (spawnSync('strace', ['-qq', '-e', 'trace=none', 'true']).status !== 0) {
    return [{ what: 'Syncs of a take: no strace here', ours: '', peer: '', ratio: null, goal: '', met: null }];
  }
  const speed = { videoMs: 60, imageMs: 60, musicMs: 60, jitter: 0.2 };
  const service = await startDemoService({ media: 'tiny', tinyBytes: 20_000, speed, apiKey: BENCH_KEY });
  const few = await syncsOf(TAKES, service.url, join(folder, 'few'));
  const many = await syncsOf(2 * TAKES, service.url, join(folder, 'many'));
  await service.stop();
  const commits = spreadOf([(many.commits - few.commits) / TAKES]);
  const all = spreadOf([(many.all - few.all) / TAKES]);
  return [
    limitOf('Synced commits of a take', { name: 'commits', digits: 1 }, commits, { atMost: 3.5 }),
    limitOf('… with files and folders', { name: 'syncs', digits: 1 }, all, { atMost: 12 }),
  ];
};

async function syncsOf(takes: number, serviceUrl: string, folder: string): Promise<{ commits: number; all: number }> {
  const order: TakesOrder = {
    dataFolder: join(folder, 'data'),
    projectFolder: join(folder, 'film'),
    serviceUrl,
    takes,
  };
  const trace = `${folder}.trace`;
  const child = [process.execPath, join(import.meta.dirname, '..', 'run-takes.ts'), JSON.stringify(order)];
  await promisify(execFile)('strace', ['-f', '-qq', '-y', '-e', 'trace=fsync,fdatasync', '-o', trace, ...child]);
  const calls = readFileSync(trace, 'latin1').match(/f(?:data)?sync\(\d+<[^>]*>/g) ?? [];
  return { commits: calls.filter((call) => call.includes('dailies.db-wal')).length, all: calls.length };
}
