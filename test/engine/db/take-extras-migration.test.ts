import { expect, it } from 'vitest';
import { ExtrasStore } from '../../../src/engine/db/extras-store.ts';
import { migratedFrom } from './earlier-database.ts';

it('takes of a database of the version before have no buttons until they are asked about again', () => {
  const db = migratedFrom(166, (before) => {
    before.exec(`
    INSERT INTO projects (id, path, name, created_at, opened_at) VALUES ('p', '/film', 'Film', 1, 1);
    INSERT INTO batches (id, project_id, name, folder, list_folder, source, name_template, importing, created_at)
      VALUES ('b', 'p', 'Day 1', 'Day 1', '/lists', 'list.csv', '{shot}', 0, 1);
    INSERT INTO shots (id, batch_id, key, position, content_hash, spec, current, created_at)
      VALUES ('s', 'b', '0001', 0, 'hash', '{}', 1, 1);
    INSERT INTO jobs (id, project_id, batch_id, shot_id, shot_key, take, kind, model, priority, state, due_at, facts,
      created_at, updated_at)
      VALUES ('j', 'p', 'b', 's', '0001', 1, 'image', 'm', 0, 'saved', 0, '{"state":"saved"}', 1, 1);
  `);
  });
  const store = new ExtrasStore(db);
  expect(store.of('j')).toBeNull();
  const extras = { buttons: [{ customId: 'a', label: 'U1', emoji: '' }], prompts: [] };
  store.save('j', { buttons: [], prompts: [] });
  store.save('j', extras);
  expect(store.of('j')).toEqual(extras);
});
