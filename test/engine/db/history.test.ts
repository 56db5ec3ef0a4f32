import { expect, it } from 'vitest';
import { sayText } from '../../../src/contract/messages/words.ts';
import { HistoryStore } from '../../../src/engine/db/history-store.ts';
import { databaseOfTest } from './database-of-test.ts';

it('is read page by page, the newest first', () => {
  const db = databaseOfTest();
  const history = new HistoryStore(db);
  expect(history.page({ count: 10 })).toEqual([]);
  for (let at = 1; at <= 5; at += 1) {
    const projectId = at % 2 === 0 ? 'even' : 'odd';
    history.note({ code: 'batch.started', facts: { batch: `Day ${at}`, newTakes: at }, by: 'window', at, projectId });
  }
  const of = (wanted: Parameters<HistoryStore['page']>[0]) => history.page(wanted).map(({ at }) => at);
  expect(of({ count: 2 })).toEqual([5, 4]);
  expect(of({ count: 9, before: history.page({ count: 2 }).at(-1)?.id ?? 0 })).toEqual([3, 2, 1]);
  expect(of({ count: 9, projectId: 'odd', since: 2 })).toEqual([5, 3]);
});

it('is rolled back with what it is about', () => {
  const db = databaseOfTest();
  const history = new HistoryStore(db);
  const failing = db.facts.transaction(() => {
    history.note({ code: 'batch.started', facts: { batch: 'Day 1', newTakes: 1 }, by: 'window', at: 1 });
    throw new Error('failed');
  });
  expect(failing).toThrow('failed');
  expect(history.page({ count: 1 })).toEqual([]);
});

it('shows what a later version wrote by its code', () => {
  const db = databaseOfTest();
  db.facts.exec(`INSERT INTO history (at, actor, code, facts) VALUES (1, 'engine', 'reel.cut', '{"length":3}')`);
  const [entry] = new HistoryStore(db).page({ count: 1 });
  expect(sayText(entry?.text ?? '')).toBe('This message needs a newer version of Dailies (history.reelCut).');
});

it('adds up what one window does within a minute to one entry', () => {
  const db = databaseOfTest();
  const history = new HistoryStore(db);
  const judge = (at: number, window: string, projectId = 'film') =>
    history.note({ code: 'verdicts.undone', facts: { verdicts: 2 }, by: 'window', at, projectId }, window);
  for (const at of [0, 30_000, 59_999, 60_000]) judge(at, 'left');
  judge(61_000, 'right');
  judge(62_000, 'left', 'other');
  expect(history.page({ count: 9 }).map(({ at, facts }) => [at, facts['verdicts']])).toEqual([
    [62_000, 2],
    [61_000, 2],
    [60_000, 2],
    [0, 6],
  ]);
});

it('counts into no entry that its failed commit took away', () => {
  const db = databaseOfTest();
  const history = new HistoryStore(db);
  const judge = () =>
    history.note({ code: 'verdicts.undone', facts: { verdicts: 1 }, by: 'window', at: 1, projectId: 'film' }, 'left');
  const failing = db.facts.transaction(() => {
    judge();
    throw new Error('failed');
  });
  expect(failing).toThrow('failed');
  history.note({ code: 'view.saved', facts: { name: 'Best' }, by: 'window', at: 1, projectId: 'film' });
  judge();
  expect(history.page({ count: 9 }).map(({ code, facts }) => [code, facts])).toEqual([
    ['verdicts.undone', { verdicts: 1 }],
    ['view.saved', { name: 'Best' }],
  ]);
});
