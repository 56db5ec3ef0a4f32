import { beforeEach, expect, it, vi } from 'vitest';
import type { JobView } from '../../src/contract/job.ts';
import { say } from '../../src/contract/messages/words.ts';
import { toastAnswers } from '../../src/renderer/lib/jobs/ask-jobs.ts';
import { toastWithUndo, undoHistory } from '../../src/renderer/lib/undo.svelte.ts';

const shown = vi.hoisted(() => ({ toasts: [] as string[] }));
vi.mock('../../src/renderer/lib/client.ts', () => ({ isUnanswered: (error: unknown) => error instanceof TypeError }));
vi.mock('../../src/renderer/lib/toasts.ts', () => ({
  WITH_ACTION_MS: 1,
  toast: (message: string) => shown.toasts.push(message),
  toastError: (error: Error, what?: string) => shown.toasts.push(what ?? error.message),
}));
vi.mock('svelte-sonner', () => ({ toast: Object.assign(() => 1, { dismiss: () => undefined }) }));

beforeEach(() => {
  shown.toasts = [];
  while (undoHistory.last) undoHistory.drop(undoHistory.last);
});

it('takes back what was done, the last first, however long ago', async () => {
  const undone: string[] = [];
  for (const each of ['rename', 'trash', 'hide']) toastWithUndo(each, () => void undone.push(each));
  await undoHistory.undo();
  await undoHistory.undo();
  expect(undone).toEqual(['hide', 'trash']);
  expect(shown.toasts).toEqual(['hide', 'trash'].map((done) => say('common.undone', { done })));
  expect(undoHistory.last?.words).toBe('rename');
});

it('says what could not be taken back, and offers it again where nothing answered', async () => {
  toastWithUndo('rename', () => Promise.reject(new TypeError('no answer')));
  toastWithUndo('trash', () => Promise.reject(new Error('It was changed since.')));
  await undoHistory.undo();
  expect(undoHistory.last?.words).toBe('rename');
  await undoHistory.undo();
  expect(undoHistory.last?.words).toBe('rename');
  expect(shown.toasts).toEqual(['trash', 'rename'].map((done) => say('common.notUndone', { done })));
});

it('takes a step back once, and keeps those of the last thousand', async () => {
  let times = 0;
  const step = undoHistory.add('once', () => (times += 1));
  await Promise.all([undoHistory.undo(step), undoHistory.undo(step)]);
  expect(times).toBe(1);
  const first = undoHistory.add('first', () => undefined);
  for (let more = 0; more < 1000; more += 1) undoHistory.add('more', () => undefined);
  expect(undoHistory.has(first)).toBe(false);
});

it('says of takes that went on since that they were not taken back', async () => {
  const refused = [{ job: { id: 'a', shot: '010' } as JobView, problem: 'It was sent since.' }];
  toastAnswers(
    { done: 1, refused: [] },
    () => 'Held.',
    () => Promise.resolve({ done: 0, refused }),
  );
  await undoHistory.undo();
  expect(shown.toasts).toEqual([say('queue.shotProblem', { shot: '010', problem: 'It was sent since.' })]);
});
