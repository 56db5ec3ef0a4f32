import { expect, it } from 'vitest';
import { JobQueries } from '../../../src/engine/db/job-queries.ts';
import { ReviewStore } from '../../../src/engine/db/review-store.ts';
import { migratedFrom } from './earlier-database.ts';

it('takes of a database of the version before are listed by the ratings and flags that they had', () => {
  const db = migratedFrom(167, (before) => {
    before.exec(`
    INSERT INTO projects (id, path, name, created_at, opened_at) VALUES ('p', '/film', 'Film', 1, 1);
    INSERT INTO batches (id, project_id, name, folder, list_folder, source, name_template, importing, created_at)
      VALUES ('b', 'p', 'Day 1', 'Day 1', '/lists', 'list.csv', '{shot}', 0, 1);
  `);
    for (const [index, id] of ['plain', 'good', 'best', 'bad'].entries()) {
      before.exec(`
      INSERT INTO shots (id, batch_id, key, position, content_hash, spec, current, created_at)
        VALUES ('${id}', 'b', '${id}', ${String(index)}, 'hash', '{}', 1, 1);
      INSERT INTO jobs (id, project_id, batch_id, shot_id, shot_key, take, kind, model, priority, state, due_at, facts,
        created_at, updated_at, position, viewable)
        VALUES ('${id}', 'p', 'b', '${id}', '${id}', 1, 'image', 'm', 0, 'saved', 0, '{"state":"saved"}', 1, 1, ${String(index)}, 1);
    `);
    }
    before.exec(
      `INSERT INTO verdicts VALUES ('good', 3, NULL, '', 1), ('best', 5, 'pick', '', 1), ('bad', 0, 'reject', '', 1)`,
    );
  });
  const store = new ReviewStore(db, new JobQueries(db));
  const saved = { projectId: 'p', standing: 'saved' } as const;
  const byRating = (): string[] => store.ids({ ...saved, sort: 'rating' });
  expect(byRating()).toEqual(['best', 'good', 'plain', 'bad']);
  expect(store.ids({ ...saved, sort: 'list', rating: 0 })).toEqual(['plain', 'bad']);
  expect(store.tally(saved)).toEqual({ pick: 1, reject: 1, none: 2 });

  store.saveVerdict('plain', { rating: 4, flag: 'pick', note: '' }, false);
  store.saveVerdict('best', { rating: 0, flag: null, note: '' }, false);
  expect(byRating()).toEqual(['plain', 'good', 'best', 'bad']);
  expect(store.tally(saved)).toEqual({ pick: 1, reject: 1, none: 2 });
});
