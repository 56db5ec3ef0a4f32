import { describe, expect, it } from 'vitest';
import { AgentCapError, LedgerStore } from '../../../src/engine/db/ledger-store.ts';
import { nightStart } from '../../../src/engine/projects/spending.ts';
import { databaseOfTest } from './database-of-test.ts';
import { AgentStore } from '../../../src/engine/db/limit-store.ts';
import type { EngineDatabase } from '../../../src/engine/db/open.ts';

it.each([
  ['the evening', '2026-03-28T21:00:00', '2026-03-28T12:00:00'],
  ['the morning after a day of 23 hours', '2026-03-29T09:00:00', '2026-03-28T12:00:00'],
  ['noon', '2026-10-25T12:00:00', '2026-10-25T12:00:00'],
  ['the morning after a day of 25 hours', '2026-10-26T11:59:59', '2026-10-25T12:00:00'],
])('a night of %s began at the noon before', (_name, at, began) => {
  expect(nightStart(new Date(at).getTime())).toBe(new Date(began).getTime());
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

/** A session with a cap, and a function that sends a call of a tool for it as the journal does: all or nothing. */
function sessionWith(cap: { readonly money: number | null; readonly takes: number | null }) {
  const db: EngineDatabase = databaseOfTest();
  new AgentStore(db).allow('s', cap, 1);
  const ledger = new LedgerStore(db);
  const send = (id: string, price: number | null, session: string | null = 's') =>
    db.facts.transaction(() => {
      db.facts
        .prepare(
          `INSERT INTO tool_calls (id, tool, about, request, request_hash, origin, key_fingerprint, sent_at, state)
           VALUES (?, 'search', 'x', '{"body":{"model":"m"}}', 'h', 'o', 'k', 5, 'sent')`,
        )
        .run(id);
      ledger.reserve({ id, price, facts: {}, session }, 0);
    })();
  const refused = (id: string) => db.facts.prepare(`UPDATE tool_calls SET state = 'not_charged' WHERE id = ?`).run(id);
  const lines = () => [...ledger.lines({})].map(({ id }) => id);
  return { send, refused, lines };
}

it('the cap of a session in requests is kept in the commit of each', () => {
  const { send, refused, lines } = sessionWith({ money: null, takes: 2 });
  send('a', 1);
  send('b', null);
  expect(() => send('c', 1)).toThrow(AgentCapError);
  expect(lines()).toEqual(['a', 'b']);
  // What was certainly not accepted counts no more, and what a person sends never did.
  send('mine', 1, null);
  refused('a');
  send('d', 1);
  expect(lines()).toEqual(['a', 'b', 'd', 'mine']);
});

it('one in money is kept to the millionth, and lets nothing without a price pass', () => {
  const { send, lines } = sessionWith({ money: 0.3, takes: null });
  send('a', 0.1);
  send('b', 0.2);
  expect(() => send('c', 0.000001)).toThrow(AgentCapError);
  expect(() => send('d', null)).toThrow(AgentCapError);
  expect(lines()).toEqual(['a', 'b']);
});

it('a session that nobody let spend sends nothing', () => {
  const { send, lines } = sessionWith({ money: 5, takes: null });
  expect(() => send('a', 0, 'another')).toThrow(AgentCapError);
  expect(lines()).toEqual([]);
});

it('a session is let once: its cap cannot be raised under its name', () => {
  const store = new AgentStore(databaseOfTest());
  expect(store.allow('s', { money: null, takes: 1 }, 1)).toBe(true);
  expect(store.allow('s', { money: null, takes: 100 }, 2)).toBe(false);
});
