import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../src/engine/db/open.ts';
import { OutputStore } from '../../../src/engine/db/output-store.ts';
import { folderOfTest, makeEarlierDatabase } from './earlier-database.ts';

it('a database of the version before keeps its files, which were all checked, and its resume points', () => {
  const folder = folderOfTest();
  const file = makeEarlierDatabase(folder, 51, (before) => {
    before.exec(`
    INSERT INTO projects (id, path, name, created_at, opened_at) VALUES ('p', '/film', 'Film', 1, 1);
    INSERT INTO batches VALUES ('b', 'p', 'Day 1', 'Day 1', '/lists', 'list.csv', '{shot}', 0, 1);
    INSERT INTO shots VALUES ('s', 'b', '0001', 0, 'hash', '{}', 1, 1);
    INSERT INTO jobs (id, project_id, batch_id, shot_id, shot_key, take, kind, model, priority, state, due_at, facts,
      created_at, updated_at)
    VALUES ('j', 'p', 'b', 's', '0001', 1, 'image', 'm', 0, 'ready', 0, '{"state":"ready"}', 1, 1);
    INSERT INTO outputs (job_id, number, bytes, sha256, format, file) VALUES ('j', 1, 5, 'ab', 'png', 'Day 1/a.png');
    INSERT INTO outputs (job_id, number, part_offset, part_etag) VALUES ('j', 2, 100, '"v1"');
  `);
  });

  const db = openDatabase(folder);
  const outputs = new OutputStore(db);
  expect(outputs.outputs('j')).toEqual([
    { number: 1, file: 'Day 1/a.png', bytes: 5, sha256: 'ab', format: 'png', verified: true },
  ]);
  expect(outputs.part('j', 2)).toEqual({ offset: 100, etag: '"v1"' });
  expect(outputs.slots('j')).toEqual([
    { url: null, isFetched: true },
    { url: null, isFetched: false },
  ]);
  expect(db.facts.pragma('integrity_check', { simple: true })).toBe('ok');
  expect(existsSync(`${file}.v50.bak`)).toBe(true);
  db.close();
});
