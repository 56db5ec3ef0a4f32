import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { Recipe } from '../../../src/contract/take.ts';
import type { DemoService } from '../../support/demo/service.ts';
import { teachSpeed } from '../../support/quick-service.ts';
import { dailies, undecidedJobs } from './command.ts';
import { moneyByLedger, takeProblems } from './crash-checks.ts';
import { readRows } from './crash-rows.ts';
import { BATCH, filmList, filmShots, REFUSED } from './sample-film.ts';
import { Scene } from './scene.ts';

/** Exit status when a submit of unknown fate waits for a person. */
const NEEDS_DECISION = 4;
const RUN = ['run', 'film.csv', '--project', 'film', '--batch', BATCH, '--json'];
const RESUME = ['resume', '--project', 'film', '--json'];

/** A list, and a data folder that knows how fast the service is, so that a run takes one second instead of four. */
export function setScene(service: DemoService, { isOdd = false } = {}): Scene {
  const scene = new Scene(service);
  scene.isOdd = isOdd;
  writeFileSync(join(scene.folder, 'film.csv'), filmList);
  teach(scene);
  return scene;
}

/** The same project, worked on from another data folder. */
export function fromAnotherFolder(scene: Scene): Scene {
  const place = { ...scene.place, dataFolder: join(dirname(scene.place.dataFolder), 'other data') };
  const other = Object.create(scene, { place: { value: place } }) as Scene;
  teach(other);
  return other;
}

function teach({ place: { dataFolder, serviceUrl } }: Scene): void {
  teachSpeed(dataFolder, serviceUrl, 60);
  writeFileSync(join(dataFolder, 'settings.json'), JSON.stringify({ maxRate: { submit: 50 } }));
}

/**
 * What a person would do next with a data folder: run the list until all of it is imported there, then just go on. What
 * was taken over from the project folder is not all of it: shots that were never sent are in the list alone.
 */
export function nextCommand(scene: Scene): string[] {
  const rows = readRows(scene.place.dataFolder);
  const known = new Set(rows?.jobs.map((job) => job.shot_key));
  return rows?.isImporting === false && filmShots.every(({ key }) => known.has(key)) ? RESUME : RUN;
}

export async function lifetimeOfOneRun(service: DemoService): Promise<number> {
  const scene = setScene(service);
  const startedAt = performance.now();
  // One shot is refused by the service.
  expect(await dailies(scene, ...RUN)).toMatchObject({ status: 3 });
  scene.remove();
  return performance.now() - startedAt;
}

/** Runs one data folder until nothing goes on by itself, decides what is in doubt, and runs it to the end. */
export async function bringToItsEnd(scene: Scene): Promise<{ readonly attached: number }> {
  const { status, lines } = await dailies(scene, ...nextCommand(scene));
  // A run that meets the refused shot ends with 3. One that finds all of it done by the other side ends with 0: what is
  // in the project is checked apart. Anything else has a reason among its last words.
  if (status !== 0 && status !== 3 && status !== NEEDS_DECISION)
    throw new Error(`it ended with ${String(status)}: ${JSON.stringify(lines.slice(-5))}`);
  if (status !== NEEDS_DECISION) return { attached: 0 };
  let attached = 0;
  for (const { id, shot } of await undecidedJobs(scene)) {
    const taskId = scene.posts(shot).find((post) => post.committed)?.taskId;
    const decision = taskId ? ['--attach', taskId] : ['--resubmit', '--yes'];
    expect(await dailies(scene, 'jobs', 'resolve', id, ...decision)).toMatchObject({ status: 0 });
    if (taskId) attached += 1;
    else scene.resubmitted.push(shot);
  }
  await dailies(scene, ...RESUME);
  return { attached };
}

/** What must hold at every moment, by the service's own books and the files of the project. */
export async function problemsNow(scene: Scene): Promise<string[]> {
  return [...moneyByLedger(scene), ...(await takeProblems(scene))];
}

/** What must hold once both ways were gone to their end: each shot paid for once and saved, and nothing in doubt. */
export async function problemsInTheEnd(scene: Scene): Promise<string[]> {
  const recipes = readRecipes(scene);
  return [
    ...(await problemsNow(scene)),
    ...(await undecidedJobs(scene)).map(({ shot }) => `shot ${shot} is still in doubt`),
    ...filmShots.flatMap(({ key }) => {
      const states = recipes.filter(({ shot }) => shot.key === key).map(({ state }) => state);
      const paid = scene.posts(key).filter((post) => post.committed).length;
      const wanted = key === REFUSED ? { state: 'rejected', paid: 0 } : { state: 'saved', paid: 1 };
      const isRight = states.filter((state) => state === wanted.state).length === 1 && paid === wanted.paid;
      return isRight ? [] : [`shot ${key} was paid for ${String(paid)} times, its takes are ${states.join(', ')}`];
    }),
  ];
}

function readRecipes({ place }: Scene): Recipe[] {
  const folder = join(place.projectFolder, '.dailies', 'takes');
  const names = readdirSync(folder).filter((name) => /^[^.].*\.json$/.test(name));
  return names.map((name) => Recipe.parse(JSON.parse(readFileSync(join(folder, name), 'utf8'))));
}
