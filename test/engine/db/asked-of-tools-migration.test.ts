import Database from 'better-sqlite3';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { migrate } from '../../../src/engine/db/migrate.ts';
import { migrations } from '../../../src/engine/db/migrations/index.ts';
import { databaseFile, openDatabase } from '../../../src/engine/db/open.ts';
import { ToolStore } from '../../../src/engine/db/tool-store.ts';

it('calls of a database of the version before are kept, and say nothing of what was asked', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dailies-asked-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = databaseFile(folder);
  const before = new Database(file);
  migrate(
    before,
    file,
    migrations.filter(({ version }) => version < 161),
  );
  before.exec(`
    INSERT INTO projects (id, path, name, created_at, opened_at) VALUES ('p', '/film', 'Film', 1, 1);
    INSERT INTO tool_calls (id, tool, project_id, about, request, request_hash, origin, key_fingerprint, sent_at, state)
      VALUES ('c', 'rewrite', 'p', 'Rewrite 2 prompts', '{}', 'hash', 'o', 'k', 1, 'unclear');
  `);
  before.close();

  const db = openDatabase(folder);
  onTestFinished(() => db.close());
  const calls = new ToolStore(db);
  expect(calls.inState('unclear')).toMatchObject([{ id: 'c' }]);
  expect(calls.asked('c')).toBeNull();
  expect(calls.open('p')).toMatchObject([{ id: 'c', state: 'unclear' }]);
});
