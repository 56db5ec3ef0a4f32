import { expect, it } from 'vitest';
import { JobStore } from '../../../src/engine/db/job-store.ts';
import { migratedFrom } from './earlier-database.ts';

const attempt = { id: 'a', number: 1, bodyHash: '', origin: 'http://x', keyFingerprint: 'k', intendedAt: 1 };
const failure = { code: 'x', message: '', remedy: '', cost: 'maybe', at: 1 } as const;

it('a database of the version before keeps the steps of its jobs, and an unknown submit has one once it is looked for', () => {
  const db = migratedFrom(165, (before) => {
    before.exec(`
    INSERT INTO projects (id, path, name, created_at, opened_at) VALUES ('p', '/film', 'Film', 1, 1);
    INSERT INTO batches (id, project_id, name, folder, list_folder, source, name_template, importing, created_at)
      VALUES ('b', 'p', 'Day 1', 'Day 1', '/lists', 'list.csv', '{shot}', 0, 1);
    INSERT INTO shots (id, batch_id, key, position, content_hash, spec, current, created_at)
      VALUES ('s', 'b', '0001', 0, 'hash', '{}', 1, 1);
  `);
    const add = before.prepare(
      `INSERT INTO jobs (id, project_id, batch_id, shot_id, shot_key, take, kind, model, priority, state, due_at, attempt_id,
       facts, created_at, updated_at) VALUES (?, 'p', 'b', 's', '0001', ?, 'image', 'm', 0, ?, 0, ?, ?, 1, 1)`,
    );
    add.run('ready', 1, 'ready', null, JSON.stringify({ state: 'ready', notBefore: null, lastFailure: null }));
    add.run('lost', 2, 'submit_unknown', 'a', JSON.stringify({ state: 'submit_unknown', attempt, failure }));
  });
  const jobs = new JobStore(db);
  expect([jobs.due.stepOf('ready'), jobs.due.stepOf('lost')]).toEqual(['submit', null]);
  const lost = jobs.get('lost');
  if (!lost) throw new Error('it is gone');
  const looked = jobs.advance(lost, { type: 'look', look: { at: 5, looks: 0 }, failure }, 2);
  expect([jobs.due.stepOf('lost'), jobs.due.nextAt('poll', 0)]).toEqual(['poll', 5]);
  jobs.advance(looked, { type: 'look', look: undefined, failure }, 3);
  expect(jobs.due.stepOf('lost')).toBeNull();
  expect(db.facts.pragma('integrity_check', { simple: true })).toBe('ok');
});
