import { describe, expect, it } from 'vitest';
import { LedgerStore } from '../../../src/engine/db/ledger-store.ts';
import { nightStart } from '../../../src/engine/projects/spending.ts';
import { databaseOfTest } from './database-of-test.ts';

describe('a night', () => {
  it.each([
    ['the evening', '2026-03-28T21:00:00', '2026-03-28T12:00:00'],
    ['the morning after a day of 23 hours', '2026-03-29T09:00:00', '2026-03-28T12:00:00'],
    ['noon', '2026-10-25T12:00:00', '2026-10-25T12:00:00'],
    ['the morning after a day of 25 hours', '2026-10-26T11:59:59', '2026-10-25T12:00:00'],
  ])('of %s began at the noon before', (_name, at, began) => {
    expect(nightStart(new Date(at).getTime())).toBe(new Date(began).getTime());
  });
});

describe('the ledger', () => {
  it('gets a line for each request, with what became of it', () => {
    const database = databaseOfTest((old) => {
      old.exec(`
        INSERT INTO projects (id, path, name, created_at, opened_at) VALUES ('p', '/p', 'Film', 1, 1);
      `);
      old
        .prepare(
          `INSERT INTO tool_calls (id, tool, project_id, about, request, request_hash, origin, key_fingerprint, sent_at, state)
           VALUES (?, 'rewrite', 'p', 'x', '{"body":{"model":"m"}}', 'h', 'o', 'k', 5, ?)`,
        )
        .run('call-1', 'used');
      old
        .prepare(
          `INSERT INTO tool_calls SELECT 'call-2', tool, project_id, about, request, request_hash, origin,
        key_fingerprint, 6, 'not_charged', ended_at, task_id, failure, asked FROM tool_calls`,
        )
        .run();
    });
    const ledger = new LedgerStore(database);
    expect([...ledger.lines({})]).toMatchObject([
      { id: 'call-1', at: 5, state: 'settled', tool: 'rewrite', model: 'm', price: null, project: 'Film' },
      { id: 'call-2', at: 6, state: 'released' },
    ]);
    expect(ledger.totals({ projectId: 'p' })).toMatchObject({
      settled: { requests: 1, unpriced: 1 },
      released: { requests: 1 },
    });
  });
});
