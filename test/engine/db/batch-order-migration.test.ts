import { expect, it } from 'vitest';
import { BatchStore } from '../../../src/engine/db/batch-store.ts';
import { migratedFrom } from './earlier-database.ts';

it('a database of the version before lists its batches newest first, then as they were put', () => {
  const db = migratedFrom(205, (before) => {
    before.exec(`INSERT INTO projects (id, path, name, opened_at, created_at) VALUES ('p', '/p', 'p', 1, 1)`);
    const insert = before.prepare(
      `INSERT INTO batches (id, project_id, name, folder, list_folder, source, name_template, created_at)
       VALUES (?, 'p', ?, ?, '/', '', '', ?)`,
    );
    for (const [at, name] of ['Day 1', 'Day 10', 'Day 2'].entries()) insert.run(name, name, name, at);
  });
  const store = new BatchStore(db);
  const listed = () => store.rows('p').map(({ name }) => name);
  expect(listed()).toEqual(['Day 2', 'Day 10', 'Day 1']);
  store.setOrder('p', 'hand', ['Day 1', 'Day 2', 'elsewhere']);
  expect(listed()).toEqual(['Day 10', 'Day 1', 'Day 2']);
  store.setOrder('p', 'name');
  expect(listed()).toEqual(['Day 1', 'Day 2', 'Day 10']);
});
