import { expect, it } from 'vitest';
import { ToolStore } from '../../../src/engine/db/tool-store.ts';
import { migratedFrom } from './earlier-database.ts';

it('calls of a database of the version before are kept, and say nothing of what was asked', () => {
  const db = migratedFrom(161, (before) => {
    before.exec(`
    INSERT INTO projects (id, path, name, created_at, opened_at) VALUES ('p', '/film', 'Film', 1, 1);
    INSERT INTO tool_calls (id, tool, project_id, about, request, request_hash, origin, key_fingerprint, sent_at, state)
      VALUES ('c', 'rewrite', 'p', 'Rewrite 2 prompts', '{}', 'hash', 'o', 'k', 1, 'unclear');
  `);
  });
  const calls = new ToolStore(db);
  expect(calls.inState('unclear')).toMatchObject([{ id: 'c' }]);
  expect(calls.asked('c')).toBeNull();
  expect(calls.open('p')).toMatchObject([{ id: 'c', state: 'unclear' }]);
});
