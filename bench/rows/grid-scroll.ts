import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findingsOf } from '../finding.ts';
import { inTurnsBy } from '../measure.ts';
import type { MeasureRow } from '../row.ts';
import { openBrowser } from '../window/browser.ts';
import { startPlainPage } from '../window/plain-page.ts';
import { scrolling } from '../window/scrolling.ts';
import { DRAFT, seedDraft } from '../window/seed-draft.ts';
import { PROJECT } from '../window/seed-project.ts';
import { ServedWindow } from '../window/served-window.ts';

const ROWS = 100_000;
const MAX_ROUNDS = 3;
const unit = { name: 'ms', digits: 1 };

/**
 * Scrolling a shot list of 100,000 rows and nine columns that is being edited: rows come from the server as they come
 * into sight. The peer is a bare virtua list of as many rows with one line of text each, in the same browser.
 */
export const measure: MeasureRow = async ({ rounds, folder }) => {
  const dataFolder = join(folder, 'data');
  const film = join(folder, 'film');
  mkdirSync(film);
  await seedDraft(dataFolder, film, ROWS);
  const plain = await startPlainPage(join(folder, 'plain'));
  const server = await ServedWindow.start(dataFolder);
  const browser = await openBrowser();
  const window = await browser.newWindow();
  const plainWindow = await browser.newWindow();

  await server.admit(window);
  await window.page.goto(`${server.address}/#/project/${PROJECT}/batch?draft=${DRAFT}`);
  await window.page.getByRole('gridcell', { name: 'SC000010' }).waitFor();
  // Its defects are counted: what goes on behind a list that was just opened is another matter.
  await window.page.getByRole('button', { name: /error/ }).first().waitFor();
  await plainWindow.page.goto(plain.address(ROWS));
  await plainWindow.page.locator('.row').first().waitFor();

  const compared = await inTurnsBy(
    Math.min(rounds, MAX_ROUNDS),
    ['frame', 'work'],
    scrolling('ours', window, '[role="gridcell"]'),
    [scrolling('a bare virtua list', plainWindow, '.row')],
  );
  await browser.close();
  await server.stop();
  plain.stop();
  return [
    ...findingsOf('Scrolling a grid of 100,000 rows: frame (p95)', unit, compared.frame, [{ atMost: 1.2 }]),
    ...findingsOf('… processor time of a frame, main thread', unit, compared.work, [null]),
  ];
};
