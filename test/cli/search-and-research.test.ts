import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deskWithService } from './support.ts';

type CliScene = Awaited<ReturnType<typeof deskWithService>>;

const LIST =
  'shot,kind,model,prompt\n010,image,image-demo,A storm over the harbour at night\n020,image,image-demo,A child eats an apple\n030,image,image-demo,Waves break on the harbour wall in a storm\n';

/** A project with three saved takes. */
async function film(): Promise<CliScene> {
  const scene = await deskWithService();
  writeFileSync(scene.path('night.csv'), LIST);
  expect(await scene.run('run', 'night.csv', '--project', 'film')).toBe(0);
  return scene;
}

describe('dailies search', () => {
  const search = (scene: CliScene, text: string, ...more: string[]) =>
    scene.run('search', text, '--project', 'film', '--model', 'embed-demo', ...more);
  const calls = (scene: CliScene) =>
    scene.service.ledger.posts().filter(({ path }) => path === '/v1/embeddings').length;

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

describe('dailies research', () => {
  const clippings = (scene: CliScene) => {
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
    expect(await scene.run('research', 'search', 'harbour', '--json')).toBe(0);
    const url = String(scene.stdout.objects[0]?.['url']);
    expect(await scene.run('research', 'read', url, '--json')).toBe(0);
    expect(String(scene.stdout.objects[0]?.['text']).length).toBeGreaterThan(20);
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
