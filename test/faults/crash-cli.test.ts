import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DemoService } from '../../src/demo/service.ts';
import { openDatabase } from '../../src/engine/db/open.ts';
import { ServiceStore } from '../../src/engine/db/service-store.ts';
import { dailies, dailiesKilled, ensureBuilt, undecidedJobs } from './support/command.ts';
import { problemsAfterKill, problemsAtEnd } from './support/crash-checks.ts';
import { readRows } from './support/crash-rows.ts';
import { BATCH, filmList, filmShots } from './support/sample-film.ts';
import { Scene, startQuickService } from './support/scene.ts';
import { seededRandom } from './support/seeded-random.ts';

const KILLS = process.env['CRASH_ALL'] === '1' ? 100 : 20;
/** Processes at once: they wait more than they work. */
const LANES = 3;
const RUN = ['run', 'film.csv', '--project', 'film', '--batch', BATCH, '--json'];
/** Exit status when a submit of unknown fate waits for a person. */
const NEEDS_DECISION = 4;
const RESUME = ['resume', '--project', 'film', '--json'];

const seed = Number(process.env['CRASH_SEED'] ?? Date.now() % 1_000_000);
const random = seededRandom(seed);
const told = { stories: 0, kills: 0, posts: 0, attached: 0, resubmitted: 0, problems: [] as string[] };

beforeAll(ensureBuilt);

afterAll(() => {
  const { stories, kills, posts, attached, resubmitted, problems } = told;
  process.stdout.write(
    `SIGKILL at random (CRASH_SEED=${seed}): ${stories} stories, ${kills} kills, ${posts} POSTs, ` +
      `${attached + resubmitted} submits of unknown fate (${attached} attached, ${resubmitted} never arrived), ` +
      `${problems.length} lost, doubled or broken\n`,
  );
});

describe('the command killed at random moments', { timeout: 600_000 }, () => {
  it('loses nothing, pays for nothing twice and leaves no file that is not whole', async () => {
    await Promise.all(
      Array.from({ length: LANES }, async () => {
        // Long enough that one kill in a few meets a request whose answer is still out.
        const service = await startQuickService({ imageMs: 400 });
        const lifetimeMs = await lifetimeOfOneRun(service);
        while (told.kills < KILLS) await tellStory(service, lifetimeMs);
        await service.stop();
      }),
    );
    expect(told.problems).toEqual([]);
  });
});

async function lifetimeOfOneRun(service: DemoService): Promise<number> {
  const scene = setScene(service);
  const startedAt = performance.now();
  const { status } = await dailies(scene, ...RUN);
  // One shot is refused by the service.
  expect(status).toBe(3);
  scene.remove();
  return performance.now() - startedAt;
}

/** A data folder that knows how fast the service is, so that a run takes one second instead of four. */
function setScene(service: DemoService): Scene {
  const scene = new Scene(service);
  const { dataFolder, serviceUrl } = scene.place;
  mkdirSync(dataFolder);
  const db = openDatabase(dataFolder);
  const learned = new ServiceStore(db);
  for (const { model } of filmShots) learned.learnTaskTime(serviceUrl, model, 60);
  db.close();
  writeFileSync(join(dataFolder, 'settings.json'), JSON.stringify({ maxRate: { submit: 50 } }));
  writeFileSync(join(scene.folder, 'film.csv'), filmList);
  return scene;
}

/** Killed while it runs the list, killed again while it goes on, then brought to its end. */
async function tellStory(service: DemoService, lifetimeMs: number): Promise<void> {
  const scene = setScene(service);
  const moments = [random() * lifetimeMs, random() * lifetimeMs];
  const note = (problems: readonly string[]) =>
    told.problems.push(
      ...problems.map((problem) => `killed after ${moments.map(Math.round).join(' and ')} ms: ${problem}`),
    );
  try {
    for (const moment of moments) {
      const { status } = await dailiesKilled(scene, moment, ...nextCommand(scene));
      if (status === null) told.kills += 1;
      note(await problemsAfterKill(scene));
    }
    await bringToItsEnd(scene);
    note(await problemsAtEnd(scene, { anHourLater: false }));
  } catch (error) {
    note([String(error)]);
  }
  told.stories += 1;
  told.posts += scene.posts().length;
  told.resubmitted += scene.resubmitted.length;
  scene.remove();
}

/** What a person would do next: run the list until all of it is imported, then just go on. */
function nextCommand(scene: Scene): string[] {
  const isImported = readRows(scene.place.dataFolder)?.isImporting === false;
  return isImported ? RESUME : RUN;
}

async function bringToItsEnd(scene: Scene): Promise<void> {
  const { status } = await dailies(scene, ...nextCommand(scene));
  if (status !== NEEDS_DECISION) return;
  for (const { id, shot } of await undecidedJobs(scene)) {
    const taskId = scene.posts(shot).find((post) => post.committed)?.taskId;
    const decision = taskId ? ['--attach', taskId] : ['--resubmit', '--yes'];
    expect(await dailies(scene, 'jobs', 'resolve', id, ...decision)).toMatchObject({ status: 0 });
    if (taskId) told.attached += 1;
    else scene.resubmitted.push(shot);
  }
  await dailies(scene, ...RESUME);
}
