import { describe, expect, it } from 'vitest';
import { startBench } from './support.ts';

const upload = { type: 'image', url: 'https://media.example/fox.png?v=1' };

describe('an asset', () => {
  it('gets ready by the clock, whatever its review says', async () => {
    const bench = await startBench({ speed: { assetMs: 1000 } });
    const { json } = await bench.post('/v1/assets/uploads', { ...upload, metadata: { name: 'Fox' } });
    expect(json).toMatchObject({
      object: 'asset',
      type: 'image',
      name: 'Fox',
      source_url: upload.url,
      url: upload.url,
      status: 'created',
      generation_ready: false,
      review_passed: true,
    });
    expect(json.reference).toBe(`Asset://${String(json.id)}`);
    const seen: unknown[] = [];
    for (const ms of [300, 700]) {
      bench.clock.advance(ms);
      const asset = await bench.get(`/v1/assets/${String(json.id)}`);
      seen.push([asset.json.preparation_status, asset.json.generation_ready]);
    }
    expect(seen).toEqual([
      ['syncing', false],
      ['ready', true],
    ]);
  });

  it('is listed by type and in pages', async () => {
    const bench = await startBench();
    for (const type of ['image', 'image', 'image', 'video'])
      await bench.post('/v1/assets/uploads', { ...upload, type });
    const second = await bench.get('/v1/assets?type=image&page=2&page_size=2');
    expect(second.json).toMatchObject({ page: 2, page_size: 2, total: 3 });
    expect(second.json.items).toHaveLength(1);
    expect((await bench.get('/v1/assets?page=0')).status).toBe(400);
    expect((await bench.get('/v1/assets?type=font')).status).toBe(400);
  });
});

it('an asset group is refused for each reason the reference names', async () => {
  const bench = await startBench();
  const { json } = await bench.post('/v1/asset-groups', { name: 'Foxes' });
  expect((await bench.patch(`/v1/asset-groups/${String(json.id)}`, {})).code).toBe('missing_update_fields');
  expect((await bench.get('/v1/asset-groups/foxes')).code).toBe('invalid_group_id');
  expect((await bench.get('/v1/asset-groups/group_0')).code).toBe('asset_group_not_found');
});
