import { expect, it, vi } from 'vitest';
import type { BatchView } from '../../src/contract/batch.ts';
import { say } from '../../src/contract/messages/words.ts';
import { orderBatches, renameBatch, unarchiveBatch } from '../../src/renderer/lib/actions/batches.ts';
import { undoHistory } from '../../src/renderer/lib/undo.svelte.ts';

const engine = vi.hoisted(() => ({ name: 'Night', isArchived: true, order: ['b', 'c'], troubles: [] as string[] }));
vi.mock('../../src/renderer/lib/client.ts', () => ({
  isUnanswered: () => false,
  api: {
    projects: { list: () => Promise.resolve([{ id: 'p', batchOrder: 'hand' }]) },
    batches: {
      rename: ({ name }: { name: string }) => Promise.resolve(void (engine.name = name)),
      archive: () => Promise.resolve(void (engine.isArchived = true)),
      unarchive: () => Promise.resolve(void (engine.isArchived = false)),
      list: () => Promise.resolve(engine.order.map((id) => ({ id, projectId: 'p', name: engine.name }))),
      order: ({ batchIds }: { batchIds: string[] }) => Promise.resolve(void (engine.order = batchIds)),
    },
  },
}));
vi.mock('../../src/renderer/lib/lists.ts', () => ({ openList: () => undefined }));
vi.mock('../../src/renderer/lib/toasts.ts', () => ({
  WITH_ACTION_MS: 1,
  toast: () => undefined,
  toastError: (error: Error, what: string) => engine.troubles.push(what, error.message),
}));
vi.mock('svelte-sonner', () => ({ toast: Object.assign(() => 1, { dismiss: () => undefined }) }));

const batch = { id: 'b', projectId: 'p', name: 'Night' } as BatchView;

it('a batch gets its name back, but never in place of one that another window has given it since', async () => {
  await renameBatch(batch, 'Day');
  await undoHistory.undo();
  expect(engine.name).toBe('Night');

  await renameBatch(batch, 'Day');
  engine.name = 'Dusk';
  await undoHistory.undo();
  expect(engine.name).toBe('Dusk');
  const done = say('common.renamed', { before: 'Night', name: 'Day' });
  expect(engine.troubles).toEqual([say('common.notUndone', { done }), say('common.changedSince')]);
});

it('a batch taken out of the archive goes back by undo', async () => {
  await unarchiveBatch(batch);
  expect(engine.isArchived).toBe(false);
  await undoHistory.undo();
  expect(engine.isArchived).toBe(true);
});

it('batches get their places back, but not where another window has moved them since', async () => {
  const [before, moved] = [
    ['b', 'c'],
    ['c', 'b'],
  ].map((ids) => ({ order: 'hand' as const, ids }));
  if (!before || !moved) throw new Error('two orders');
  await orderBatches('p', moved, before, () => Promise.resolve());
  expect(engine.order).toEqual(moved.ids);
  await undoHistory.undo();
  expect(engine.order).toEqual(before.ids);

  await orderBatches('p', moved, before, () => Promise.resolve());
  engine.order = ['b', 'c'];
  await undoHistory.undo();
  expect(engine.troubles.at(-1)).toBe(say('common.changedSince'));
});
