import { expect, it } from 'vitest';
import { LedgerStore } from '../../../src/engine/db/ledger-store.ts';
import { migratedFrom } from './earlier-database.ts';

it('a database in which requests of the sample project had a price loses it, and keeps every other', () => {
  const db = migratedFrom(3800, (before) => {
    before.exec(`
      INSERT INTO projects (id, path, name, created_at, opened_at, service) VALUES ('s', '/sample', 'Sample', 1, 1, 'demo');
      INSERT INTO projects (id, path, name, created_at, opened_at) VALUES ('f', '/film', 'Film', 1, 1);
      INSERT INTO ledger (id, at, state, project_id, model, micros) VALUES
        ('1', 1, 'settled', 's', 'image-demo', 135000), ('2', 2, 'unclear', 's', 'image-demo', NULL),
        ('3', 3, 'settled', 'f', 'image-demo', 135000), ('4', 4, 'settled', NULL, 'chat-demo', 2000);
      INSERT INTO sent_before VALUES ('project', 's', 9, 3240000, 0), ('project', 'f', 0, 3240000, 0);
    `);
  });
  const ledger = new LedgerStore(db);
  expect([...ledger.lines({ projectId: 's' })].map(({ price }) => price)).toEqual([0, 0]);
  expect([...ledger.lines({})].map(({ price }) => price)).toEqual([0.135, 0.002]);
  expect(ledger.sent({ scope: 'project', projectId: 's' })).toEqual({ takes: 11, micros: 0 });
  expect(ledger.sent({ scope: 'project', projectId: 'f' })).toMatchObject({ micros: 3_240_000 + 135_000 });
});
