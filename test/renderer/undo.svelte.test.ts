import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ORPCError } from '@orpc/client';
import { messageFor } from '../../src/contract/messages/message.ts';
import { t } from '../../src/contract/messages/words.ts';
import { act, actEach } from '../../src/renderer/lib/act.ts';
import type * as Client from '../../src/renderer/lib/client.ts';
import { EngineGoneError } from '../../src/renderer/lib/port-link.ts';
import {
  between,
  editTimesFor,
  redoTitle,
  toastWithUndo,
  undoHistory,
  undoTitle,
} from '../../src/renderer/lib/undo.svelte.ts';
import { NotOurHostError } from '../../src/renderer/web/pass.ts';

const shown = vi.hoisted(() => ({ toasts: [] as string[] }));
const engine = vi.hoisted(() => ({
  hold: vi.fn<(input: object) => Promise<object>>(),
  undo: vi.fn<(input: { token: string }) => Promise<object>>(),
}));
vi.mock('../../src/renderer/lib/client.ts', async (original) => ({
  ...(await original<typeof Client>()),
  api: { jobs: { hold: engine.hold }, commands: { undo: engine.undo } },
}));
vi.mock('../../src/renderer/lib/toasts.ts', () => ({
  WITH_ACTION_MS: 1,
  toast: (message: string) => shown.toasts.push(message),
  toastError: (error: Error, what?: string) => shown.toasts.push(what ?? error.message),
}));
vi.mock('svelte-sonner', () => ({ toast: Object.assign(() => 1, { dismiss: () => undefined }) }));

beforeEach(() => {
  shown.toasts = [];
  undoHistory.empty();
});

/** A list on screen that keeps its own steps, as the engine does for a shot list. */
function listOnScreen(id = crypto.randomUUID()) {
  const times = editTimesFor(id);
  const [done, undone] = [[] as string[], [] as string[]];
  const list = {
    get changed() {
      return done.length > 0 ? { words: done.at(-1) ?? '', at: times.changed } : null;
    },
    get undone() {
      return undone.length > 0 ? { words: undone.at(-1) ?? '', at: times.undone } : null;
    },
    edit: (words: string) => {
      done.push(words);
      undone.length = 0;
      times.noteEdit();
    },
    undo: () => {
      undone.push(done.pop() ?? '');
      times.noteUndo();
      return Promise.resolve();
    },
    redo: () => {
      done.push(undone.pop() ?? '');
      times.noteRedo();
      return Promise.resolve();
    },
  };
  return { list, done };
}

/** A change of the window that goes to and fro. */
function change(words: string, state: string[]): void {
  state.push(words);
  const back = () => void state.splice(state.indexOf(words), 1);
  toastWithUndo(
    words,
    between(back, () => void state.push(words)),
  );
}

it('takes back what was done, the last first, however long ago', async () => {
  const undone: string[] = [];
  for (const each of ['rename', 'trash', 'hide']) toastWithUndo(each, () => void undone.push(each));
  await undoHistory.undo();
  await undoHistory.undo();
  expect(undone).toEqual(['hide', 'trash']);
  expect(shown.toasts).toEqual(['hide', 'trash'].map((done) => t('common.undone', { done })));
  expect(undoHistory.toUndo?.words).toBe('rename');
});

it('does again what was taken back last, until something else is changed', async () => {
  const state: string[] = [];
  for (const each of ['rename', 'trash', 'hide']) change(each, state);
  for (let times = 0; times < 3; times += 1) await undoHistory.undo();
  expect([state, redoTitle()]).toEqual([[], t('common.redoStep', { done: 'rename' })]);
  await undoHistory.redo();
  await undoHistory.redo();
  expect([state, undoTitle()]).toEqual([['rename', 'trash'], t('common.undoStep', { done: 'trash' })]);
  expect(shown.toasts.at(-1)).toBe(t('common.redone', { done: 'trash' }));
  await undoHistory.undo();
  change('note', state);
  expect(undoHistory.toRedo).toBeNull();
  await undoHistory.redo();
  expect(state).toEqual(['rename', 'note']);
});

it('names what the key takes back, whatever was said of a change before it', async () => {
  const views: string[] = [];
  undoHistory.add('rejected', () => undefined);
  change('saved a view', views);
  expect(undoTitle()).toBe(t('common.undoStep', { done: 'saved a view' }));
  expect(undoHistory.said).toBe('');
  await undoHistory.undo();
  expect([views, shown.toasts]).toEqual([[], [t('common.undone', { done: 'saved a view' })]]);
  expect(undoTitle()).toBe(t('common.undoStep', { done: 'rejected' }));
});

it('goes by time between the list on screen and the rest of the window, there and back', async () => {
  const { list, done } = listOnScreen();
  const leave = undoHistory.join(list);
  const state: string[] = [];
  list.edit('cell');
  change('saved a variable', state);
  expect(undoTitle()).toBe(t('common.undoStep', { done: 'saved a variable' }));
  list.edit('another cell');
  expect(undoTitle()).toBe(t('common.undoStep', { done: 'another cell' }));
  await undoHistory.undo();
  await undoHistory.undo();
  await undoHistory.undo();
  expect([done, state]).toEqual([[], []]);
  await undoHistory.redo();
  await undoHistory.redo();
  expect([done, state]).toEqual([['cell'], ['saved a variable']]);
  await undoHistory.redo();
  expect(done).toEqual(['cell', 'another cell']);
  leave();
  expect(undoTitle()).toBe(t('common.undoStep', { done: 'saved a variable' }));
});

it('does nothing again in a list once something else was changed', async () => {
  const { list, done } = listOnScreen();
  const leave = undoHistory.join(list);
  list.edit('cell');
  await undoHistory.undo();
  change('rename', []);
  await undoHistory.redo();
  expect(done).toEqual([]);
  leave();
});

it('keeps the order of changes, also where the later was answered first', async () => {
  const first = undoHistory.now();
  undoHistory.add('second', () => undefined);
  undoHistory.add('first', () => undefined, first);
  await undoHistory.undo();
  expect(shown.toasts).toEqual([t('common.undone', { done: 'second' })]);
});

it.each([
  ['nothing answered', new TypeError('Failed to fetch')],
  ['the engine ended', new EngineGoneError()],
  ['another program answered', new NotOurHostError()],
  ['the engine did not know this window any more', new ORPCError('UNAUTHORIZED')],
])('says what could not be taken back, and offers it again where %s', async (_case, error) => {
  toastWithUndo('rename', () => Promise.reject(error));
  toastWithUndo('trash', () => Promise.reject(new Error('It was changed since.')));
  await undoHistory.undo();
  expect(undoHistory.toUndo?.words).toBe('rename');
  await undoHistory.undo();
  expect(undoHistory.toUndo?.words).toBe('rename');
  expect(shown.toasts).toEqual(['trash', 'rename'].map((done) => t('common.notUndone', { done })));
});

it('takes a step back once, and keeps those of the last thousand', async () => {
  let times = 0;
  const step = undoHistory.add('once', () => (times += 1));
  await Promise.all([undoHistory.undo(step), undoHistory.undo(step)]);
  expect(times).toBe(1);
  let isUndone = false;
  const first = undoHistory.add('first', () => (isUndone = true));
  for (let more = 0; more < 1000; more += 1) undoHistory.add('more', () => undefined);
  await undoHistory.undo(first);
  expect(isUndone).toBe(false);
});

describe('a command', () => {
  const held = { text: messageFor('history.takesHeld', { takes: 2 }), undo: 'hold', result: { done: 2, refused: [] } };

  it('is taken back and done again by its tokens, as one change of many calls, in the words of the view', async () => {
    engine.hold.mockResolvedValueOnce(held).mockResolvedValueOnce({ ...held, undo: 'hold more' });
    engine.undo.mockImplementation(({ token }) => Promise.resolve({ text: '', undo: `not ${token}` }));
    const inputs = [['a'], ['b']].map((ids) => ({ ids, held: true }));
    await actEach('jobs.hold', inputs, { words: (all) => `${all.length} held` });
    expect(undoTitle()).toBe(t('common.undoStep', { done: '2 held' }));
    await undoHistory.undo();
    await undoHistory.redo();
    const tokens = engine.undo.mock.calls.map(([{ token }]) => token);
    expect(tokens).toEqual(['hold more', 'hold', 'not hold', 'not hold more']);
  });

  it('says for what it was not done, and offers to undo nothing where nothing was', async () => {
    const left = [messageFor('queue.shotProblem', { shot: '010', problem: 'It was sent since.' })];
    engine.hold.mockResolvedValueOnce({ text: '', undo: null, left, result: { done: 0, refused: [] } });
    await act('jobs.hold', { ids: ['a'], held: true }, { words: () => 'held' });
    expect(undoHistory.toUndo).toBeNull();
    expect(shown.toasts).toEqual([t('queue.shotProblem', { shot: '010', problem: 'It was sent since.' })]);
  });
});
