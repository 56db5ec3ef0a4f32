import { expect, it, vi } from 'vitest';
import { say } from '../../../src/contract/messages/words.ts';
import { noVerdict, type TakeView, type Verdict } from '../../../src/contract/review.ts';
import { Verdicts } from '../../../src/renderer/views/review/verdicts.svelte.ts';

const engine = vi.hoisted(() => ({ restore: [] as { done: (restored: number) => void; fail: () => void }[] }));
vi.mock('../../../src/renderer/lib/client.ts', () => ({
  api: {
    takes: {
      judge: ({ ids }: { ids: string[] }) =>
        Promise.resolve({ before: ids.map((takeId) => ({ takeId, verdict: { flag: null, rating: 0, note: '' } })) }),
      restore: () =>
        new Promise((resolve, reject) => {
          engine.restore.push({
            done: (restored) => resolve({ restored }),
            fail: () => reject(new Error('no answer')),
          });
        }),
    },
  },
}));
vi.mock('../../../src/renderer/lib/toasts.ts', () => ({
  passOver: () => undefined,
  toastError: () => undefined,
  toastWithUndo: () => undefined,
}));

it('a verdict is shown as undone once the engine has it, and can be undone again when that fails', async () => {
  const verdicts = new Verdicts();
  const shown = new Map<string, Verdict>([['t', noVerdict]]);
  const take = () => ({ id: 't', verdict: shown.get('t') ?? noVerdict }) as TakeView;
  verdicts.showOn({ takeOf: take, showVerdicts: (given) => given.forEach((verdict, id) => shown.set(id, verdict)) });
  verdicts.judge(['t'], [take()], { flag: 'pick' }, 'picked');
  expect(shown.get('t')).toMatchObject({ flag: 'pick' });
  verdicts.undo();
  await vi.waitFor(() => expect(engine.restore).toHaveLength(1));
  expect(shown.get('t')).toMatchObject({ flag: 'pick' });
  engine.restore[0]?.fail();
  await vi.waitFor(() => expect(verdicts.canUndo).toBe(true));
  verdicts.undo();
  await vi.waitFor(() => expect(engine.restore).toHaveLength(2));
  verdicts.judge(['t'], [take()], { rating: 4 }, '4 stars');
  engine.restore[1]?.done(1);
  await vi.waitFor(() => expect(shown.get('t')).toMatchObject({ flag: null, rating: 4 }));
  expect(verdicts.last).toBe('4 stars');
  verdicts.undo();
  await vi.waitFor(() => expect(engine.restore).toHaveLength(3));
  engine.restore[2]?.done(1);
  await vi.waitFor(() => expect(verdicts.last).toBe(say('review.verdictUndone', { done: '4 stars' })));
  expect(shown.get('t')).toMatchObject({ flag: null, rating: 0 });
});
