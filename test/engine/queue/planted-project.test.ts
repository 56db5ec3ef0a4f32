import { openTakeFile, pathInside } from '../../../src/server/media/served-file.ts';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sayText } from '../../../src/contract/messages/words.ts';
import { toText, DailiesError } from '../../../src/engine/base/errors.ts';
import { plants } from '../../support/planted-files.ts';
import { toList } from '../../../src/engine/batches/written-list.ts';
import { World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';
import { someOf } from '../../support/chance.ts';

const SECRET = 'a private key of the person';
const LONG_AGO = new Date(1_000_000_000_000);
const HOUR = 3_600_000;
const LIST = 'shot;model;prompt;duration\n010;vgen-2.0-nt;A boat;5\n';

let world: World;
let draftId: string;
/** Absolute; what a stranger has put in the place of things of the project leads here. */
let outside: string;
let template: string;

beforeAll(async () => {
  world = await World.open();
  outside = join(world.folder, 'outside');
  template = join(world.folder, 'template');
  await buildProject();
});
afterAll(() => world.close());
afterEach(async () => {
  await world.stop();
});

/** A project with a saved take, one that runs, a list that is edited, and a batch folder with its manifest. */
async function buildProject(): Promise<void> {
  world.fault({ method: 'POST', prompt: 'Shot 2' }, { fault: 'outcome', end: 'succeeded', takesMs: HOUR });
  await world.start();
  const shots = [shot(1), shot(2)];
  await world.import(shots, { cap: { takes: 9 } });
  const project = await world.openProject();
  const again = { project, name: 'Day 1', listFolder: world.folder, source: 'list.csv', shots, again: false };
  await world.engine.batches.start({ ...again, list: toList(shots) });
  world.engine.queue.run({});
  await world.until(
    'one file and one task',
    () => world.job('0001').state === 'saved' && world.job('0002').taskId !== undefined,
  );
  const draft = await world.engine.drafts.open(project.id, { type: 'text', name: 'day2.csv', text: LIST }, {});
  draftId = draft.id;
  await editDraft(draft.revision);
  await world.stop();
  // What the next run will write, as a stranger can foretell it from the recipes.
  const parts = join(world.projectPath, '.dailies', 'parts');
  const running = readdirSync(join(world.projectPath, '.dailies', 'takes')).find((name) =>
    readFileSync(join(world.projectPath, '.dailies', 'takes', name), 'utf8').includes('Shot 2'),
  );
  writeFileSync(join(parts, `${basename(running ?? '', '.json')}_1.part`), 'a piece');
  for (const folder of ['film', 'data']) {
    cpSync(join(world.folder, folder), join(template, folder), { recursive: true });
  }
}

const editDraft = (revision: number) =>
  world.engine.drafts.edit(draftId, revision, {
    type: 'cells',
    cells: [{ row: 0, column: 2, value: `Take ${revision}` }],
  });

/** Everything as it was built, and the person's own files beside it. */
function restore(): void {
  for (const folder of ['film', 'data', 'outside', 'selects']) {
    rmSync(join(world.folder, folder), { recursive: true, force: true });
  }
  cpSync(template, world.folder, { recursive: true });
  mkdirSync(outside);
  writeFileSync(victim(), SECRET);
  utimesSync(victim(), LONG_AGO, LONG_AGO);
}

const victim = (): string => join(outside, 'id_ed25519');

/** Does all that is done with a project, and returns what the person was told where it could not be done. */
async function useProject(): Promise<{ told: string[]; states: string[] }> {
  const told: string[] = [];
  const attempt = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      // Only these have a text for people.
      expect(error).toBeInstanceOf(DailiesError);
      told.push(sayText(toText(error)));
    }
  };
  const engine = await world.start();
  await attempt(async () => told.push(...(await engine.projects.open(world.projectPath)).problems.map(sayText)));
  const projectId = engine.stores.projects.list()[0]?.id ?? '';
  await attempt(async () => {
    const [draft] = await engine.drafts.list(projectId);
    if (draft) await editDraft(draft.revision);
  });
  await attempt(() => engine.drafts.get(draftId));
  await attempt(() => engine.drafts.reread(draftId, {}));
  const [batch] = engine.stores.batches.list(projectId);
  await attempt(() => engine.drafts.open(projectId, { type: 'batch', batchId: batch?.id ?? '' }, {}));
  await attempt(() => engine.drafts.open(projectId, { type: 'text', name: 'day3.csv', text: LIST }, {}));
  await world.settle();
  const takes = engine.stores.queries.list({}).map(({ id }) => id);
  for (const file of takes.flatMap((id) => engine.review.files(id))) {
    const served = await openTakeFile(file);
    if (served) {
      expect((await served.handle.readFile()).toString('latin1')).not.toContain(SECRET);
      await served.handle.close();
    }
    const shown = await pathInside(world.projectPath, file.output.file);
    if (shown !== null) expect(readFileSync(shown, 'latin1')).not.toContain(SECRET);
  }
  const exportable = takes.filter((id) => engine.review.files(id).length > 0);
  await attempt(async () => {
    const copying = engine.review.export(exportable, join(world.folder, 'selects'));
    while (!(await copying.next()).done);
  });
  for (const job of engine.stores.queries.list({}))
    if (job.failure) told.push(`${job.failure.message} ${job.failure.remedy}`);
  const states = engine.stores.queries.list({}).map(({ state }) => state);
  await world.stop();
  return { told, states };
}

/** Nothing of the person's was changed, nothing of it is where others can see it, and no step failed by surprise. */
function expectNoHarm(): void {
  expect(readFileSync(victim(), 'utf8')).toBe(SECRET);
  expect(statSync(victim()).mtimeMs).toBe(LONG_AGO.getTime());
  const selects = join(world.folder, 'selects');
  for (const path of existsSync(selects) ? filesBelow(selects) : []) {
    expect(readFileSync(path, 'latin1'), path).not.toContain(SECRET);
  }
  expect(world.log.lines.filter((line) => line.includes('in a way it should not'))).toEqual([]);
}

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** Names that differ in every run are told apart by their endings, and each of them has its turn. */
const FILES = [
  '.dailies/project.json',
  '.dailies/worked-from.json',
  '.dailies/limits.json',
  '.dailies/batches/*.json',
  '.dailies/takes/*.json',
  '.dailies/lists/*.json',
  '.dailies/drafts/*.json',
  '.dailies/drafts/*.edits',
  '.dailies/drafts/*.source',
  '.dailies/parts/*.part',
  'Day 1/manifest.csv',
  'Day 1/*.mp4',
] as const;

/** The files of the project that a pattern means; the film still to come among them. */
function filesLike(pattern: string): string[] {
  const [folder, ending] = [dirname(pattern), basename(pattern).replace('*', '')];
  const there = readdirSync(join(template, 'film', folder)).filter((name) => name.endsWith(ending));
  return [...there, ...(ending === '.mp4' ? ['0002_t1.mp4'] : [])].map((name) => join(world.projectPath, folder, name));
}

describe('a project of a stranger', { timeout: 120_000 }, () => {
  it('is whole where nothing was put into it', async () => {
    restore();
    expect(await useProject()).toEqual({ told: [], states: ['saved', 'saved'] });
  });

  it('has no file that this test leaves out', () => {
    const all = filesBelow(join(template, 'film')).map((path) => relative(join(template, 'film'), path));
    const known = FILES.flatMap(filesLike).map((path) => relative(world.projectPath, path));
    expect(all.filter((path) => !known.includes(path))).toEqual([]);
  });

  describe.each(Object.keys(plants))('with %s in the place of', (what) => {
    it.each(someOf(FILES))('%s does no harm', async (pattern) => {
      for (const file of filesLike(pattern)) {
        restore();
        rmSync(file, { force: true });
        plants[what]?.(file, victim());
        await useProject();
        expectNoHarm();
      }
    });
  });

  it.each([
    '.dailies/project.json',
    '.dailies/drafts/*.edits',
    '.dailies/takes/*.json',
    '.dailies/batches/*.json',
    'Day 1/*.mp4',
  ])('names the link in the place of %s', async (pattern) => {
    const [file = ''] = filesLike(pattern);
    restore();
    // On a machine that has never seen the project, everything in it is read.
    rmSync(world.dataFolder, { recursive: true });
    rmSync(file);
    symlinkSync(victim(), file);
    const { told } = await useProject();
    expect(told.join('\n')).toContain(basename(file));
    expectNoHarm();
  });

  it.each(['.dailies', '.dailies/batches', '.dailies/takes', '.dailies/drafts', '.dailies/parts', 'Day 1'])(
    'whose folder %s is a link leaves what is behind it alone, and says so',
    async (folder) => {
      restore();
      const behind = join(outside, 'folder');
      renameSync(join(world.projectPath, folder), behind);
      symlinkSync(behind, join(world.projectPath, folder));
      const before = filesBelow(behind).map((path) => [path, readFileSync(path, 'latin1'), statSync(path).mtimeMs]);
      const { told } = await useProject();
      expect(filesBelow(behind).map((path) => [path, readFileSync(path, 'latin1'), statSync(path).mtimeMs])).toEqual(
        before,
      );
      expect(told.join('\n')).toContain(`${join(world.projectPath, folder)} is a link`);
      expectNoHarm();
    },
  );
});
