import type { StartPlan } from '../../../../contract/batch.ts';
import { api, troubleOf, type Trouble } from '../../../lib/client.ts';
import type { DraftSession } from './draft-session.svelte.ts';
import { nothingNewInWords } from './plan-words.ts';

/** How long after the last change the estimate is made, ms. */
const PLAN_AFTER_MS = 250;

/** What starting a draft would do and cost, as far as it can be told: kept up while the list is being edited. */
export class BatchPlan {
  readonly #session: DraftSession;
  #name = $state('');
  #again = $state(false);
  #plan = $state.raw<StartPlan | null>(null);
  #trouble = $state.raw<Trouble | null>(null);
  #asked = 0;

  constructor(session: DraftSession) {
    this.#session = session;
    this.#name = session.view.name;
  }

  get name(): string {
    return this.#name;
  }

  set name(name: string) {
    this.#name = name;
  }

  /** Makes new takes of unchanged shots too. */
  get again(): boolean {
    return this.#again;
  }

  set again(again: boolean) {
    this.#again = again;
  }

  /** Null while it is not known; the one before stays until the next is there. */
  get plan(): StartPlan | null {
    return this.#plan;
  }

  get trouble(): Trouble | null {
    return this.#trouble;
  }

  /** Why it cannot be started now, in one sentence; null when it can. */
  get obstacle(): string | null {
    const { errors, isChecked, view } = this.#session;
    if (this.#session.trouble !== null) return this.#session.trouble.message;
    if (view.rows === 0) return 'The list has no rows.';
    if (errors > 0) return `${errors.toLocaleString('en')} ${errors === 1 ? 'error' : 'errors'} to correct first.`;
    if (!isChecked) return 'The list is being checked.';
    if (this.#name.trim() === '') return 'The batch needs a name.';
    if (this.#trouble !== null) return this.#trouble.message;
    if (this.#plan === null) return 'The estimate is being made.';
    return this.#plan.newTakes === 0 ? nothingNewInWords(this.#plan) : null;
  }

  /** Makes the estimate anew whenever what it depends on has changed. For `$effect`. */
  follow(): (() => void) | undefined {
    const { isChecked, errors, view } = this.#session;
    const [name, again] = [this.#name.trim(), this.#again];
    // A defect may have been put right by now: the refusal it caused is not to outlive it.
    if (!isChecked || errors > 0 || name === '' || view.rows === 0) return undefined;
    const timer = setTimeout(() => void this.#ask(name, again), PLAN_AFTER_MS);
    return () => clearTimeout(timer);
  }

  async #ask(name: string, again: boolean): Promise<void> {
    this.#asked += 1;
    const number = this.#asked;
    try {
      const plan = await api.drafts.plan({ draftId: this.#session.id, name, again });
      if (number !== this.#asked) return;
      this.#plan = plan;
      this.#trouble = null;
    } catch (error) {
      if (number === this.#asked) this.#trouble = troubleOf(error);
    }
  }
}
