import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JobState } from '../../../src/contract/job.ts';
import { JobStore } from '../../../src/engine/db/job-store.ts';
import { databaseFile, openDatabase, type EngineDatabase } from '../../../src/engine/db/open.ts';
import { attempt, failure, task } from '../jobs/events.ts';
import { makeEarlierDatabase } from './earlier-database.ts';

/** What a database of version 70 says of a time that never comes. */
const NEVER = Number.MAX_SAFE_INTEGER;
const results = [{ at: 'url', url: 'http://127.0.0.1/a.mp4?s=1' }];
const located = { attempt: attempt(1), results, addressRefreshes: 1 };

interface Before {
  readonly facts: { readonly state: string };
  readonly dueAt?: number;
  readonly taskId?: string;
}

/** A job of each state that version 70 has, and of each way in which those that go now could stand. */
const before: Readonly<Record<string, Before>> = {
  ready: { facts: state('ready', { notBefore: 9, lastFailure: failure }), dueAt: 9 },
  aboutToBeSent: { facts: state('preparing', { since: null, nextCheckAt: null }), dueAt: NEVER },
  waitsForAssets: { facts: state('preparing', { since: 3, nextCheckAt: 8 }), dueAt: 8 },
  submitting: { facts: state('submitting', { attempt: attempt(1) }) },
  finished: { facts: state('result_ready', { ...located, task }), taskId: task.id },
  answered: { facts: state('result_ready', { ...located, task: null, results: [{ at: 'file', path: 'a' }] }) },
  downloading: {
    facts: state('downloading', { ...located, task, tries: 1, retryAt: 7, lastFailure: failure }),
    dueAt: 7,
    taskId: task.id,
  },
  verifying: { facts: state('verifying', { ...located, task, tries: 2 }), taskId: task.id },
  saved: { facts: state('saved', { attempt: attempt(1), task, savedAt: 4 }), taskId: task.id },
  unknown: { facts: state('submit_unknown', { attempt: attempt(1), failure }) },
};

function state(name: string, facts: object): { readonly state: string } {
  return { state: name, ...facts };
}

let folder: string;
let db: EngineDatabase;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'dailies-states-'));
  makeEarlierDatabase(folder, 71, (old) => {
    old.exec(`
    INSERT INTO projects (id, path, name, created_at, opened_at) VALUES ('p', '/film', 'Film', 1, 1);
    INSERT INTO batches VALUES ('b', 'p', 'Day 1', 'Day 1', '/lists', 'list.csv', '{shot}', 0, 1);
    INSERT INTO accounts VALUES (1, 'http://127.0.0.1', 'key');
  `);
    const addShot = old.prepare(`INSERT INTO shots VALUES (@key, 'b', @key, 0, 'hash', '{}', 1, 1)`);
    const addJob =
      old.prepare(`INSERT INTO jobs (id, project_id, batch_id, shot_id, shot_key, take, kind, model, priority, state,
      due_at, attempt_id, task_id, facts, revision, round, created_at, updated_at)
    VALUES (@key, 'p', 'b', @key, @key, 1, 'video', 'm', 5, @state, @dueAt, @attemptId, @taskId, @facts, 6, 2, 1, 2)`);
    for (const [key, { facts, dueAt = 0, taskId = null }] of Object.entries(before)) {
      addShot.run({ key });
      const attemptId = 'attempt' in facts ? attempt(1).id : null;
      addJob.run({ key, state: facts.state, dueAt, attemptId, taskId, facts: JSON.stringify(facts) });
      old.exec(`
      INSERT INTO attempts (job_id, number, id, request, body_hash, origin, key_fingerprint, intended_at)
        VALUES ('${key}', 1, 'attempt-1', '{}', 'hash', 'o', 'f', 1);
      INSERT INTO outputs (job_id, number, bytes, sha256) VALUES ('${key}', 1, 5, 'ab');
      INSERT INTO verdicts VALUES ('${key}', 3, 'pick', 'yes', 1);
      INSERT INTO asset_uses VALUES ('${key}', 'image', 'a.png', 1, 'asset', 'hash');
    `);
    }
  });
  db = openDatabase(folder);
});
afterAll(() => {
  db.close();
  rmSync(folder, { recursive: true, force: true });
});

const stateOf = (key: string) => new JobStore(db).get(key)?.state;

describe('a database with the states of version 70', () => {
  it('keeps every job with all that belongs to it, and a copy of itself', () => {
    for (const table of ['jobs', 'attempts', 'outputs', 'verdicts', 'asset_uses']) {
      const rows = db.facts.prepare(`SELECT COUNT(*) FROM ${table}`).pluck().get();
      expect([table, rows]).toEqual([table, Object.keys(before).length]);
    }
    expect(db.facts.pragma('foreign_key_check')).toEqual([]);
    expect(db.facts.pragma('foreign_keys', { simple: true })).toBe(1);
    expect(db.facts.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(existsSync(`${databaseFile(folder)}.v70.bak`)).toBe(true);
    expect(new JobStore(db).get('saved')).toMatchObject({ revision: 6, round: 2, createdAt: 1, updatedAt: 2 });
  });

  it('has every job in a state that carries its facts, as the columns say too', () => {
    for (const key of Object.keys(before)) expect(JobState.safeParse(stateOf(key)).error?.message).toBeUndefined();
    const torn = db.facts.prepare(`SELECT id FROM jobs WHERE state <> facts ->> '$.state'`).all();
    expect(torn).toEqual([]);
  });

  it.each(['ready', 'submitting', 'downloading', 'saved', 'unknown'])('leaves what was %s as it was', (key) => {
    expect(stateOf(key)).toEqual(before[key]?.facts);
  });

  it('puts back jobs that were about to be sent, and goes on waiting for assets', () => {
    expect(stateOf('aboutToBeSent')).toEqual({ state: 'ready', notBefore: null, lastFailure: null });
    expect(stateOf('waitsForAssets')).toEqual({ state: 'needs_assets', since: 3, nextCheckAt: 8 });
    const jobs = new JobStore(db);
    expect(jobs.due.claim('submit', 8, 9, {}).map(({ id }) => id)).toEqual(['aboutToBeSent']);
    expect(jobs.due.claim('prepare', 8, 9, {}).map(({ id }) => id)).toEqual(['waitsForAssets']);
  });

  it('fetches on what had come in an answer or was being checked', () => {
    const fresh = { retryAt: null, lastFailure: null };
    expect(stateOf('answered')).toMatchObject({ state: 'downloading', task: null, tries: 0, ...fresh });
    expect(stateOf('verifying')).toEqual({ state: 'downloading', ...located, task, tries: 2, ...fresh });
  });

  it('asks a finished task once more where its result is, which is free', () => {
    expect(stateOf('finished')).toMatchObject({ state: 'polling', task, nextPollAt: 0, addressRefreshes: 1 });
    const due = new JobStore(db).due.claim('poll', 1, 9, {}).map(({ id }) => id);
    expect(due).toEqual(['finished']);
  });
});
