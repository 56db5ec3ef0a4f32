import { expect, it } from 'vitest';
import { viewDataFolder } from '../../src/cli/read-only-view.ts';
import { folderOfTest, makeEarlierDatabase } from '../engine/db/earlier-database.ts';

it('a database that no engine of this version has opened is looked at as it will be, and not changed', () => {
  const folder = folderOfTest();
  makeEarlierDatabase(folder, 168, (before) => {
    before.exec(`
      PRAGMA journal_mode = WAL;
      INSERT INTO projects (id, path, name, created_at, opened_at) VALUES ('p', '/film', 'Film', 1, 1);
      INSERT INTO batches (id, project_id, name, folder, list_folder, source, name_template, created_at)
        VALUES ('b', 'p', 'Day 1', 'Day 1', '/lists', 'list.csv', '{shot}', 1);
    `);
  });
  const look = () =>
    viewDataFolder(folder, (view) => ({
      batches: view?.batches.list('p').map(({ name, order }) => `${name} ${order}`),
      jobs: view?.jobs.list({}),
    }));
  expect(look()).toEqual({ batches: ['Day 1 list'], jobs: [] });
  expect(look()).toEqual({ batches: ['Day 1 list'], jobs: [] });
});
