import Database from 'better-sqlite3';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ShotSpec } from '../../src/contract/shot.ts';
import type { DemoService } from '../support/demo/service.ts';
import { databaseFile } from '../../src/engine/db/open.ts';
import { isNightly } from '../support/chance.ts';
import { dailies, dailiesKilledWhen, ensureBuilt } from './support/command.ts';
import { readRows } from './support/crash-rows.ts';
import { filmShots, startFilmEngine } from './support/sample-film.ts';
import { Scene, startQuickService } from './support/scene.ts';

const ROWS = isNightly ? 5000 : 2000;
const RUN = ['run', 'list.csv', '--project', 'film', '--batch', 'Night', '--json'];

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

describe('an import that is cut off', () => {
  // On a machine with much else to do the import may be over before this process gets its turn to kill it.
  it(
    `sends nothing of half a list of ${ROWS}, and is completed without doubles by running it again`,
    { retry: 2 },
    async () => {
      const lines = Array.from({ length: ROWS }, (_, index) => `S${index},music,music-demo,Tune number ${index}`);
      writeFileSync(join(scene.folder, 'list.csv'), ['shot,kind,model,prompt', ...lines].join('\n'));
      const stored: number[] = [];
      // At its very start, among the shots, among the jobs: each time a little further. By day, two of them.
      const moments = [
        [1, 0],
        [ROWS / 4, 0],
        [ROWS, 1],
        [ROWS, ROWS / 6],
      ] as const;
      for (const [shots, jobs] of moments.filter((_, index) => isNightly || index % 2 === 1)) {
        await dailiesKilledWhen(scene, (ended) => untilStored(scene, { shots, jobs }, ended), ...RUN);
        const rows = readRows(scene.place.dataFolder);
        expect(rows?.damage).toEqual([]);
        expect(rows?.isImporting).toBe(true);
        stored.push(rows?.jobs.length ?? 0);

        const resumed = await dailies(scene, 'resume', '--json');
        expect(resumed.lines).toContainEqual(expect.objectContaining({ interruptedImports: ['Night'] }));
        expect(scene.posts()).toEqual([]);
      }
      expect(Math.max(...stored), 'a kill came in the middle of the jobs').toBeGreaterThan(0);

      await dailiesKilledWhen(scene, (ended) => untilImported(scene, ended), ...RUN);
      const rows = readRows(scene.place.dataFolder);
      expect(rows?.jobs).toHaveLength(ROWS);
      expect(new Set(rows?.jobs.map((job) => job.shot_key)).size).toBe(ROWS);
      const prompts = scene.posts().map(({ body }) => (body as { prompt: string }).prompt);
      expect(new Set(prompts).size).toBe(prompts.length);
      process.stdout.write(
        `SIGKILL in an import of ${ROWS} rows: ${stored.length} kills with ${stored.join(', ')} jobs stored, then each row once\n`,
      );
    },
  );

  it('makes one new take of each shot when new takes of all were asked for twice because of it @night', async () => {
    const shots = Array.from({ length: ROWS }, (_, index) => ({ ...filmShots[1], key: `S${index}` })) as ShotSpec[];
    const engine = await startFilmEngine(scene.place);
    try {
      const project = await engine.projects.open(scene.place.projectFolder);
      const list = { project, name: 'Night', listFolder: scene.folder, source: 'list.csv', shots };
      await engine.batches.start({ ...list, again: false });
      await engine.commands.run('jobs.cancel', { ids: engine.stores.queries.list({}).map(({ id }) => id) }, 'command');
      const cut = new AbortController();
      const cutOff = expect(engine.batches.start({ ...list, again: true, signal: cut.signal })).rejects.toThrow();
      while (engine.stores.tally.counts({}).unfinished === 0) await nextTurn();
      cut.abort();
      await cutOff;
      expect(engine.stores.tally.counts({}).unfinished).toBeLessThan(ROWS);
      await engine.batches.start({ ...list, again: true });
      expect(engine.stores.tally.counts({})).toMatchObject({ cancelled: ROWS, unfinished: ROWS });
    } finally {
      await engine.stop();
    }
  });
});

async function untilStored(
  { place }: Scene,
  wanted: { readonly shots: number; readonly jobs: number },
  ended: AbortSignal,
): Promise<void> {
  await until(ended, () => {
    const counts = `SELECT (SELECT COUNT(*) FROM shots) AS shots, (SELECT COUNT(*) FROM jobs) AS jobs`;
    const found = ask(place.dataFolder, counts) as { shots: number; jobs: number } | null;
    return found !== null && found.shots >= wanted.shots && found.jobs >= wanted.jobs;
  });
}

function untilImported({ place }: Scene, ended: AbortSignal): Promise<void> {
  return until(ended, () => {
    const found = ask(place.dataFolder, 'SELECT importing FROM batches') as { importing: number } | null;
    return found?.importing === 0;
  });
}

async function until(ended: AbortSignal, isSo: () => boolean): Promise<void> {
  while (!isSo()) await wait(2, undefined, { signal: ended });
}

/** Looks at the database while an engine uses it. Null while there is nothing to see. */
function ask(dataFolder: string, sql: string): unknown {
  if (!existsSync(databaseFile(dataFolder))) return null;
  const db = new Database(databaseFile(dataFolder), { readonly: true, timeout: 1000 });
  try {
    return db.prepare(sql).get() ?? null;
  } catch {
    // Its tables are being made.
    return null;
  } finally {
    db.close();
  }
}
