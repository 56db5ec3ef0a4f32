import { t } from '../../../contract/messages/words.ts';
import type { JobView } from '../../../contract/job.ts';
import type { CommandInput } from '../../../contract/commands/index.ts';
import type { JobAnswers } from '../../../contract/commands/jobs.ts';
import { actEach } from '../act.ts';
import { toastError } from '../toasts.ts';
import { toActions, type Actions } from './actions.ts';

const MAX_AT_ONCE = 5000;
/** Ends of the range of priorities, which a person reaches with one key: lists have theirs in between. */
const places = {
  first: { priority: 1_000_001, did: 'queue.movedFirst' },
  last: { priority: -1_000_001, did: 'queue.movedLast' },
  list: { priority: null, did: 'queue.movedInOrder' },
} as const;

/** A question to the person before anything is done: money is at stake. */
export type Question =
  | { readonly about: 'retry' | 'cancel'; readonly allowed: Actions }
  | { readonly about: 'decide'; readonly jobs: readonly JobView[] };

export class JobActions {
  readonly #chosen: () => readonly JobView[];
  question = $state.raw<Question | null>(null);

  readonly allowed = $derived.by(() => toActions(this.#chosen()));

  constructor(chosen: () => readonly JobView[]) {
    this.#chosen = chosen;
  }

  retry(allowed = this.allowed): void {
    if (allowed.retry.length === 0) return;
    if (allowed.retryCosts.length > 0) this.question = { about: 'retry', allowed };
    else void this.retryNow(allowed.retry);
  }

  async retryNow(jobs: readonly JobView[]): Promise<void> {
    await this.#act('jobs.retry', jobs, {}, (takes) => t('history.takesRetried', { takes }));
  }

  cancel(allowed = this.allowed): void {
    if (allowed.cancel.length === 0) return;
    if (allowed.stillAtService.length > 0) this.question = { about: 'cancel', allowed };
    else void this.cancelNow(allowed.cancel);
  }

  async cancelNow(jobs: readonly JobView[]): Promise<void> {
    await this.#act('jobs.cancel', jobs, {}, (takes) => t('history.takesCancelled', { takes }));
  }

  async hold(): Promise<void> {
    const { hold, release } = this.allowed;
    const held = hold.length > 0;
    await this.#act('jobs.hold', held ? hold : release, { held }, (takes) =>
      t(held ? 'history.takesHeld' : 'history.takesReleased', { takes }),
    );
  }

  async endWaits(allowed = this.allowed): Promise<void> {
    await this.#act('jobs.release', allowed.wait, { released: true }, (takes) =>
      t('history.takesWaitEnded', { takes }),
    );
  }

  decide(jobs = this.allowed.decide): void {
    if (jobs.length > 0) this.question = { about: 'decide', jobs };
  }

  async move(to: keyof typeof places): Promise<void> {
    const { priority, did } = places[to];
    await this.#act('jobs.prioritise', this.allowed.move, { priority }, (count) => t(did, { count }));
  }

  async #act<Name extends 'jobs.retry' | 'jobs.cancel' | 'jobs.hold' | 'jobs.release' | 'jobs.prioritise'>(
    name: Name,
    jobs: readonly JobView[],
    how: Omit<CommandInput<Name>, 'ids'>,
    did: (count: number) => string,
  ): Promise<void> {
    const inputs = Array.from({ length: Math.ceil(jobs.length / MAX_AT_ONCE) }, (_none, part) => {
      const ids = jobs.slice(part * MAX_AT_ONCE, (part + 1) * MAX_AT_ONCE).map(({ id }) => id);
      return { ...how, ids } as CommandInput<Name>;
    });
    await actEach(name, inputs, { words: (all) => did(takesDone(all as readonly Answered[])) }).catch(toastError);
  }
}

interface Answered {
  readonly result: JobAnswers;
}

export const takesDone = (all: readonly Answered[]): number => all.reduce((sum, { result }) => sum + result.done, 0);
