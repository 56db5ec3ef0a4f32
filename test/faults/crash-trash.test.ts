import Database from 'better-sqlite3';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { DemoService } from '../support/demo/service.ts';
import { databaseFile } from '../../src/engine/db/open.ts';
import { isNightly } from '../support/chance.ts';
import { dailies, dailiesKilledWhen, ensureBuilt } from './support/command.ts';
import { Scene, startQuickService } from './support/scene.ts';

const TAKES = 150;
const OF_PROJECT = ['--project', 'film', '--json'];

let service: DemoService;
let scene: Scene;

beforeAll(async () => {
  await ensureBuilt();
  service = await startQuickService();
});
beforeEach(() => {
  scene = new Scene(service);
});
afterEach(() => scene.remove());
afterAll(() => service.stop());

const filesIn = (...names: string[]): string[] => {
  const folder = join(scene.place.projectFolder, ...names);
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.png')) : [];
};

interface Row {
  readonly id: string;
  readonly state: string;
  readonly trash: string | null;
  readonly file: string;
  readonly home: string | null;
}

function rows(): Row[] {
  const db = new Database(databaseFile(scene.place.dataFolder), { readonly: true, timeout: 5000 });
  try {
    return db
      .prepare('SELECT id, state, trash, file, home FROM jobs JOIN outputs ON job_id = jobs.id ORDER BY seq')
      .all() as Row[];
  } finally {
    db.close();
  }
}

/** Every file is in one place, which is the one that the database and the recipe say. */
function expectTrue(): { readonly home: number; readonly trash: number } {
  const found = rows();
  expect(found).toHaveLength(TAKES);
  expect(new Set(found.map(({ state }) => state))).toEqual(new Set(['saved']));
  expect(found.map(({ trash }) => trash).filter((trash) => trash !== null && trash !== 'trashed')).toEqual([]);
  const lying = new Set([
    ...filesIn('Night').map((name) => `Night/${name}`),
    ...filesIn('.trash').map((name) => `.trash/${name}`),
  ]);
  expect(lying).toEqual(new Set(found.map(({ file }) => file)));
  for (const { id, trash, file } of found) {
    const recipe = JSON.parse(
      readFileSync(join(scene.place.projectFolder, '.dailies', 'takes', `${id}.json`), 'utf8'),
    ) as { trash?: string; outputs: { file: string }[] };
    expect(recipe.trash ?? null).toBe(trash);
    expect(recipe.outputs.map((output) => output.file)).toEqual([file]);
  }
  return { home: filesIn('Night').length, trash: filesIn('.trash').length };
}

it.runIf(isNightly)(
  `a kill in the middle of moving ${TAKES} takes leaves each file in one place, and the next start knows which`,
  async () => {
    const lines = Array.from({ length: TAKES }, (_, index) => `S${index},image,image-demo,Still number ${index}`);
    writeFileSync(join(scene.folder, 'list.csv'), ['shot,kind,model,prompt', ...lines].join('\n'));
    expect((await dailies(scene, 'run', 'list.csv', '--project', 'film', '--batch', 'Night', '--json')).status).toBe(0);
    const posts = scene.posts().length;
    expect(posts).toBe(TAKES);

    const kills: string[] = [];
    for (const [way, fits, wanted] of [
      ['trash', 'shot:S*', (moved: number) => moved > TAKES / 4],
      ['restore', 'shot:S*', (moved: number) => moved < TAKES / 2],
      ['trash', 'shot:S*', (moved: number) => moved > (TAKES * 5) / 8],
    ] as const) {
      const before = filesIn('.trash').length;
      await dailiesKilledWhen(
        scene,
        async (ended) => {
          while (!(filesIn('.trash').length !== before && wanted(filesIn('.trash').length))) {
            await wait(1, undefined, { signal: ended });
          }
        },
        ...['takes', way, '--where', fits, ...OF_PROJECT],
      );
      // Before anything is repaired, each content is in one place; a name that was taken for a move is empty.
      const cut = filesIn('.trash').length;
      // Any command with an engine is a start.
      expect((await dailies(scene, 'resume', '--json')).status).toBe(0);
      const { home, trash } = expectTrue();
      expect(home + trash).toBe(TAKES);
      kills.push(`${way}: ${String(cut)} in the trash at the kill, ${String(trash)} after the start`);
      const rest = way === 'trash' ? 'trash' : 'restore';
      expect((await dailies(scene, 'takes', rest, '--where', fits, ...OF_PROJECT)).status).toBe(0);
      expect(expectTrue().trash).toBe(way === 'trash' ? TAKES : 0);
    }
    await dailiesKilledWhen(
      scene,
      async (ended) => {
        while (filesIn('.trash').length > (TAKES * 3) / 4) await wait(1, undefined, { signal: ended });
      },
      ...['takes', 'empty-trash', '--yes', ...OF_PROJECT],
    );
    const left = filesIn('.trash').length;
    expect((await dailies(scene, 'resume', '--json')).status).toBe(0);
    const after = rows();
    expect(after.map(({ trash }) => trash).filter((trash) => trash !== 'trashed' && trash !== 'emptied')).toEqual([]);
    const inTrash = after.filter(({ trash }) => trash === 'trashed').map(({ file }) => file);
    expect(
      filesIn('.trash')
        .map((name) => `.trash/${name}`)
        .sort(),
    ).toEqual(inTrash.sort());
    kills.push(`empty-trash: ${String(left)} left at the kill, ${String(inTrash.length)} after the start`);
    expect(scene.posts()).toHaveLength(posts);
    process.stdout.write(
      `SIGKILL in the trash of ${String(TAKES)} takes: ${kills.join('; ')}; nothing was sent again\n`,
    );
  },
);
