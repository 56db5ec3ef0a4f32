import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { normal, seededRandom } from '../../test/support/seeded-random.ts';

/**
 * Wrote task-times.json, once: `node bench/data/make-task-times.ts`. For each model a log-normal spread around
 * its median, and a few tasks that take two to six times as long, as when a service is busy.
 */
const models = {
  'video-fast': { medianS: 95, sigma: 0.2 },
  'video-large': { medianS: 210, sigma: 0.25 },
  image: { medianS: 14, sigma: 0.25 },
  music: { medianS: 55, sigma: 0.2 },
};
const TASKS = 400;
const SLOW_SHARE = 0.03;

const random = seededRandom(20_260_105);
const times = Object.fromEntries(
  Object.entries(models).map(([model, { medianS, sigma }]) => [
    model,
    Array.from({ length: TASKS }, () => {
      const slowness = random() < SLOW_SHARE ? 2 + 4 * random() : 1;
      return Math.round(medianS * 1000 * Math.exp(sigma * normal(random)) * slowness);
    }),
  ]),
);
const about =
  'Times of tasks from acceptance to result, ms, in the order they were accepted. Made up, not recorded: log-normal for each model, 3 % of the tasks two to six times slower. Made by make-task-times.ts.';
writeFileSync(join(import.meta.dirname, 'task-times.json'), `${JSON.stringify({ about, times })}\n`);
