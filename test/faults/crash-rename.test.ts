import Database from 'better-sqlite3';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DemoService } from '../support/demo/service.ts';
import { databaseFile } from '../../src/engine/db/open.ts';
import { chanceSeed, isNightly } from '../support/chance.ts';
import { problemsAfterKill, problemsAtEnd } from './support/crash-checks.ts';
import type { Change } from './support/change-child.ts';
import { inOneFile } from './support/one-file.ts';
import { startFilmEngine } from './support/sample-film.ts';
import { runProcess, Scene, startQuickService } from './support/scene.ts';

/** Takes are sent, polled and downloaded until here, and all over from here. */
const IN_THE_MIDDLE = 'after the last byte of POST /v1/images/generations #1';
/** More points than a rename has, beside a film that goes on. */
const MAX_POINTS = 60;
/** A run kills at every tenth point, which ones its seed says; with CRASH_ALL=1 at all of them. */
const EVERY = isNightly ? 1 : 10;

let service: DemoService;
let child: string;
beforeAll(async () => {
  service = await startQuickService();
  child = await inOneFile(join(import.meta.dirname, 'support', 'change-child.ts'), 'change-child');
});
afterAll(() => service.stop());

/** What a start after a kill finds. */
interface Found {
  readonly name: string;
  readonly path: string;
  readonly isArchived: boolean;
}

/** Starts once more, and looks. The scene goes on where the folder is now. */
async function startAndLook(scene: Scene): Promise<Found> {
  const engine = await startFilmEngine(scene.place);
  const [listed] = engine.stores.projects.list();
  const [archived] = await engine.views.archived();
  await engine.stop();
  const project = listed ?? archived;
  if (!project) throw new Error('The film is gone.');
  scene.place = { ...scene.place, projectFolder: project.path };
  return { name: project.name, path: project.path, isArchived: !listed };
}

const nameInFolder = (path: string): string =>
  (JSON.parse(readFileSync(join(path, '.dailies', 'project.json'), 'utf8')) as { name: string }).name;

function renamesUnderWay(scene: Scene): number {
  const db = new Database(databaseFile(scene.place.dataFolder), { readonly: true });
  try {
    return db.prepare('SELECT COUNT(*) FROM project_renames').pluck().get() as number;
  } finally {
    db.close();
  }
}

async function killIn(scene: Scene, change: Change, killAfter: number): Promise<string | null> {
  const said = await runProcess(process.execPath, [child, JSON.stringify({ place: scene.place, change, killAfter })]);
  await scene.untilServiceIsIdle();
  return (JSON.parse(said) as { killedAt: string | null }).killedAt;
}

describe('a project that is renamed', { timeout: 600_000 }, () => {
  it('has, killed at any point, its old name or its new one, all of its takes, and no request made twice @night', async () => {
    const scene = new Scene(service);
    await scene.runChild(IN_THE_MIDDLE);
    const problems: string[] = [];
    const points: string[] = [];
    let before = await startAndLook(scene);
    for (let index = chanceSeed % EVERY; index < MAX_POINTS; index += EVERY) {
      const name = `film ${String(index)}`;
      const killedAt = await killIn(scene, { type: 'rename', name }, index);
      const now = await startAndLook(scene);
      const told = `killed ${killedAt ?? 'after its end'} (${String(index)})`;
      const expected = killedAt === null ? [name] : [before.name, name];
      if (!expected.includes(now.name)) problems.push(`${told}: it is called ${now.name}`);
      if (nameInFolder(now.path) !== now.name) problems.push(`${told}: its folder says ${nameInFolder(now.path)}`);
      if (now.path !== before.path && existsSync(before.path)) problems.push(`${told}: ${before.path} is still there`);
      if (renamesUnderWay(scene) > 0) problems.push(`${told}: the rename is still under way`);
      problems.push(...(await problemsAfterKill(scene)).map((problem) => `${told}: ${problem}`));
      before = now;
      if (killedAt === null) break;
      points.push(killedAt);
    }
    await scene.resume();
    problems.push(...(await problemsAtEnd(scene)));
    expect(problems).toEqual([]);
    expect(points.length).toBeGreaterThan(20 / EVERY);
    expect(points.length).toBeLessThan(MAX_POINTS);
    process.stdout.write(
      `SIGKILL in a rename at ${String(points.length)} points: ${String(scene.posts().length)} POSTs\n`,
    );
    scene.remove();
  });
});

describe.runIf(isNightly)('a batch that is renamed', { timeout: 600_000 }, () => {
  it('has, killed at any point, one name in the database, in its folder and on the lists that go into it', async () => {
    const scene = new Scene(service);
    await scene.runChild(null);
    await scene.resume();
    await openItsList(scene);
    const problems: string[] = [];
    let points = 0;
    for (let index = 0; index < MAX_POINTS; index += 1) {
      const killedAt = await killIn(scene, { type: 'rename_batch', name: `Night ${String(index)}` }, index);
      const names = await namesOfBatch(scene);
      if (new Set(names).size > 1) problems.push(`killed ${killedAt ?? 'after its end'}: ${names.join(', ')}`);
      if (killedAt === null) break;
      points += 1;
    }
    expect(problems).toEqual([]);
    expect(points).toBeGreaterThan(10);
    expect(points).toBeLessThan(MAX_POINTS);
    process.stdout.write(`SIGKILL in the rename of a batch at ${String(points)} points\n`);
    scene.remove();
  });
});

/** Opens the list of the film's batch, to go into it again. */
async function openItsList(scene: Scene): Promise<void> {
  const engine = await startFilmEngine(scene.place);
  const [project] = engine.stores.projects.list();
  const [batch] = engine.stores.batches.list(project?.id ?? '');
  await engine.drafts.open(project?.id ?? '', { type: 'batch', batchId: batch?.id ?? '' }, {});
  await engine.stop();
}

/** What a start after a kill calls the film's batch: in the database, in its file and as the name of its list. */
async function namesOfBatch({ place }: Scene): Promise<string[]> {
  const engine = await startFilmEngine(place);
  const { id: projectId } = await engine.projects.open(place.projectFolder);
  const [batch] = engine.stores.batches.list(projectId);
  const drafts = await engine.drafts.list(projectId);
  await engine.stop();
  const file = join(place.projectFolder, '.dailies', 'batches', `${batch?.id ?? ''}.json`);
  const { name } = JSON.parse(readFileSync(file, 'utf8')) as { name: string };
  return [batch?.name ?? '', name, ...drafts.map((draft) => draft.name)];
}

describe.runIf(isNightly)('a project that is archived', { timeout: 600_000 }, () => {
  it('is, killed at any point, in the archive or on the list, with all of its takes', async () => {
    const scene = new Scene(service);
    await scene.runChild(null);
    await scene.resume();
    const posts = scene.posts().length;
    for (let index = 0; index < MAX_POINTS; index += 1) {
      const killedAt = await killIn(scene, { type: 'archive' }, index);
      const { isArchived } = await startAndLook(scene);
      if (killedAt === null) expect(isArchived).toBe(true);
      if (isArchived) break;
    }
    const engine = await startFilmEngine(scene.place);
    const [archived] = await engine.views.archived();
    await engine.commands.run('projects.unarchive', { projectId: archived?.id ?? '' }, 'command');
    await engine.stop();
    await scene.resume();
    expect(await problemsAtEnd(scene)).toEqual([]);
    expect(scene.posts()).toHaveLength(posts);
    scene.remove();
  });
});
