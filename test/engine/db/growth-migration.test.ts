import { expect, it } from 'vitest';
import { BatchStore } from '../../../src/engine/db/batch-store.ts';
import { migratedFrom } from './earlier-database.ts';

it('a database of the version before has no project that was cut off while it was taken over', () => {
  const db = migratedFrom(81, (before) => {
    before.exec(`
    INSERT INTO projects (id, path, name, created_at, opened_at) VALUES ('p', '/film', 'Film', 1, 1);
    INSERT INTO batches VALUES ('b', 'p', 'Day 1', 'Day 1', '/lists', 'list.csv', '{shot}', 0, 1);
    INSERT INTO shots VALUES ('s', 'b', '0001', 0, 'hash', '{}', 1, 1);
  `);
  });
  const batches = new BatchStore(db);
  expect(batches.isWhole('b')).toBe(true);
  expect(batches.interruptedAdoptions()).toEqual([]);
  expect(batches.versionOf('b', '0001', 'hash')).toBe('s');
  expect(db.facts.pragma('integrity_check', { simple: true })).toBe('ok');
});
