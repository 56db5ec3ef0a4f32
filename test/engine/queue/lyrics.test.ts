import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ShotSpec } from '../../../src/contract/shot.ts';
import { forEachTest, World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

let world: World;
forEachTest((opened) => (world = opened));

const lyrics = (changes: Partial<ShotSpec> = {}): ShotSpec =>
  shot(1, { kind: 'music', model: 'lyrics-demo', params: { operation: 'lyrics' }, ...changes });

const savedText = (key = '0001'): string =>
  readFileSync(join(world.projectPath, world.job(key).files[0] ?? ''), 'utf8');

describe('a row of lyrics', () => {
  it('is saved as the text of its task, and paid for once', async () => {
    await world.run([lyrics()]);
    await world.run([lyrics()]);
    const take = world.job('0001');
    expect(take).toMatchObject({ state: 'saved', files: ['Day 1/0001_t1.md'], medium: 'words' });
    expect(take.remarks).toBeUndefined();
    expect(savedText()).toMatch(/^\[Verse\]\n[^]*\[Chorus\]\nShot 1\n/);
    expect(world.posts().map(({ path, body }) => [path, body])).toEqual([
      ['/v1/tasks', { model: 'lyrics-demo', prompt: 'Shot 1' }],
    ]);
    expect(world.service.ledger.commits).toBe(1);
  });

  it('is sung by another row that names it in lyrics', async () => {
    const song = shot(2, {
      ...{ kind: 'music', model: 'music-demo', prompt: '' },
      params: { lyrics: 'Shot://0001', custom_mode: true, style: 'folk' },
    });
    await world.run([song, lyrics()]);
    expect(world.counts()).toMatchObject({ saved: 2 });
    expect(world.posts().at(-1)?.body).toMatchObject({ model: 'music-demo', prompt: savedText().trim() });
  });

  it('is saved from its kept answer after a kill, without another look at its task', async () => {
    world = await World.open({ service: { speed: { musicMs: 60_000, jitter: 0 } } });
    await world.begin([lyrics()]);
    await world.until('its task runs', () => world.job('0001').state === 'polling');
    world.freeBytes = 0;
    await world.until('its task is done', () => world.job('0001').state === 'downloading');
    await world.kill();
    world.freeBytes = 1000 ** 4;
    const asked = world.service.ledger.received;
    await world.start();
    await world.comesTo({ '0001': 'saved' });
    expect(savedText()).toContain('[Chorus]');
    expect([world.service.ledger.received, readdirSync(join(world.dataFolder, 'answers'))]).toEqual([asked, []]);
  });

  it('goes where the settings say, and is asked about where music is', async () => {
    world = await World.open({ settings: { paths: { lyricsSubmit: '/v1/music', musicTask: '/v1/music/{task_id}' } } });
    await world.run([lyrics()]);
    expect(world.job('0001').state).toBe('saved');
    expect(world.posts().map(({ path }) => path)).toEqual(['/v1/music']);
  });

  const text = 'A light for others\nAll night long';
  it.each([
    ['a record in data', { code: 'success', data: { task_id: 't', status: 'SUCCESS', text } }],
    ['a list in data', { code: 'success', data: [{ task_id: 't', status: 'succeeded', lyrics: text }] }],
    ['data of a record', { data: { task_id: 't', status: 'SUCCESS', data: { text, title: 'Light' } } }],
    ['a list of a record', { data: { task_id: 't', status: 'SUCCESS', data: [{ lyric: text }] } }],
    ['the task', { id: 't', status: 'succeeded', lyrics: text }],
    ['an output', { id: 't', status: 'succeeded', output: [{ type: 'text', text }] }],
    ['a result', { id: 't', status: 'succeeded', result: { content: text } }],
    ['a text in data', { id: 't', status: 'succeeded', data: text }],
  ])('is read from %s', async (_where, body) => {
    world.fault({ method: 'GET', path: '/v1/tasks/*', times: 'always' }, { fault: 'status', status: 200, body });
    await world.run([lyrics()]);
    expect(world.job('0001')).toMatchObject({ state: 'saved', files: ['Day 1/0001_t1.md'] });
    expect(savedText()).toBe(text);
    expect(world.posts()).toHaveLength(1);
  });

  it('has a file of each text that its task brought', async () => {
    const data = ['One', 'Two'].map((each) => ({ task_id: 't', status: 'SUCCESS', text: `${each} verse` }));
    world.fault(
      { method: 'GET', path: '/v1/tasks/*', times: 'always' },
      { fault: 'status', status: 200, body: { code: 'success', data } },
    );
    await world.run([lyrics()]);
    expect(world.job('0001').files).toEqual(['Day 1/0001_t1_1.md', 'Day 1/0001_t1_2.md']);
  });

  it('keeps what came at an address instead of a text, and says that it is something else', async () => {
    await world.run([lyrics({ model: 'music-demo' })]);
    expect(world.job('0001')).toMatchObject({ files: ['Day 1/0001_t1.mp3'], remarks: ['other_medium'] });
  });
});
