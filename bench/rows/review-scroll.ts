import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findingsOf } from '../finding.ts';
import { inTurnsBy } from '../measure.ts';
import type { MeasureRow } from '../row.ts';
import { openBrowser } from '../window/browser.ts';
import { startPlainPage } from '../window/plain-page.ts';
import { scrolling } from '../window/scrolling.ts';
import { PROJECT, seedSavedTakes, seedThumbs } from '../window/seed-project.ts';
import { ServedWindow } from '../window/served-window.ts';
import { makeStills } from '../window/stills.ts';

const TAKES = 10_000;
const unit = { name: 'ms', digits: 1 };

/**
 * Scrolling a review of 10,000 takes, each with a picture of its own address that the browser has not seen yet. The
 * peer is a bare virtua list of as many rows with one line of text each, in the same browser.
 */
export const measure: MeasureRow = async ({ rounds, folder }) => {
  const dataFolder = join(folder, 'data');
  const projectPath = join(folder, 'film');
  mkdirSync(projectPath);
  const seeded = { dataFolder, projectPath, takes: TAKES, stills: await makeStills(join(folder, 'stills')) };
  seedSavedTakes(seeded);
  seedThumbs(seeded);
  const plain = await startPlainPage(join(folder, 'plain'));
  const server = await ServedWindow.start(dataFolder);
  const browser = await openBrowser();
  const window = await browser.newWindow();
  const plainWindow = await browser.newWindow();

  await server.admit(window);
  await window.page.goto(`${server.address}/#/project/${PROJECT}/review`);
  await window.ask('picturesShown()');
  await plainWindow.page.goto(plain.address(TAKES));
  await plainWindow.page.locator('.row').first().waitFor();

  const compared = await inTurnsBy(rounds, ['frame', 'work'], scrolling('ours', window, '[role="gridcell"]'), [
    scrolling('a bare virtua list', plainWindow, '.row'),
  ]);
  await browser.close();
  await server.stop();
  plain.stop();
  return [
    ...findingsOf('Scrolling a review of 10,000 takes: frame (p95)', unit, compared.frame, [{ atMost: 1.2 }]),
    ...findingsOf('… processor time of a frame, main thread', unit, compared.work, [null]),
  ];
};
