import { expect, it } from 'vitest';
import { PlaceStore } from '../../../src/engine/db/stores.ts';
import { databaseOfTest } from './database-of-test.ts';

it('the place where a window was last is kept', () => {
  const db = databaseOfTest();
  const places = new PlaceStore(db);
  expect(places.last()).toBeNull();
  const review = { view: 'review', projectId: 'film', detail: { take: 't' } } as const;
  places.keep({ view: 'queue', projectId: null, detail: {} });
  places.keep(review);
  expect(places.last()).toEqual(review);
  db.hints.prepare('UPDATE last_place SET place = ?').run('{"view":"cinema"}');
  expect(places.last()).toBeNull();
  expect(db.facts.pragma('integrity_check', { simple: true })).toBe('ok');
});
