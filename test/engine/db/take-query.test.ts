import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Grouping } from '../../../src/contract/review.ts';
import { ReviewStore } from '../../../src/engine/db/review-store.ts';
import { takeQuery } from '../../../src/engine/db/take-query.ts';
import { seedOfTest } from './seed.ts';

const letters = fc.constantFrom('a', 'B', '"', '\\', '%', '_', '\n', '\t', '海', '辺', 'é', '🎬', ' ', '/');
/** What can stand between quotes. */
const quotable = letters.filter((letter) => letter !== '"');
const texts = fc.string({ unit: letters, maxLength: 12 });
const window = { start: 0, count: 100 };

it('finds takes by what one of their files says of itself', () => {
  const { db, jobIds, outputs } = seedOfTest(4, () => ({}));
  const rate = (num: number, den = 1) => ({ num, den });
  const facts = [
    { rate: rate(24_000, 1001), frames: 96, width: 1920, height: 1080 },
    { rate: rate(25), frames: 48, width: 1280, height: 720, isVariable: true as const },
    { width: 1920, height: 1920 },
  ];
  jobIds.slice(0, 3).forEach((id, at) => {
    const file = {
      number: 1,
      file: `f${String(at)}.mp4`,
      bytes: 1,
      sha256: id,
      format: 'mp4',
      verified: true,
    } as const;
    outputs.saveFound(id, { ...file, facts: facts[at] });
  });
  const store = new ReviewStore(db);
  const found = (text: string) =>
    store.ids({ projectId: 'project', sort: 'list', text }).map((id) => jobIds.indexOf(id));
  expect(found('fps:23.976')).toEqual([0]);
  expect(found('fps:>23.976')).toEqual([1]);
  expect(found('frames:>48')).toEqual([0]);
  expect(found('width:1920 -frames:96')).toEqual([2]);
  expect(found('height:>=1080')).toEqual([0, 2]);
  expect(found('is:vfr')).toEqual([1]);
  expect(found('-is:vfr')).toEqual([0, 2, 3]);
});

describe('a search for text', () => {
  it('finds what a person would find by reading all texts of each take', () => {
    const shots = fc.sample(
      fc.record({ prompt: texts, notes: texts, note: texts, own: texts, model: texts, file: texts }),
      {
        numRuns: 60,
        seed: 7,
      },
    );
    const { db, jobIds, outputs } = seedOfTest(shots.length, (index) => ({
      prompt: shots[index]?.prompt ?? '',
      notes: shots[index]?.notes ?? '',
      model: `m${shots[index]?.model ?? ''}`,
      columns: { Own: shots[index]?.own ?? '' },
    }));
    const store = new ReviewStore(db);
    jobIds.forEach((id, index) => {
      store.saveVerdict(id, { rating: 0, flag: null, note: shots[index]?.note ?? '' }, true);
      const file = `f${shots[index]?.file ?? ''}.mp4`;
      outputs.saveFound(id, { number: 1, file, bytes: 1, sha256: id, format: 'mp4', verified: true });
    });
    const words = shots.map(({ prompt, notes, note, own, model, file }, index) => [
      ...[String(index).padStart(4, '0'), prompt, notes, note, own],
      ...[`m${model}`, `f${file}.mp4`],
    ]);
    // SQLite folds the letters of ASCII alone.
    const folded = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
    fc.assert(
      fc.property(fc.string({ unit: quotable, minLength: 1, maxLength: 4 }), (text) => {
        const has = (text: string) => (_id: string, index: number) =>
          words[index]?.some((each) => folded(each).includes(folded(text))) === true;
        const found = (text: string) => store.takes({ projectId: 'project', sort: 'list', text }, window);
        const wanted = jobIds.filter(has(text));
        expect(found(`"${text}"`)).toEqual({ total: wanted.length, ids: wanted });
        const others = jobIds.filter((id, index) => has('m')(id, index) && !has(text)(id, index));
        expect(found(`m -"${text}"`)).toEqual({ total: others.length, ids: others });
      }),
    );
  });

  it('stays within its project', () => {
    const seeded = seedOfTest(3, () => ({ prompt: 'A harbour' }));
    const store = new ReviewStore(seeded.db);
    seeded.jobIds.forEach((id) => store.saveVerdict(id, { rating: 0, flag: null, note: 'harbour' }, true));
    expect(store.takes({ projectId: 'other', sort: 'list', text: 'harbour' }, window)).toEqual({ total: 0, ids: [] });
  });
});

it('a search by fields finds the takes for which all of them are true, in its project alone', () => {
  const { db, jobIds } = seedOfTest(6, (index) => ({
    model: index < 3 ? 'vgen-2-fast' : 'vgen-3',
    columns: { Scene: index % 2 === 0 ? '12' : '13', ...(index === 3 && { 'Own Column': 'a x b' }) },
    ...(index === 1 && { notes: 'At dusk' }),
  }));
  const store = new ReviewStore(db);
  const flags = [null, 'pick', 'reject'] as const;
  const tagsAt = (index: number) =>
    index < 3 ? { tags: ['50%', 'night train', ['hero', 'nightfall', '海'][index] ?? ''] } : {};
  jobIds.forEach((id, index) => {
    store.saveVerdict(
      id,
      { rating: index, flag: flags[index % 3] ?? null, note: index === 5 ? 'Keep' : '', ...tagsAt(index) },
      true,
    );
  });
  const found = (projectId: string, text: string) =>
    store.ids({ projectId, sort: 'list', text }).map((id) => jobIds.indexOf(id));
  const searches: readonly [text: string, takes: readonly number[]][] = [
    ['rating:>=3', [3, 4, 5]],
    ['rating:0', [0]],
    ['-rating:<5', [5]],
    ['flag:pick', [1, 4]],
    ['flag:none', [0, 3]],
    ['-flag:reject', [0, 1, 3, 4]],
    ['model:VGEN*fast', [0, 1, 2]],
    ['model:vgen-3', [3, 4, 5]],
    ['model:vgen', []],
    ['shot:000*', [0, 1, 2, 3, 4, 5]],
    ['shot:0002', [2]],
    ['shot:___2', []],
    ['batch:"day 1"', [0, 1, 2, 3, 4, 5]],
    ['prompt:"shot 4"', [4]],
    ['prompt:shot*', [0, 1, 2, 3, 4, 5]],
    ['note:dusk', [1]],
    ['note:keep', [5]],
    ['has:note', [1, 5]],
    ['-has:note', [0, 2, 3, 4]],
    ['has:rating', [1, 2, 3, 4, 5]],
    ['has:file', []],
    ['tag:hero', [0]],
    ['tag:HERO', [0]],
    ['tag:her', []],
    ['tag:night', []],
    ['tag:night*', [0, 1, 2]],
    ['tag:*fall', [1]],
    ['tag:5*night', []],
    ['tag:"night train"', [0, 1, 2]],
    ['tag:50%', [0, 1, 2]],
    ['tag:5_%', []],
    ['tag:海', [2]],
    ['has:tag', [0, 1, 2]],
    ['-has:tag', [3, 4, 5]],
    ['-tag:hero has:tag', [1, 2]],
    ['scene:12', [0, 2, 4]],
    ['SCENE:1*', [0, 1, 2, 3, 4, 5]],
    ['"own column":*x*', [3]],
    ['scene:12 rating:>=1 -prompt:"shot 4"', [2]],
    ['state:unfinished kind:video take:1 id:000003', [3]],
    ['state:saved', []],
    ['task:none', []],
    ['vgen-3', [3, 4, 5]],
    ['VGEN 13', [1, 3, 5]],
    ['vgen -13', [0, 2, 4]],
    ['000003', [3]],
    ['job-000003', [3]],
    ['-0000', [1, 2, 3, 4, 5]],
    ['scene', []],
    ['rating:many', []],
  ];
  for (const [text, takes] of searches) {
    expect([text, found('project', text)]).toEqual([text, takes]);
    expect(found('other', text)).toEqual([]);
  }
});

it.each(['list', 'newest', 'rating'] as const)(
  'a page of saved takes by %s is read in its order, from either end: no takes are sorted or scanned, whatever is asked for',
  (sort) => {
    const seeded = seedOfTest(1);
    const standings = sort === 'list' ? (['saved', undefined] as const) : (['saved'] as const);
    for (const change of [
      {},
      { flag: 'none' },
      { flag: 'pick', minRating: 3 },
      { kind: 'video' },
      { batchId: 'batch' },
      { text: 'a' },
      { text: 'rating:>=4 scene:1 -has:note model:v*' },
    ] as const) {
      for (const standing of standings) {
        for (const fromEnd of [false, true]) {
          const wanted = { projectId: 'project', standing, ...change };
          const { from, order } = takeQuery(wanted, { sort, fromEnd }, { stale: () => [] });
          const plan = seeded.db.facts.all<{ detail: string }>`EXPLAIN QUERY PLAN SELECT jobs.id ${from}
            ORDER BY ${order} LIMIT 100`;
          expect(plan.filter(({ detail }) => /ORDER BY|SCAN jobs/.test(detail))).toEqual([]);
        }
      }
    }
  },
);

it('the ids of all takes come in the order of their pages, in each order and with each filter', () => {
  const { db, jobIds } = seedOfTest(12, (index) => ({ prompt: index % 2 === 0 ? 'A harbour' : 'A hill' }));
  const store = new ReviewStore(db);
  const save = db.facts.prepare(
    `UPDATE jobs SET state = 'saved', viewable = 1, attempt_id = 'a', updated_at = ? WHERE id = ?`,
  );
  jobIds.forEach((id, index) => {
    if (index > 0) save.run((index * 7) % 5, id);
    if (index % 3 === 0)
      store.saveVerdict(id, { rating: index % 6, flag: index === 3 ? 'pick' : null, note: '' }, true);
  });
  for (const sort of ['list', 'newest', 'rating', 'shot'] as const) {
    for (const change of [
      {},
      { standing: 'saved' },
      { text: 'harbour' },
      { flag: 'none' },
      { minRating: 1 },
    ] as const) {
      const filter = { projectId: 'project', sort, ...change };
      const ids = store.ids(filter);
      const pages = [0, 5, 10].map((start) => store.takes(filter, { start, count: 5 }));
      expect(pages.flatMap((page) => page.ids)).toEqual(ids);
      expect(pages[0]?.total).toBe(ids.length);
    }
  }
  const when = (id: string): number => jobIds.indexOf(id);
  const newest = store.ids({ projectId: 'project', sort: 'newest', standing: 'saved' });
  expect(newest.map((id) => (when(id) * 7) % 5)).toEqual(
    newest
      .map((id) => (when(id) * 7) % 5)
      .sort()
      .reverse(),
  );
});

it('the flags of takes are counted together, whatever flag is asked for', () => {
  const seeded = seedOfTest(6);
  const store = new ReviewStore(seeded.db);
  const flags = ['pick', 'pick', 'reject', null, 'alternate'] as const;
  flags.forEach((flag, index) => store.saveVerdict(seeded.jobIds[index] ?? '', { rating: 3, flag, note: '' }, true));
  const counted = { pick: 2, alternate: 1, reject: 1, none: 2 };
  expect(store.tally({ projectId: 'project' })).toEqual(counted);
  expect(store.tally({ projectId: 'project', flag: 'pick' })).toEqual(counted);
  expect(store.tally({ projectId: 'project', minRating: 3 })).toEqual({ pick: 2, alternate: 1, reject: 1, none: 1 });
  expect(store.tally({ projectId: 'project', standing: 'saved' })).toEqual({
    pick: 0,
    alternate: 0,
    reject: 0,
    none: 0,
  });
  expect(store.takes({ projectId: 'project', sort: 'list', flag: 'none' }, window)).toMatchObject({ total: 2 });
  expect(store.takes({ projectId: 'project', sort: 'list', flag: 'pick' }, window)).toMatchObject({ total: 2 });
});

it('takes saved since a time are found, with the other filters', () => {
  const { db, jobIds } = seedOfTest(6);
  const store = new ReviewStore(db);
  jobIds.forEach(
    (id, index) =>
      db.facts
        .run`UPDATE jobs SET state = 'saved', saved_at = ${index * 10}, updated_at = ${index === 0 ? 99 : index * 10}
      WHERE id = ${id}`,
  );
  const since = (time: number, filter = {}) =>
    store.takes({ projectId: 'project', standing: 'saved', sort: 'list', since: time, ...filter }, window).ids;
  expect(since(30)).toEqual(jobIds.slice(3));
  expect(since(30, { sort: 'newest' })).toEqual(jobIds.slice(3).toReversed());
  expect(since(0)).toEqual(jobIds);
  store.saveVerdict(jobIds[4] ?? '', { rating: 0, flag: 'pick', note: '' }, true);
  expect(since(30, { flag: 'pick' })).toEqual([jobIds[4]]);
});

it('groups keep the order of their pages under every filter', () => {
  const scenes = ['10', '2', '', '10', '2B', '2'];
  const { db, jobIds } = seedOfTest(6, (index) => ({
    key: String(9 - index),
    model: index < 2 ? 'vgen-3' : 'vgen-2-fast',
    columns: { Scene: scenes[index] ?? '', Camera: 'A' },
  }));
  const store = new ReviewStore(db);
  const given = [
    { flag: 'reject', tags: ['night'] },
    { flag: null },
    { flag: 'pick', tags: ['hero', 'night'] },
  ] as const;
  given.forEach(({ flag, ...tags }, index) =>
    store.saveVerdict(
      jobIds[index] ?? '',
      { rating: index, note: '', flag, ...('tags' in tags && { tags: [...tags.tags] }) },
      true,
    ),
  );
  const wanted = { projectId: 'project', sort: 'list' } as const;
  const groups = (group: Grouping) => store.groups({ ...wanted, group }).map(({ name, count }) => `${name}:${count}`);
  expect(groups({ by: 'batch' })).toEqual(['Day 1:6']);
  expect(groups({ by: 'shot' })).toEqual(['9:1', '8:1', '7:1', '6:1', '5:1', '4:1']);
  expect(groups({ by: 'model' })).toEqual(['vgen-2-fast:4', 'vgen-3:2']);
  expect(groups({ by: 'verdict' })).toEqual(['pick:1', 'none:4', 'reject:1']);
  expect(groups({ by: 'tag' })).toEqual(['hero, night:1', 'night:1', ':4']);
  expect(groups({ by: 'column', column: 'scene' })).toEqual(['10:2', '2:2', '2B:1', ':1']);
  expect(groups({ by: 'column', column: 'none' })).toEqual([':6']);
  expect(store.groups(wanted)).toEqual([]);
  expect(store.columns('project')).toEqual(['Camera', 'Scene']);
  expect(store.columns('other')).toEqual([]);

  const groupings: readonly Grouping[] = [
    ...(['batch', 'shot', 'model', 'verdict', 'tag'] as const).map((by) => ({ by })),
    { by: 'column', column: 'SCENE' },
  ];
  for (const group of groupings) {
    for (const sort of ['list', 'newest', 'rating', 'shot'] as const) {
      for (const change of [{}, { text: 'camera:a' }, { flag: 'none' }, { minRating: 1 }] as const) {
        const filter = { projectId: 'project', sort, group, ...change };
        const ids = store.ids(filter);
        const pages = [0, 2, 4].flatMap((start) => store.takes(filter, { start, count: 2 }).ids);
        expect(pages).toEqual(ids);
        expect(store.groups(filter).reduce((sum, { count }) => sum + count, 0)).toBe(ids.length);
      }
    }
  }
  const byScene = store.ids({ ...wanted, group: { by: 'column', column: 'Scene' } });
  expect(byScene.map((id) => scenes[jobIds.indexOf(id)])).toEqual(['10', '10', '2', '2', '2B', '']);
});
