import { expect, it, vi } from 'vitest';
import { models } from '../../src/renderer/lib/state/models.svelte.ts';

const asked = vi.hoisted(() => [] as { readonly of: unknown; readonly answer: (all: unknown) => void }[]);
vi.mock('../../src/renderer/lib/client.ts', () => ({
  api: {
    settings: { models: (of: unknown) => new Promise((answer) => asked.push({ of, answer })) },
  },
}));

it('models that compare texts are offered for no row, and those of unknown kind last', () => {
  const of = (id: string, kind: 'image' | 'video' | null) => ({ id, kind, ofAccount: true });
  models.all = [of('embed-demo', null), of('other', null), of('image-demo', 'image'), of('vgen-2.0-nt', 'video')];
  expect(models.idsFor('video')).toEqual(['vgen-2.0-nt', 'other']);
  expect(models.idsFor(null)).toEqual(['other', 'image-demo', 'vgen-2.0-nt']);
});

it('are those of the account that is asked last, however late the answer for another one comes', async () => {
  const answerWith = (id: string) => [{ id, kind: 'image', ofAccount: true }];
  const first = models.read({ accountId: null });
  const second = models.read({ accountId: 'acme' });
  expect(asked.map(({ of }) => of)).toEqual([{ accountId: null }, { accountId: 'acme' }]);
  asked[1]?.answer(answerWith('of-acme'));
  asked[0]?.answer(answerWith('of-main'));
  await Promise.all([first, second]);
  expect(models.idsFor(null)).toEqual(['of-acme']);
});
