import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { limitOf, type Finding } from '../finding.ts';
import { spreadOf } from '../measure.ts';
import type { MeasureRow } from '../row.ts';
import { openBrowser, type BenchBrowser } from '../window/browser.ts';
import { PROJECT, seedSavedTakes, seedThumbs } from '../window/seed-project.ts';
import { ServedWindow } from '../window/served-window.ts';
import { makeStills } from '../window/stills.ts';

const TAKES = 10_000;
/** A window that has been open for a while has nothing left to do, ms. */
const AFTERWARDS_MS = 500;
const MAX_ROUNDS = 3;
const GOAL = { atMost: 500 };
const unit = { name: 'ms', digits: 0 };

interface Shown {
  readonly first: number;
  readonly all: number;
}

/**
 * Opening a project of 10,000 takes, until the first picture is drawn, and until all in sight are. Warm: from the click,
 * in a window that has been open for a while. Cold: from asking for the page, in a browser that has nothing of us, of a
 * server that was just started; once with the small pictures as an earlier visit left them, once with none, so that
 * they are made first.
 */
export const measure: MeasureRow = async ({ rounds, folder }) => {
  const projectPath = join(folder, 'film');
  const bare = join(folder, 'bare');
  mkdirSync(projectPath);
  const seeded = { dataFolder: bare, projectPath, takes: TAKES, stills: await makeStills(join(folder, 'stills')) };
  seedSavedTakes(seeded);
  const visited = join(folder, 'visited');
  cpSync(bare, visited, { recursive: true });
  seedThumbs({ ...seeded, dataFolder: visited });

  const browser = await openBrowser();
  const warm: Shown[] = [];
  const cold: Shown[] = [];
  const firstEver: Shown[] = [];
  for (let round = 0; round <= Math.min(rounds, MAX_ROUNDS); round += 1) {
    const server = await ServedWindow.start(visited);
    const openedCold = await openCold(browser, server);
    const openedWarm = await openWarm(browser, server);
    await server.stop();
    const fresh = await ServedWindow.start(bare);
    const openedFirst = await openCold(browser, fresh);
    await fresh.stop();
    rmSync(join(bare, 'thumbs'), { recursive: true });
    if (round === 0) continue;
    cold.push(openedCold);
    warm.push(openedWarm);
    firstEver.push(openedFirst);
  }
  await browser.close();
  return [
    ...told('Opening 10,000 takes: first picture', warm, GOAL),
    ...told('… cold: first picture', cold, GOAL),
    ...told('… cold, none made small before: first picture', firstEver, null),
  ];
};

function told(what: string, shown: readonly Shown[], goal: { readonly atMost: number } | null): Finding[] {
  return [
    limitOf(what, unit, spreadOf(shown.map(({ first }) => first)), goal),
    limitOf('… all pictures in sight', unit, spreadOf(shown.map(({ all }) => all)), null),
  ];
}

async function openCold(browser: BenchBrowser, server: ServedWindow): Promise<Shown> {
  const window = await browser.newWindow();
  await server.admit(window);
  await window.page.goto(`${server.address}/#/project/${PROJECT}/review`, { waitUntil: 'commit' });
  const shown = await window.ask<Shown>('picturesShown()');
  await window.close();
  return shown;
}

async function openWarm(browser: BenchBrowser, server: ServedWindow): Promise<Shown> {
  const window = await browser.newWindow();
  await server.admit(window);
  const reviewIsHere = window.page.waitForResponse((response) => /\/ReviewView-.*\.js$/.test(response.url()));
  await window.page.goto(`${server.address}/#/project/${PROJECT}/projects`);
  // The other views are fetched a moment after the first one is shown.
  await reviewIsHere;
  await wait(AFTERWARDS_MS);
  const shownLater = window.ask<Shown>('picturesShown()');
  await window.page.getByRole('button', { name: 'Review' }).last().click();
  const { first, all } = await shownLater;
  const clickedAt = await window.ask<number>('clickedAt');
  await window.close();
  return { first: first - clickedAt, all: all - clickedAt };
}
