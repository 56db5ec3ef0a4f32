import { describe, expect, it } from 'vitest';
import { plainText } from '../../../src/cli/output/text.ts';
import { JobView } from '../../../src/contract/job.ts';
import { ToolCall } from '../../../src/contract/tool.ts';
import { JobQueries } from '../../../src/engine/db/job-queries.ts';
import { JobStore } from '../../../src/engine/db/job-store.ts';
import { ToolStore } from '../../../src/engine/db/tool-store.ts';
import { databaseOfTest } from './database-of-test.ts';

/** As failures were stored once: in English. */
const stored = JSON.stringify({
  code: 'http_400',
  message: 'The service refused the request: {prompt} is “empty”.',
  remedy: 'Correct the row and import the list again.',
  cost: 'nothing',
  at: 5,
});
const spec = { key: '001', kind: 'video', model: 'm', prompt: 'A boat', takes: 1, params: {}, extra: {}, columns: {} };
const request = {
  operation: 'video',
  method: 'POST',
  path: '/v1/videos',
  encoding: 'json',
  body: {},
  files: [],
  answers: 'task',
};

describe('sentences that a database holds', () => {
  it('are shown as they are, in window and command alike', () => {
    const db = databaseOfTest((old) => {
      old.exec(`
        INSERT INTO projects (id, path, name, created_at, opened_at) VALUES ('p', '/film', 'Film', 1, 1);
        INSERT INTO batches (id, project_id, name, folder, list_folder, source, name_template, created_at)
          VALUES ('b', 'p', 'Day 1', 'Day 1', '/lists', 'list.csv', '{shot}', 1);
        INSERT INTO accounts VALUES (1, 'http://127.0.0.1', 'key');
      `);
      old.prepare(`INSERT INTO shots VALUES ('s', 'b', '001', 0, 'hash', ?, 1, 1)`).run(JSON.stringify(spec));
      old
        .prepare(
          `INSERT INTO jobs (id, project_id, batch_id, shot_id, shot_key, take, kind, model, priority, state, due_at,
             facts, created_at, updated_at)
           VALUES ('j', 'p', 'b', 's', '001', 1, 'video', 'm', 0, 'rejected', 0, ?, 1, 2)`,
        )
        .run(`{"state":"rejected","attempt":null,"failure":${stored}}`);
      old
        .prepare(
          `INSERT INTO attempts (job_id, number, id, request, body_hash, origin, key_fingerprint, intended_at, outcome,
             ended_at, failure)
           VALUES ('j', 1, 'a', ?, 'hash', 'http://127.0.0.1', 'key', 1, 'refused', 2, ?)`,
        )
        .run(JSON.stringify(request), stored);
      old
        .prepare(
          `INSERT INTO tool_calls (id, tool, project_id, about, request, request_hash, origin, key_fingerprint, sent_at,
             state, failure)
           VALUES ('c', 'describe', 'p', 'The picture of shot 001', ?, 'hash', 'http://127.0.0.1', 'key', 1, 'unclear', ?)`,
        )
        .run(JSON.stringify(request), stored);
    });
    const job = JobView.parse(new JobQueries(db).view('j'));
    const [attempt] = new JobStore(db).attempts.of('j');
    const [call] = new ToolStore(db).inState('unclear').map((each) => ToolCall.parse(each));
    const failures = [job.failure, attempt?.failure, call?.failure];
    const words = failures.map((failure) => failure && [plainText(failure.message), plainText(failure.remedy)]);
    const said = [
      'The service refused the request: {prompt} is “empty”.',
      'Correct the row and import the list again.',
    ];
    expect(words).toEqual([said, said, said]);
    expect(plainText(call?.about ?? '')).toBe('The picture of shot 001');
  });
});
