import { expect, it } from 'vitest';
import { AgreementStore } from '../../../src/engine/db/agreement-store.ts';
import { openDatabase, openDatabaseReadOnly } from '../../../src/engine/db/open.ts';
import { folderOfTest, makeEarlierDatabase } from './earlier-database.ts';

it('a database of the version before agrees to the folders of lists whose takes wait, and to no others', () => {
  const folder = folderOfTest();
  makeEarlierDatabase(folder, 61, (before) => {
    before.exec(`INSERT INTO projects (id, path, name, created_at, opened_at) VALUES ('p', '/film', 'Film', 1, 1);`);
    for (const [id, state] of [
      ['waiting', 'ready'],
      ['over', 'rejected'],
    ]) {
      before.exec(`
      INSERT INTO batches VALUES ('${id}', 'p', '${id}', '${id}', '/lists/${id}', 'list.csv', '{shot}', 0, 1);
      INSERT INTO shots VALUES ('s${id}', '${id}', '0001', 0, 'hash', '{}', 1, 1);
      INSERT INTO jobs (id, project_id, batch_id, shot_id, shot_key, take, kind, model, priority, state, due_at, facts,
        created_at, updated_at)
      VALUES ('j${id}', 'p', '${id}', 's${id}', '0001', 1, 'image', 'm', 0, '${state}', 0, '{"state":"${state}"}', 1, 1);
    `);
    }
  });

  const looking = openDatabaseReadOnly(folder);
  expect(looking && new AgreementStore(looking).of('p')).toEqual([]);
  looking?.close();

  const db = openDatabase(folder);
  const agreements = new AgreementStore(db);
  expect(agreements.of('p')).toEqual(['/lists/waiting']);
  agreements.add('p', ['/pictures/a.png', '/lists/waiting']);
  expect(agreements.of('p')).toEqual(['/lists/waiting', '/pictures/a.png']);
  expect(db.facts.pragma('integrity_check', { simple: true })).toBe('ok');
  db.close();
});
