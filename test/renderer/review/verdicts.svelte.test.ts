import { beforeEach, expect, it, vi } from 'vitest';
import { t } from '../../../src/contract/messages/words.ts';
import { noVerdict, type TakeView, type Verdict } from '../../../src/contract/review.ts';
import type * as Client from '../../../src/renderer/lib/client.ts';
import { undoHistory } from '../../../src/renderer/lib/undo.svelte.ts';
import { Verdicts } from '../../../src/renderer/views/review/verdicts.svelte.ts';

const engine = vi.hoisted(() => ({
  isGone: false,
  toasts: [] as (string | undefined)[],
  undo: [] as { done: () => void; fail: () => void }[],
}));
vi.mock('../../../src/renderer/lib/client.ts', async (original) => ({
  ...(await original<typeof Client>()),
  api: {
    takes: {
      judge: ({ ids: [id] }: { ids: string[] }) =>
        id === 'judged'
          ? Promise.resolve(null)
          : engine.isGone
            ? Promise.reject(new Error('no answer'))
            : Promise.resolve({ text: '', undo: 'judged' }),
    },
    commands: {
      undo: () =>
        new Promise((resolve, reject) => {
          engine.undo.push({
            done: () => resolve({ text: '', undo: 'reversed' }),
            fail: () => reject(new TypeError('no answer')),
          });
        }),
    },
  },
}));
vi.mock('../../../src/renderer/lib/toasts.ts', () => ({
  WITH_ACTION_MS: 1,
  toast: () => undefined,
  toastError: (_error: Error, what?: string) => engine.toasts.push(what),
}));
vi.mock('svelte-sonner', () => ({ toast: (done: string) => engine.toasts.push(done) }));

beforeEach(() => {
  undoHistory.empty();
  Object.assign(engine, { isGone: false, toasts: [], undo: [] });
});

function onScreen() {
  const verdicts = new Verdicts();
  const shown = new Map<string, Verdict>([
    ['t', noVerdict],
    ['u', noVerdict],
  ]);
  const take = (id = 't') => ({ id, verdict: shown.get(id) ?? noVerdict }) as TakeView;
  verdicts.showOn({ takeOf: take, showVerdicts: (given) => given.forEach((verdict, id) => shown.set(id, verdict)) });
  return { verdicts, shown, take };
}

it('a verdict that the engine did not take goes from the screen, and is said not to be kept', async () => {
  const { verdicts, shown, take } = onScreen();
  engine.isGone = true;
  verdicts.judge(['t'], [take()], { flag: 'pick' }, '010 take 1: picked');
  expect(shown.get('t')).toMatchObject({ flag: 'pick' });
  const notKept = t('review.verdictNotKept', { done: '010 take 1: picked' });
  await vi.waitFor(() => expect(engine.toasts).toEqual([notKept]));
  expect([shown.get('t')?.flag, undoHistory.said, undoHistory.toUndo]).toEqual([null, notKept, null]);
});

it('a verdict that a take had already leaves nothing to undo', async () => {
  const { verdicts, take } = onScreen();
  verdicts.judge(['judged'], [take('judged')], { flag: 'pick' }, 'picked');
  await vi.waitFor(() => expect(undoHistory.toUndo).toBeNull());
  expect(engine.toasts).toEqual([]);
});

it('many takes are said to be judged once the engine has it', async () => {
  const { verdicts, take } = onScreen();
  const done = t('common.namedTakes', { count: 2, problem: 'picked' });
  engine.isGone = true;
  verdicts.judge(['t', 'u'], [take(), take('u')], { flag: 'pick' }, 'picked');
  await vi.waitFor(() => expect(engine.toasts).toEqual([t('review.verdictNotKept', { done })]));
  engine.isGone = false;
  verdicts.judge(['t', 'u'], [take(), take('u')], { flag: 'pick' }, 'picked');
  await vi.waitFor(() => expect(engine.toasts.at(-1)).toBe(done));
});

it('a verdict is shown as undone once the engine has it, and can be undone again when that fails', async () => {
  const { verdicts, shown, take } = onScreen();
  verdicts.judge(['t'], [take()], { flag: 'pick' }, 'picked');
  expect(shown.get('t')).toMatchObject({ flag: 'pick' });
  void undoHistory.undo();
  await vi.waitFor(() => expect(engine.undo).toHaveLength(1));
  expect(shown.get('t')).toMatchObject({ flag: 'pick' });
  engine.undo[0]?.fail();
  await vi.waitFor(() => expect(undoHistory.toUndo).not.toBeNull());
  void undoHistory.undo();
  await vi.waitFor(() => expect(engine.undo).toHaveLength(2));
  verdicts.judge(['t'], [take()], { rating: 4 }, '4 stars');
  engine.undo[1]?.done();
  await vi.waitFor(() => expect(shown.get('t')).toMatchObject({ flag: null, rating: 4 }));
  expect(undoHistory.toUndo?.words).toBe('4 stars');
  void undoHistory.undo();
  await vi.waitFor(() => expect(engine.undo).toHaveLength(3));
  engine.undo[2]?.done();
  await vi.waitFor(() => expect(shown.get('t')?.rating).toBe(0));
  expect(shown.get('t')).toMatchObject({ flag: null, rating: 0 });
  void undoHistory.redo();
  await vi.waitFor(() => expect(engine.undo).toHaveLength(4));
  engine.undo[3]?.done();
  await vi.waitFor(() => expect(shown.get('t')).toMatchObject({ flag: null, rating: 4 }));
  // The stars were given after the pick was taken back.
  expect(undoHistory.toRedo).toBeNull();
});
