import { expect, it } from 'vitest';
import { JobQueries } from '../../../src/engine/db/job-queries.ts';
import { SourceStore } from '../../../src/engine/db/source-store.ts';
import { migratedFrom } from './earlier-database.ts';

it('takes of a database of the version before came from no other take, and wake what waits for them', () => {
  const db = migratedFrom(131, (before) => {
    const waits = '{"state":"needs_assets","since":1,"nextCheckAt":9,"waitsFor":"a"}';
    before.exec(`
    INSERT INTO projects (id, path, name, created_at, opened_at) VALUES ('p', '/film', 'Film', 1, 1);
    INSERT INTO batches (id, project_id, name, folder, list_folder, source, name_template, created_at)
      VALUES ('b', 'p', 'Day 1', 'Day 1', '/lists', 'list.csv', '{shot}', 1);
    INSERT INTO shots VALUES ('a', 'b', 'a', 0, 'hash', '{}', 1, 1), ('c', 'b', 'c', 1, 'hash', '{}', 1, 1);
    INSERT INTO jobs (id, project_id, batch_id, shot_id, shot_key, take, kind, model, priority, state, due_at, facts,
      created_at, updated_at) VALUES
      ('made', 'p', 'b', 'a', 'a', 1, 'image', 'm', 0, 'ready', 0, '{"state":"ready"}', 1, 1),
      ('waits', 'p', 'b', 'c', 'c', 1, 'image', 'm', 0, 'needs_assets', 9, '${waits}', 1, 1);
  `);
  });
  const sources = new SourceStore(db);
  expect(sources.of('made')).toEqual([]);
  expect(sources.usedIn('made')).toEqual([]);
  expect(sources.resultsOf('b', 'a')).toEqual({ best: null, mayCome: true });
  expect(new JobQueries(db).view('waits')).toMatchObject({ waitsFor: 'a', dueAt: 9 });

  db.hints.exec(`UPDATE jobs SET state = 'saved' WHERE id = 'made'`);
  expect(new JobQueries(db).view('waits')?.dueAt).toBeUndefined();
  expect(sources.resultsOf('b', 'a')).toEqual({ best: { takeId: 'made', take: 1 }, mayCome: false });
  expect(db.facts.pragma('integrity_check', { simple: true })).toBe('ok');
});
