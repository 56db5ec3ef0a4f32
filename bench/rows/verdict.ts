import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { limitOf } from '../finding.ts';
import { spreadOf } from '../measure.ts';
import type { MeasureRow } from '../row.ts';
import { openBrowser } from '../window/browser.ts';
import { PROJECT, seedSavedTakes, seedThumbs } from '../window/seed-project.ts';
import { ServedWindow } from '../window/served-window.ts';
import { makeStills } from '../window/stills.ts';

const TAKES = 10_000;
/** Longer than any view of the window puts off a reading, ms. */
const QUIET_MS = 6000;
const MAX_ROUNDS = 2;
const calls = { name: 'calls', digits: 0 };
const kilobytes = { name: 'kB', digits: 1 };

/**
 * One star in a review of 10,000 takes, then nothing: the calls that the window makes for it, and the bytes of calls,
 * answers and events on the wire. One call is for the recipe of the next take, to which the window goes on.
 */
export const measure: MeasureRow = async ({ rounds, folder }) => {
  const dataFolder = join(folder, 'data');
  const projectPath = join(folder, 'film');
  mkdirSync(projectPath);
  const seeded = { dataFolder, projectPath, takes: TAKES, stills: await makeStills(join(folder, 'stills')) };
  seedSavedTakes(seeded);
  seedThumbs(seeded);
  const server = await ServedWindow.start(dataFolder);
  const browser = await openBrowser();
  const window = await browser.newWindow();
  await server.admit(window);
  const wire = await window.callsAndBytes();
  await window.page.goto(`${server.address}/#/project/${PROJECT}/review`);
  await window.ask('picturesShown()');

  const made: number[] = [];
  const sent: number[] = [];
  await wait(QUIET_MS);
  for (let round = 0; round <= Math.min(rounds, MAX_ROUNDS); round += 1) {
    const before = wire();
    await window.page.keyboard.press('4');
    await wait(QUIET_MS);
    const after = wire();
    if (round === 0) continue;
    made.push(after.calls - before.calls);
    sent.push((after.bytes - before.bytes) / 1000);
  }
  await browser.close();
  await server.stop();
  return [
    limitOf('One star in a review of 10,000 takes: calls', calls, spreadOf(made), { atMost: 2 }),
    limitOf('… bytes of calls, answers and events', kilobytes, spreadOf(sent), { atMost: 10 }),
  ];
};
