import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import Papa from 'papaparse';
import { expect, it } from 'vitest';
import Database from 'better-sqlite3';
import { databaseFile } from '../../src/engine/db/open.ts';
import { deskWithService } from './support.ts';

const SENT =
  'Scene;shot;kind;model;prompt;takes\r\n' +
  '1;010;image;image-demo;A lighthouse;2\r\n' +
  '1;020;video;vgen-2.0-nt;"The light; on";1\r\n';
const LIST = `${SENT}2;030;image;image-demo;The harbour;1\r\n`;

const read = (path: string) =>
  Papa.parse<Record<string, string>>(readFileSync(path, 'utf8'), { header: true, skipEmptyLines: true }).data;

it('a list comes back with the status of its shots, and imports as before', async () => {
  const scene = await deskWithService();
  await scene.run('config', 'set', 'prices', JSON.stringify([{ model: '*', per: 'take', price: 2.5 }]));
  writeFileSync(scene.path('night.csv'), SENT);
  await scene.run('run', 'night.csv', '--project', 'film');
  await scene.run('takes', 'pick', '--where', 'shot:010 take:1');
  await scene.run('takes', 'rate', '4', '--where', 'shot:010 take:1');
  writeFileSync(scene.path('night.csv'), LIST);

  const status = ['status', 'night.csv', '--out'];
  expect(await scene.says(...status, 'back.csv')).toContain('back.csv: status of 2 of 3 rows.');
  const text = readFileSync(scene.path('back.csv'), 'utf8');
  const own = LIST.trimEnd().split('\r\n');
  for (const [index, line] of text.trimEnd().split('\r\n').entries())
    expect(line.startsWith(own[index] ?? '')).toBe(true);
  const [first, second, third] = read(scene.path('back.csv'));
  expect(first).toMatchObject({
    ...{ 'Dailies state': 'Saved', 'Dailies take': '1', 'Dailies pick': '1', 'Dailies rating': '4' },
    ...{ 'Dailies takes saved': '2', 'Dailies file': 'night/010_t1.png', 'Dailies cost': '5' },
  });
  expect(second).toMatchObject({ 'Dailies state': 'Saved', 'Dailies pick': '', 'Dailies cost': '2.5' });
  expect(third).toMatchObject({ 'Dailies state': '', 'Dailies cost': '' });

  // The copy is the list: it asks for nothing new, and can be brought up to date in place.
  writeFileSync(scene.path('back.csv'), text.replace(/^2;030.*\r\n/m, ''));
  await scene.run('run', 'back.csv', '--project', 'film', '--batch', 'night');
  expect(scene.service.ledger.commits).toBe(3);
  expect(await scene.run('status', 'back.csv', '--out', 'back.csv', '--batch', 'night')).toBe(0);

  expect(await scene.run(...status, 'night.csv')).toBe(2);
  expect(readFileSync(scene.path('night.csv'), 'utf8')).toBe(LIST);
  expect(await scene.run(...status, 'back.csv')).toBe(2);
  expect(await scene.run(...status, 'new.xlsx')).toBe(2);
  expect(await scene.run('status', 'night.csv')).toBe(2);
  expect(await scene.run(...status, 'new.csv', '--batch', 'other')).toBe(2);
  expect(existsSync(scene.path('new.csv'))).toBe(false);
});

it('a take has the facts of its files, also one that was saved before they were read', async () => {
  const scene = await deskWithService();
  writeFileSync(scene.path('night.csv'), SENT);
  const run = ['run', 'night.csv', '--project', 'film'];
  await scene.run(...run);
  const facts = () =>
    read(scene.path('film/night/manifest.csv')).map(({ frame_rate: rate, frames, width, seconds }) => ({
      rate,
      frames,
      width,
      seconds,
    }));
  const before = facts();
  expect(before.some(({ rate, frames }) => rate !== '' && Number(frames) > 0)).toBe(true);
  expect(before.every(({ width }) => Number(width) > 0)).toBe(true);
  expect(await scene.lists('takes', 'list', '--where', 'frames:>0 -is:vfr')).toMatchObject([{ shot: '020' }]);
  expect(await scene.lists('takes', 'list', '--where', 'frames:>99999')).toEqual([]);

  const file = databaseFile(scene.dataFolder);
  const withDatabase = <Result>(work: (db: Database.Database) => Result): Result => {
    const db = new Database(file);
    try {
      return work(db);
    } finally {
      db.close();
    }
  };
  const missing = () =>
    withDatabase((db) => db.prepare('SELECT COUNT(*) FROM outputs WHERE facts IS NULL').pluck().get());
  expect(missing()).toBe(0);
  withDatabase((db) => db.prepare('UPDATE outputs SET facts = NULL').run());
  await scene.run('takes', 'rate', '3', '--where', 'shot:020');
  // They are read beside the work, and what is left is read the next time.
  for (let times = 0; times < 20 && missing() !== 0; times += 1) await scene.run(...run);
  expect(missing()).toBe(0);
  expect(facts()).toEqual(before);
});
