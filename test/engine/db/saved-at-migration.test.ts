import { expect, it } from 'vitest';
import { migratedFrom } from './earlier-database.ts';

it('a database of the version before has the times of its own takes, and none of takes from elsewhere', () => {
  const db = migratedFrom(210, (before) => {
    before.exec(`
      INSERT INTO projects (id, path, name, opened_at, created_at) VALUES ('p', '/p', 'p', 1, 1);
      INSERT INTO batches (id, project_id, name, folder, list_folder, source, name_template, created_at)
        VALUES ('b', 'p', 'b', 'b', '/', '', '', 1);
      INSERT INTO shots (id, batch_id, key, position, current, content_hash, spec, created_at)
        VALUES ('s', 'b', 's', 1, 1, '', '{}', 1);`);
    const job = before.prepare(
      `INSERT INTO jobs (id, project_id, batch_id, shot_id, shot_key, take, kind, model, priority, state, due_at, attempt_id,
         task_id, facts, created_at, updated_at)
       VALUES (@id, 'p', 'b', 's', 's', @take, 'image', 'm', 0, @state, 0, @id, NULL, @facts, 1, 9)`,
    );
    const attempt = before.prepare(
      `INSERT INTO attempts (id, job_id, number, request, body_hash, origin, key_fingerprint, intended_at, outcome)
       VALUES (@id, @id, 1, '{}', '', '', '', 1, @outcome)`,
    );
    const facts = JSON.stringify({ savedAt: 5 });
    for (const [take, { id, state, outcome }] of [
      { id: 'own', state: 'saved', outcome: 'answered' },
      { id: 'adopted', state: 'saved', outcome: 'adopted' },
      { id: 'gone', state: 'result_lost', outcome: 'answered' },
      { id: 'failed', state: 'rejected', outcome: 'answered' },
    ].entries()) {
      job.run({ id, take: take + 1, state, facts });
      attempt.run({ id, outcome });
    }
  });
  const savedAt = db.facts.prepare('SELECT id, saved_at AS savedAt FROM jobs ORDER BY take').raw().all();
  expect(savedAt).toEqual([
    ['own', 5],
    ['adopted', 0],
    ['gone', 0],
    ['failed', null],
  ]);
});
