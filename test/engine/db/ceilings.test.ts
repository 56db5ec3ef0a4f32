import { expect, it } from 'vitest';
import { ServiceStore, type Account } from '../../../src/engine/db/service-store.ts';
import { databaseOfTest } from './database-of-test.ts';

const account: Account = { origin: 'https://api.example', keyFingerprint: 'one' };

it('keeps the ceilings that are learned', () => {
  const db = databaseOfTest();
  const store = new ServiceStore(db);
  expect(store.ceilings(account)).toEqual(new Map());
  store.saveCeiling(account, 'a', { own: 3, all: 5, triedAt: 1000.4, waitMs: 30_000 });
  store.saveCeiling(account, 'a', { own: 4, all: 6, triedAt: 2000, waitMs: 60_000 });
  store.saveCeiling(account, 'b', { own: 0, all: 1, triedAt: 1000, waitMs: 30_000 });
  store.saveCeiling(account, 'b', null);
  expect(store.ceilings(account)).toEqual(new Map([['a', { own: 4, all: 6, triedAt: 2000, waitMs: 60_000 }]]));
  expect(store.ceilings({ ...account, keyFingerprint: 'two' })).toEqual(new Map());
  expect(db.facts.pragma('integrity_check', { simple: true })).toBe('ok');
});
