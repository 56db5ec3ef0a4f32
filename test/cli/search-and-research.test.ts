import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deskWithTakes, type Desk } from './support.ts';

const LIST =
  'shot,kind,model,prompt\n010,image,image-demo,A storm over the harbour at night\n020,image,image-demo,A child eats an apple\n030,image,image-demo,Waves break on the harbour wall in a storm\n';

/** A project with three saved takes. */
async function film(): Promise<Desk> {
  const scene = await deskWithTakes(LIST);
  return scene;
}

describe('dailies search', () => {
  const search = (scene: Desk, text: string, ...more: string[]) =>
    scene.run('search', text, '--project', 'film', '--model', 'embed-demo', ...more);
  const calls = (scene: Desk) => scene.service.ledger.posts().filter(({ path }) => path === '/v1/embeddings').length;

  it('finds the takes that are nearest in meaning, once their texts are indexed', async () => {
    const scene = await film();
    expect(await search(scene, 'storm at the harbour')).toBe(0);
    expect(scene.said).toContain('0 of 3 texts can be searched');
    expect(scene.said).toContain('--index');
    expect(await search(scene, 'storm at the harbour', '--index', '--json')).toBe(0);
    const found = scene.stdout.objects.map(({ shot }) => shot);
    expect(found).toHaveLength(3);
    expect(found.at(-1)).toBe('020');
  });

  it('pays for a text and for a question once', async () => {
    const scene = await film();
    expect(await search(scene, 'storm', '--index')).toBe(0);
    expect(calls(scene)).toBe(2);
    expect(await search(scene, 'storm', '--index')).toBe(0);
    expect(calls(scene)).toBe(2);
    await scene.service.stop();
    expect(await search(scene, 'storm')).toBe(0);
    expect(scene.said).toContain('3 of 3 texts can be searched');
  });
});

describe('texts whose call got no clear answer', () => {
  it('are sent again only when a person agrees, though others come between them', async () => {
    const scene = await film();
    scene.fault({ method: 'POST', path: '/v1/embeddings' }, { fault: 'reset', commit: true });
    const index = ['search', 'storm', '--project', 'film', '--model', 'embed-demo', '--index'];
    const calls = () => scene.service.ledger.posts().filter(({ path }) => path === '/v1/embeddings').length;
    expect(await scene.run(...index)).not.toBe(0);
    writeFileSync(scene.path('night.csv'), `${LIST}040,image,image-demo,A lighthouse\n`);
    expect(await scene.run('run', 'night.csv', '--project', 'film')).toBe(0);
    expect(await scene.run(...index)).not.toBe(0);
    expect(calls()).toBe(1);
    expect(await scene.run(...index, '--yes')).toBe(0);
    expect(calls()).toBe(3);
  });

  it('keep no other texts from being sent', async () => {
    const scene = await film();
    const search = (question: string) =>
      scene.run('search', question, '--project', 'film', '--model', 'embed-demo', '--index');
    scene.fault({ prompt: 'lost question' }, { fault: 'reset', commit: true });
    expect(await search('lost question')).not.toBe(0);
    expect(await search('storm')).toBe(0);
    expect(await search('lost question')).not.toBe(0);
    expect(scene.service.ledger.posts().filter(({ path }) => path === '/v1/embeddings')).toHaveLength(3);
  });
});

describe('dailies research', () => {
  it('is booked on its project at the price of its kind of call, under a cap in money', async () => {
    const scene = await film();
    const price = (model: string, amount: number) => ({ model, per: 'take', price: amount });
    const prices = [price('image-demo', 1), price('web-search', 0.25), price('web-reader', 0.5)];
    await scene.run('config', 'set', 'prices', JSON.stringify(prices));
    expect(await scene.run('cap', '--project', 'film', '--max-spend', '3.5')).toBe(0);
    expect(await scene.run('research', 'search', 'harbour', '--project', 'film')).toBe(0);
    expect(await scene.run('spend', '--project', 'film', '--json')).toBe(0);
    expect(JSON.stringify(scene.stdout.objects)).toContain('3.25');
    expect(await scene.run('research', 'search', 'pier', '--project', 'film')).toBe(0);
    expect(await scene.run('research', 'search', 'sea', '--project', 'film')).not.toBe(0);
    expect(scene.service.ledger.posts().filter(({ path }) => path === '/v1/web-search')).toHaveLength(2);
  });

  const clippings = (scene: Desk) => {
    const folder = join(scene.path('film'), '.dailies', 'clippings');
    return readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as { url: string });
  };

  it('searches the web, and keeps what it finds in a project', async () => {
    const scene = await film();
    expect(await scene.run('research', 'search', 'harbour', '--count', '2', '--project', 'film')).toBe(0);
    expect(scene.said).toMatch(/\d findings?\. Saved in film/);
    const kept = clippings(scene);
    expect(kept.length).toBeGreaterThan(0);
    for (const { url } of kept) expect(url).toMatch(/^https?:/);
  });

  it('reads a page that it found', async () => {
    const scene = await film();
    const url = String((await scene.lists('research', 'search', 'harbour'))[0]?.['url']);
    expect(String((await scene.lists('research', 'read', url))[0]?.['text']).length).toBeGreaterThan(20);
  });

  it('sends nothing for an address that is none, or when its path is not set', async () => {
    const scene = await film();
    const before = scene.service.ledger.posts().length;
    expect(await scene.run('research', 'read', 'not-an-address')).toBe(2);
    expect(await scene.run('config', 'set', 'paths.webSearch', '')).toBe(0);
    expect(await scene.run('research', 'search', 'harbour')).not.toBe(0);
    expect(scene.stderr.text).toContain('paths.webSearch');
    expect(scene.service.ledger.posts()).toHaveLength(before);
  });
});
