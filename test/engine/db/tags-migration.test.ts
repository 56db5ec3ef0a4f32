import { expect, it } from 'vitest';
import { JobQueries } from '../../../src/engine/db/job-queries.ts';
import { ReviewStore } from '../../../src/engine/db/review-store.ts';
import { migratedFrom } from './earlier-database.ts';

it('verdicts of a database of the version before have no tags, and takes are found by those they get', () => {
  const db = migratedFrom(190, (before) => {
    before.exec(`
      INSERT INTO projects (id, path, name, created_at, opened_at) VALUES ('p', '/film', 'Film', 1, 1);
      INSERT INTO batches (id, project_id, name, folder, list_folder, source, name_template, importing, created_at)
        VALUES ('b', 'p', 'Day 1', 'Day 1', '/lists', 'list.csv', '{shot}', 0, 1);
      INSERT INTO shots (id, batch_id, key, position, content_hash, spec, current, created_at)
        VALUES ('s', 'b', 's', 0, 'hash', '{"columns":{"Scene":"12"}}', 1, 1);
      INSERT INTO jobs (id, project_id, batch_id, shot_id, shot_key, take, kind, model, priority, state, due_at, facts,
        created_at, updated_at)
        VALUES ('good', 'p', 'b', 's', 's', 1, 'image', 'm', 0, 'saved', 0, '{"state":"saved"}', 1, 1),
          ('plain', 'p', 'b', 's', 's', 2, 'image', 'm', 0, 'saved', 0, '{"state":"saved"}', 1, 1);
      INSERT INTO verdicts (job_id, rating, flag, note, in_recipe) VALUES ('good', 3, NULL, 'Keep', 1);
    `);
  });
  const store = new ReviewStore(db, new JobQueries(db));
  const found = (text: string): string[] => store.ids({ projectId: 'p', sort: 'list', text });
  expect(store.verdict('good')).toEqual({ rating: 3, flag: null, note: 'Keep' });
  expect(found('-has:tag')).toEqual(['good', 'plain']);
  expect(found('scene:12')).toEqual(['good', 'plain']);
  expect(store.columns('p')).toEqual(['Scene']);

  store.saveVerdict('good', { rating: 3, flag: null, note: 'Keep', tags: ['hero', 'night'] }, false);
  store.saveVerdict('plain', { rating: 0, flag: null, note: '', tags: ['Night'] }, false);
  expect(found('tag:hero')).toEqual(['good']);
  expect(store.tags('p')).toEqual([
    { tag: 'Night', takes: 2 },
    { tag: 'hero', takes: 1 },
  ]);
  store.saveVerdict('good', { rating: 3, flag: null, note: 'Keep' }, false);
  expect(found('has:tag')).toEqual(['plain']);
});
