import { say } from '../../../contract/messages/words.ts';
import type { JobView } from '../../../contract/job.ts';
import { api } from '../client.ts';
import { toastError } from '../toasts.ts';
import { askInParts, doneIds, toastAnswers, noAnswers, together, type Answers } from './ask-jobs.ts';
import { actionsOf, type Actions } from './actions.ts';

/** Ends of the range of priorities, which a person reaches with one key: lists have theirs in between. */
const FIRST = 1_000_001;
const LAST = -1_000_001;

/** A question to the person before anything is done: money is at stake. */
export type Question =
  | { readonly about: 'retry' | 'cancel'; readonly allowed: Actions }
  | { readonly about: 'decide'; readonly jobs: readonly JobView[] };

/** What people do with the chosen jobs; asks first where it costs. */
export class JobActions {
  readonly #chosen: () => readonly JobView[];
  question = $state.raw<Question | null>(null);

  /** Actions that the chosen jobs allow. */
  readonly allowed = $derived.by(() => actionsOf(this.#chosen()));

  constructor(chosen: () => readonly JobView[]) {
    this.#chosen = chosen;
  }

  answered(): void {
    this.question = null;
  }

  retry(allowed = this.allowed): void {
    if (allowed.retry.length === 0) return;
    if (allowed.retryCosts.length > 0) this.question = { about: 'retry', allowed };
    else void this.retryNow(allowed.retry);
  }

  async retryNow(jobs: readonly JobView[]): Promise<void> {
    await this.#ask(
      jobs,
      (ids) => api.jobs.retry({ ids }),
      (count) => say('queue.triedAgain', { count }),
    );
  }

  cancel(allowed = this.allowed): void {
    if (allowed.cancel.length === 0) return;
    if (allowed.goesOn.length > 0) this.question = { about: 'cancel', allowed };
    else void this.cancelNow(allowed.cancel);
  }

  async cancelNow(jobs: readonly JobView[]): Promise<void> {
    await this.#ask(
      jobs,
      (ids) => api.jobs.cancel({ ids }),
      (count) => say('queue.cancelled', { count }),
      (ids) => api.jobs.retry({ ids }),
    );
  }

  /** Holds the jobs that can be held; resumes them when all are on hold already. */
  async hold(): Promise<void> {
    const { hold, release } = this.allowed;
    if (hold.length > 0) await this.#setHeld(hold, true);
    else if (release.length > 0) await this.#setHeld(release, false);
  }

  async sendFirst(): Promise<void> {
    await this.#move(FIRST, (count) => say('queue.movedFirst', { count }));
  }

  async sendLast(): Promise<void> {
    await this.#move(LAST, (count) => say('queue.movedLast', { count }));
  }

  async sendInOrder(): Promise<void> {
    await this.#move(null, (count) => say('queue.movedInOrder', { count }));
  }

  decide(jobs = this.allowed.decide): void {
    if (jobs.length > 0) this.question = { about: 'decide', jobs };
  }

  async #setHeld(jobs: readonly JobView[], held: boolean): Promise<void> {
    await this.#ask(
      jobs,
      (ids) => api.jobs.hold({ ids, held }),
      (count) => (held ? say('queue.held', { count }) : say('queue.released', { count })),
      (ids) => askInParts(withIds(jobs, ids), (some) => api.jobs.hold({ ids: some, held: !held })),
    );
  }

  async #move(priority: number | null, did: (count: number) => string): Promise<void> {
    const jobs = this.allowed.move;
    await this.#ask(
      jobs,
      (ids) => api.jobs.prioritise({ ids, priority }),
      did,
      (ids) => moveBack(withIds(jobs, ids)),
    );
  }

  async #ask(
    jobs: readonly JobView[],
    ask: (ids: string[]) => ReturnType<typeof api.jobs.retry>,
    did: (count: number) => string,
    undo?: (ids: string[]) => Promise<Answers>,
  ): Promise<void> {
    if (jobs.length === 0) return;
    try {
      const answers = await askInParts(jobs, ask);
      const done = doneIds(jobs, answers);
      toastAnswers(answers, did, undo && (() => undo(done)));
    } catch (error) {
      toastError(error);
    }
  }
}

function withIds(jobs: readonly JobView[], ids: readonly string[]): JobView[] {
  const wanted = new Set(ids);
  return jobs.filter(({ id }) => wanted.has(id));
}

/** Gives each its own place in line again. */
async function moveBack(jobs: readonly JobView[]): Promise<Answers> {
  let all = noAnswers;
  for (const [priority, those] of Map.groupBy(jobs, (job) => job.priority)) {
    all = together(all, await askInParts(those, (ids) => api.jobs.prioritise({ ids, priority })));
  }
  return all;
}
