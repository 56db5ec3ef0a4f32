import { sayText, type Text } from '../../../../src/contract/messages/words.ts';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Findings } from '../../../../src/contract/tool.ts';
import { clippingsFor } from '../../../../src/engine/tools/research/pictures.ts';
import { forEachTest, type World } from '../../../support/world.ts';

let world: World;
let projectId: string;

const search = (query: string) =>
  world.whilePumping(world.engine.tools.research.search({ projectId, query, includeImages: true, isAgreed: false }));
const found = (answer: Findings) => {
  if (answer.type !== 'found') throw new Error(sayText(answer.failure.message));
  return answer;
};
/** Without moving the clock: the service draws the picture meanwhile, which is no silence of its server. */
const picture = (url: string) => world.act('clippings.picture', { projectId, url }).then((done) => done?.result);
const shown = (url: string) => world.engine.tools.webPicture(projectId, url, () => Promise.resolve(true));
const listed = (limit: number) => clippingsFor(world.projectPath, limit);
const calls = () => world.service.ledger.posts().filter(({ path }) => path === '/v1/web-search').length;

forEachTest((opened) => (world = opened));
beforeEach(async () => {
  await world.start();
  projectId = (await world.openProject()).id;
});

describe('what a search found', () => {
  it('is given again for nothing until a window says that it was shown', async () => {
    const first = found(await search('lighthouse'));
    expect(first.wasPaid).toBe(false);
    const again = found(await search('lighthouse'));
    expect(again).toMatchObject({ wasPaid: true, findings: first.findings });
    expect(calls()).toBe(1);
    await world.engine.tools.runner.markUsed(again.callId);
    expect(found(await search('lighthouse')).wasPaid).toBe(false);
    expect(calls()).toBe(2);
  });

  it('is kept, removed and brought back as it was', async () => {
    const [finding] = found(await search('lighthouse')).findings;
    if (!finding) throw new Error('Nothing was found.');
    const kept = await world.act('clippings.keep', { projectId, finding, askedFor: 'lighthouse' });
    const clipping = kept?.result ?? expect.fail('nothing was kept');
    const removed = await world.act('clippings.remove', { projectId, id: clipping.id });
    expect(await listed(10)).toEqual({ clippings: [], total: 0 });
    const restored = await world.engine.commands.undo(removed?.undo ?? '', 'window');
    expect(await listed(10)).toEqual({ clippings: [clipping], total: 1 });
    await world.engine.commands.undo(restored.undo ?? '', 'window');
    expect(await listed(10)).toEqual({ clippings: [], total: 0 });
    const elsewhere = { ...clipping, id: '../../project' };
    await expect(world.act('clippings.restore', { projectId, clipping: elsewhere })).rejects.toMatchObject({
      code: 'unknown_clipping',
    });
  });
});

describe('a call that waits for a person', () => {
  it('is found by its project when nobody knows whether it was charged, whatever tool made it', async () => {
    world.fault({ method: 'POST', path: '/v1/web-search' }, { fault: 'reset', commit: true });
    expect((await search('lighthouse')).type).toBe('failed');
    const { prompts, runner } = world.engine.tools;
    const [call] = prompts.open(projectId);
    expect(call).toMatchObject({
      tool: 'search',
      state: 'unclear',
      about: expect.saying('Search the web for lighthouse') as Text,
      asked: null,
    });
    runner.dismiss(call?.id ?? '');
    expect(prompts.open(projectId)).toEqual([]);
    expect(calls()).toBe(1);
  });

  it('is not an answer that the same question brings back', async () => {
    found(await search('lighthouse'));
    expect(world.engine.tools.prompts.open(projectId)).toEqual([]);
  });
});

it('clippings are read from the newest on, as many as are wanted', async () => {
  for (const title of ['one', 'two', 'three']) {
    const finding = { title, url: '', text: '', images: [] };
    await world.act('clippings.keep', { projectId, finding, askedFor: '' });
    world.clock.advance(1000);
  }
  const page = await listed(2);
  expect(page.total).toBe(3);
  expect(page.clippings.map(({ title }) => title)).toEqual(['three', 'two']);
});

describe('a picture that a page names', () => {
  it('is fetched by the engine into the project and the library, once', async () => {
    const [image = ''] = found(await search('lighthouse')).findings.flatMap(({ images }) => images);
    const report = await picture(image);
    expect(report).toMatchObject({ ok: true, sent: true });
    expect(await picture(image)).toMatchObject({ ok: true, sent: false });
    const [file, ...others] = readdirSync(join(world.projectPath, '.dailies', 'pictures'));
    expect(file).toMatch(/^[0-9a-f]{16}\.png$/);
    expect(others).toEqual([]);
  });

  it('is fetched to be looked at without a trace in the project', async () => {
    const [image = ''] = found(await search('lighthouse')).findings.flatMap(({ images }) => images);
    expect(await shown(image)).toMatch(/^[0-9a-f]{64}$/);
    expect(existsSync(join(world.projectPath, '.dailies', 'pictures'))).toBe(false);
    expect(readdirSync(join(world.dataFolder, 'pictures'))).toEqual([]);
  });

  it.each([
    ['in the studio’s network, which the service is not in', 'http://10.1.2.3/picture.png'],
    ['of a cloud’s metadata', 'http://169.254.169.254/latest/meta-data'],
    ['that is no web address', 'file:///etc/passwd'],
    ['that holds a password', 'http://me:secret@127.0.0.1/picture.png'],
  ])('is not fetched from an address %s', async (_where, url) => {
    await expect(picture(url)).rejects.toMatchObject({ code: 'picture_not_fetched' });
    await expect(shown(url)).rejects.toMatchObject({ code: 'picture_not_fetched' });
    expect(readdirSync(join(world.projectPath, '.dailies', 'pictures'))).toEqual([]);
    expect(readdirSync(join(world.dataFolder, 'pictures'))).toEqual([]);
  });

  it('is left out where its address leads to something else, which is not kept', async () => {
    world.fault(
      { method: 'GET', path: '/web/0/2.png' },
      {
        fault: 'status',
        status: 200,
        body: '<svg xmlns="http://www.w3.org/2000/svg"/>',
        contentType: 'image/svg+xml',
      },
    );
    await expect(picture(`${world.service.url}/web/0/2.png`)).rejects.toMatchObject({
      text: expect.saying(/not an image that can be shown/) as Text,
    });
    expect(existsSync(join(world.projectPath, '.dailies', 'pictures'))).toBe(true);
    expect(readdirSync(join(world.projectPath, '.dailies', 'pictures'))).toEqual([]);
  });
});
