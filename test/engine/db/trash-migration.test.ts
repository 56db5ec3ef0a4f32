import { expect, it } from 'vitest';
import { JobQueries } from '../../../src/engine/db/job-queries.ts';
import { JobStore } from '../../../src/engine/db/job-store.ts';
import { ReviewStore } from '../../../src/engine/db/review-store.ts';
import { migratedFrom } from './earlier-database.ts';

it('takes of a database of the version before are in their places, and leave the saved ones for the trash alone', () => {
  const db = migratedFrom(185, (before) => {
    before.exec(`
      INSERT INTO projects (id, path, name, created_at, opened_at) VALUES ('p', '/film', 'Film', 1, 1);
      INSERT INTO batches (id, project_id, name, folder, list_folder, source, name_template, importing, created_at)
        VALUES ('b', 'p', 'Day 1', 'Day 1', '/lists', 'list.csv', '{shot}', 0, 1);
      INSERT INTO shots (id, batch_id, key, position, content_hash, spec, current, created_at)
        VALUES ('s', 'b', 's', 0, 'hash', '{"columns":{}}', 1, 1);
      INSERT INTO jobs (id, project_id, batch_id, shot_id, shot_key, take, kind, model, priority, state, due_at, facts,
        created_at, updated_at, viewable)
        VALUES ('t', 'p', 'b', 's', 's', 1, 'image', 'm', 0, 'saved', 0, '{"state":"saved"}', 1, 1, 1);
      INSERT INTO outputs (job_id, number, bytes, sha256, format, file) VALUES ('t', 1, 7, 'abc', 'png', 'Day 1/s.png');
    `);
  });
  const jobs = new JobStore(db);
  const store = new ReviewStore(db, new JobQueries(db));
  const listed = (standing: 'saved' | 'trashed'): string[] => store.ids({ projectId: 'p', sort: 'list', standing });
  expect(jobs.get('t')?.trash).toBeNull();
  expect([listed('saved'), listed('trashed')]).toEqual([['t'], []]);

  jobs.trash.set('t', 'trashed', [{ number: 1, file: '.trash/t.1.png', home: 'Day 1/s.png' }]);
  expect([listed('saved'), listed('trashed')]).toEqual([[], ['t']]);
  expect(jobs.trash.size('p')).toEqual({ takes: 1, files: 1, bytes: 7 });
  jobs.trash.set('t', null, [{ number: 1, file: 'Day 1/s.png', home: null }]);
  expect([listed('saved'), listed('trashed')]).toEqual([['t'], []]);
});
