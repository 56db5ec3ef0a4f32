import { expect, it, vi } from 'vitest';
import { models } from '../../src/renderer/lib/state/models.svelte.ts';

vi.mock('../../src/renderer/lib/client.ts', () => ({ api: {} }));

it('models that compare texts are offered for no row, and those of unknown kind last', () => {
  const of = (id: string, kind: 'image' | 'video' | null) => ({ id, kind, ofAccount: true });
  models.all = [of('embed-demo', null), of('other', null), of('image-demo', 'image'), of('vgen-2.0-nt', 'video')];
  expect(models.idsFor('video')).toEqual(['vgen-2.0-nt', 'other']);
  expect(models.idsFor(null)).toEqual(['other', 'image-demo', 'vgen-2.0-nt']);
});
