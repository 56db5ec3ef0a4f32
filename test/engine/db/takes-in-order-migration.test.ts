import { expect, it } from 'vitest';
import { JobQueries } from '../../../src/engine/db/job-queries.ts';
import { ReviewStore } from '../../../src/engine/db/review-store.ts';
import { migratedFrom } from './earlier-database.ts';

const attempt = `"attempt":{"id":"a","number":1,"bodyHash":"h","origin":"o","keyFingerprint":"k","intendedAt":1}`;
const lost = (code: string): string => `{"state":"result_lost",${attempt},"failure":{"code":"${code}"}}`;

it('a database of the version before lists its takes in order, those with files to look at', () => {
  const db = migratedFrom(90, (before) => {
    before.exec(`
    INSERT INTO projects (id, path, name, created_at, opened_at) VALUES ('p', '/film', 'Film', 1, 1);
    INSERT INTO batches VALUES ('b', 'p', 'Day 1', 'Day 1', '/lists', 'list.csv', '{shot}', 0, 1);
  `);
    const shots = before.prepare(`INSERT INTO shots VALUES (@id, 'b', @id, @position, 'hash', '{}', 1, 1)`);
    const jobs =
      before.prepare(`INSERT INTO jobs (id, project_id, batch_id, shot_id, shot_key, take, kind, model, priority,
      state, due_at, attempt_id, facts, created_at, updated_at)
    VALUES (@id, 'p', 'b', @id, @id, 1, 'image', 'm', 0, @state, 0, 'a', @facts, 1, 1)`);
    const outputs = before.prepare(
      `INSERT INTO outputs (job_id, number, bytes, sha256, format, file) VALUES (?, 1, 5, 'ab', 'png', ?)`,
    );
    const rows = [
      { id: 'waits', state: 'ready', facts: '{"state":"ready"}', file: null },
      { id: 'saved', state: 'saved', facts: `{"state":"saved",${attempt},"savedAt":1}`, file: 'a.png' },
      { id: 'partly', state: 'result_lost', facts: lost('expired'), file: 'b.png' },
      { id: 'gone', state: 'result_lost', facts: lost('files_gone'), file: 'c.png' },
      { id: 'never', state: 'result_lost', facts: lost('expired'), file: null },
    ];
    rows.forEach(({ file: published, ...row }, index) => {
      shots.run({ id: row.id, position: rows.length - index });
      jobs.run(row);
      outputs.run(row.id, published);
    });
  });
  const store = new ReviewStore(db, new JobQueries(db));
  const window = { start: 0, count: 10 };
  expect(store.takes({ projectId: 'p', sort: 'list' }, window).ids).toEqual([
    'never',
    'gone',
    'partly',
    'saved',
    'waits',
  ]);
  expect(store.takes({ projectId: 'p', sort: 'list', standing: 'saved' }, window).ids).toEqual(['partly', 'saved']);

  const write = (sql: string): unknown => db.facts.exec(sql);
  write(`UPDATE shots SET position = 0 WHERE id = 'saved'`);
  expect(store.takes({ projectId: 'p', sort: 'list', standing: 'saved' }, window).ids).toEqual(['saved', 'partly']);
  write(`UPDATE outputs SET file = 'd.png' WHERE job_id = 'never'`);
  write(`UPDATE jobs SET state = 'result_lost', facts = '${lost('files_gone')}' WHERE id = 'saved'`);
  expect(store.takes({ projectId: 'p', sort: 'list', standing: 'saved' }, window).ids).toEqual(['never', 'partly']);
  write(`UPDATE jobs SET state = 'saved', facts = '{"state":"saved",${attempt},"savedAt":1}' WHERE id = 'saved'`);
  expect(store.takes({ projectId: 'p', sort: 'list', standing: 'saved' }, window).total).toBe(3);
  write(`DELETE FROM outputs WHERE job_id IN ('saved', 'partly')`);
  expect(store.takes({ projectId: 'p', sort: 'list', standing: 'saved' }, window).ids).toEqual(['saved', 'never']);
  write(
    `INSERT INTO outputs (job_id, number, bytes, sha256, format, file) VALUES ('waits', 2, 5, 'ab', 'png', 'e.png')`,
  );
  expect(store.takes({ projectId: 'p', sort: 'list', standing: 'saved' }, window).total).toBe(3);
});
