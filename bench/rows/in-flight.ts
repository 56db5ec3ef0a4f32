import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Settings } from '../../src/contract/settings.ts';
import { startEngine } from '../../src/engine/engine.ts';
import { limitOf } from '../finding.ts';
import { spreadOf } from '../measure.ts';
import { benchPorts } from '../ports.ts';
import type { MeasureRow } from '../row.ts';
import { seedUnfinished } from '../seed-unfinished.ts';
import { startServer } from '../start-server.ts';

const JOBS = 10_000;
const SAMPLE_MS = 500;

/**
 * An engine that follows 10,000 tasks which never end, at the usual rate and with a listener to its events.
 * The process is this one: what the engine needs, and Node and this row besides.
 */
export const measure: MeasureRow = async ({ rounds, folder }) => {
  const server = await startServer();
  const dataFolder = join(folder, 'data');
  const projectPath = join(folder, 'film');
  mkdirSync(projectPath);
  seedUnfinished({ dataFolder, projectPath, origin: server.url, jobs: { polling: JOBS } });

  const settings = Settings.parse({ baseUrl: server.url });
  const engine = await startEngine({ dataFolder, settings, ports: benchPorts(), command: 'bench' });
  let polls = 0;
  engine.subscribe((event) => {
    if (event.type === 'job') polls += 1;
  });
  engine.queue.run({});
  const memory: number[] = [];
  const startedAt = performance.now();
  const usedBefore = process.cpuUsage();
  for (let sample = 0; sample < rounds * 6; sample += 1) {
    await wait(SAMPLE_MS);
    memory.push(process.memoryUsage.rss() / 1000 ** 2);
  }
  const { user, system } = process.cpuUsage(usedBefore);
  const ms = performance.now() - startedAt;
  await engine.stop();
  server.stop();

  const perSecond = (polls / ms) * 1000;
  const share = ((user + system) / 1000 / ms) * 100;
  return [
    limitOf('10,000 jobs in flight: memory (RSS)', { name: 'MB', digits: 0 }, spreadOf(memory), { atMost: 250 }),
    limitOf(`… of one core, at ${perSecond.toFixed(0)} polls/s`, { name: '%', digits: 1 }, spreadOf([share]), null),
  ];
};
