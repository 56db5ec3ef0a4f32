import Database from 'better-sqlite3';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AttemptStore } from '../../../src/engine/db/attempt-store.ts';
import { migrate } from '../../../src/engine/db/migrate.ts';
import { migrations } from '../../../src/engine/db/migrations/index.ts';
import { databaseFile, openDatabase } from '../../../src/engine/db/open.ts';
import { attempt, failure, task } from '../jobs/events.ts';
import { seedJobs } from './seed.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dailies-attempts-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const request = {
  operation: 'videos.create',
  method: 'POST' as const,
  path: '/v1/videos',
  encoding: 'json' as const,
  body: { prompt: 'A harbour' },
  files: [],
  answers: 'task' as const,
};

/** A database as the release before wrote it, with one POST in its journal. */
function oldDatabase(): void {
  const file = databaseFile(folder);
  const db = new Database(file);
  migrate(
    db,
    file,
    migrations.filter(({ version }) => version < 40),
  );
  db.pragma('foreign_keys = OFF');
  db.prepare(
    `INSERT INTO attempts (job_id, number, id, request, body_hash, origin, key_fingerprint, intended_at, outcome, ended_at)
     VALUES ('job', 1, 'attempt-1', ?, 'hash', 'https://service.example', 'print', 5, 'accepted', 7)`,
  ).run(JSON.stringify(request));
  db.close();
}

describe('the journal of attempts', () => {
  it('keeps what an older release wrote into it, and tells of it what that knew', () => {
    oldDatabase();
    const db = openDatabase(folder);
    const known = {
      number: 1,
      intendedAt: 5,
      endedAt: 7,
      outcome: 'accepted',
      origin: 'https://service.example',
      request,
    };
    expect(new AttemptStore(db.facts).of('job')).toEqual([known]);
    db.close();
  });

  it('keeps its first end, whatever we learn later', () => {
    const { db, jobs, jobIds } = seedJobs(folder, 1);
    const [id = ''] = jobIds;
    jobs.intend(jobs.get(id) as never, attempt(1), request);
    const submitting = jobs.get(id) as never;
    jobs.advance(
      submitting,
      { type: 'accepted', task: { ...task, traceId: 'trace-1' }, nextPollAt: 9, deadlineAt: 99 },
      3,
    );
    jobs.attempts.end(id, 1, { type: 'unclear', failure }, 4);
    expect(jobs.attempts.of(id)).toMatchObject([
      { outcome: 'accepted', endedAt: 3, taskId: task.id, traceId: 'trace-1' },
    ]);
    jobs.advance(jobs.get(id) as never, { type: 'task_failed', failure }, 5);
    expect(jobs.attempts.of(id)).toMatchObject([{ outcome: 'accepted', endedAt: 3, failure }]);
    db.close();
  });
});
