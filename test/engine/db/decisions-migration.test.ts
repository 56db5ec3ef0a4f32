import { expect, it } from 'vitest';
import { JobStore } from '../../../src/engine/db/job-store.ts';
import { migratedFrom } from './earlier-database.ts';

it('a database of the version before has no decision that its project lacks', () => {
  const db = migratedFrom(3110, (before) => {
    before.exec(`
      INSERT INTO projects (id, path, name, created_at, opened_at) VALUES ('p', '/film', 'Film', 1, 1);
      INSERT INTO batches (id, project_id, name, folder, list_folder, source, name_template, created_at)
        VALUES ('b', 'p', 'Day 1', 'Day 1', '/lists', 'list.csv', '{shot}', 1);
    `);
  });
  const { decisions } = new JobStore(db);
  expect([decisions.projects(), decisions.of('p'), decisions.has('j')]).toEqual([[], [], false]);
  expect(db.facts.pragma('integrity_check', { simple: true })).toBe('ok');
});
