import type { JobView } from '../../../contract/job.ts';
import type { api } from '../client.ts';
import { toast, toastError } from '../toasts.ts';
import { ALREADY_SAID, toastWithUndo } from '../undo.svelte.ts';
import { say, sayText } from '../../../contract/messages/words.ts';

export type Answers = Awaited<ReturnType<typeof api.jobs.retry>>;

/** Jobs named in one call at most. */
const MOST_AT_ONCE = 5000;

export const noAnswers: Answers = { done: 0, refused: [] };

/** Asks for many jobs, in as many calls as needed. */
export async function askInParts(jobs: readonly JobView[], ask: (ids: string[]) => Promise<Answers>): Promise<Answers> {
  let all = noAnswers;
  for (let start = 0; start < jobs.length; start += MOST_AT_ONCE) {
    all = together(all, await ask(jobs.slice(start, start + MOST_AT_ONCE).map(({ id }) => id)));
  }
  return all;
}

/** Asks for one job after the other, telling how far it has come. Ends at the first call that fails. */
export async function askInSequence(
  jobs: readonly JobView[],
  ask: (job: JobView) => Promise<Answers>,
  ondone: (done: number) => void,
): Promise<Answers> {
  let all = noAnswers;
  for (const [index, job] of jobs.entries()) {
    all = together(all, await ask(job));
    ondone(index + 1);
  }
  return all;
}

export function together(a: Answers, b: Answers): Answers {
  return { done: a.done + b.done, refused: [...a.refused, ...b.refused] };
}

/** Ids of the jobs for which it was done. */
export function doneIds(jobs: readonly JobView[], { refused }: Answers): string[] {
  const left = new Set(refused.map(({ job }) => job.id));
  return jobs.map(({ id }) => id).filter((id) => !left.has(id));
}

/** Some may be refused: a take that was sent since, for example. */
async function sayUndone(done: string, undo: () => Promise<Answers>): Promise<typeof ALREADY_SAID> {
  toastAnswers(await undo(), () => say('common.undone', { done }));
  return ALREADY_SAID;
}

/** Says what was done, with Undo where possible, and why the rest was refused. */
export function toastAnswers(
  { done, refused }: Answers,
  did: (count: number) => string,
  undo?: () => Promise<Answers>,
): void {
  if (done > 0) {
    const words = did(done);
    if (undo) toastWithUndo(words, () => sayUndone(words, undo));
    else toast(words);
  }
  for (const [problem, those] of Map.groupBy(refused, (each) => sayText(each.problem))) {
    const [first] = those;
    const words =
      those.length === 1 && first
        ? say('queue.shotProblem', { shot: first.job.shot, problem })
        : say('queue.takesProblem', { count: those.length, problem });
    toastError(new Error(words));
  }
}
