import type { StartPlan, TakeOrder } from '../../../../contract/batch.ts';
import { say, sayText } from '../../../../contract/messages/words.ts';
import { api, troubleOf, type Trouble } from '../../../lib/client.ts';
import { Persisted } from '../../../lib/state/persisted.svelte.ts';
import type { DraftSession } from './draft-session.svelte.ts';
import { nothingNewInWords } from './plan-words.ts';

/** How long after the last change the estimate is made, ms. */
const PLAN_AFTER_MS = 250;

/** The choices for a start: each other choice makes another plan. */
interface Wanted {
  readonly name: string;
  readonly again: boolean;
  readonly keepOthers: boolean;
}

/** What starting a draft would do and cost, as far as it can be told: kept up while the list is being edited. */
export class BatchPlan {
  readonly #session: DraftSession;
  /** What was typed or chosen here. */
  #typed = $state<string | null>(null);
  /** The batch that has most of the list: it goes there unless another name is given. */
  #holder = $state<string | null>(null);
  /** Names of the batches of the project, in its order. */
  batchNames = $state.raw<readonly string[]>([]);
  /** Makes new takes of unchanged shots too. */
  again = $state(false);
  /** The batch keeps its rows that the list has not. */
  keepOthers = $state(false);
  /** In which order its takes are sent, as a person chose it last. */
  readonly order = new Persisted<TakeOrder>(
    'start.order',
    'scout',
    (stored) => stored === 'list' || stored === 'scout',
  );
  /** Null while it is not known; the one before stays until the next is there. */
  plan = $state.raw<StartPlan | null>(null);
  /** What the plan is about. */
  #planned = $state.raw<Wanted | null>(null);
  trouble = $state.raw<Trouble | null>(null);
  #asked = 0;
  #changes = $state(0);
  #keptName = '';

  constructor(session: DraftSession) {
    this.#session = session;
    void this.readBatches();
  }

  get name(): string {
    const { isNamed, name } = this.#session.view;
    return this.#typed ?? (isNamed ? name : (this.#holder ?? name));
  }

  set name(name: string) {
    this.#typed = name;
  }

  async readBatches(): Promise<void> {
    const { projectId } = this.#session.view;
    const batches = await api.batches.list({ projectId }).catch(() => null);
    if (batches) this.batchNames = batches.map(({ name }) => name);
  }

  /** Why it cannot be started now, in one sentence; null when it can. */
  get obstacle(): string | null {
    const { defects, obstacle, sync, view } = this.#session;
    const { errors, isChecked } = defects;
    if (obstacle !== null) return obstacle;
    if (sync.link.isAway) return say('common.notResponding');
    if (view.rows === 0) return say('list.noRows');
    if (errors > 0) return say('start.correctErrors', { count: errors });
    if (!isChecked) return say('list.beingChecked');
    if (this.name.trim() === '') return say('start.nameNeeded');
    if (this.trouble !== null) return sayText(this.trouble.message);
    if (this.plan === null || !this.isPlanned) return say('start.estimating');
    return this.plan.newTakes === 0 ? nothingNewInWords(this.plan) : null;
  }

  /** Whether the plan that is shown is that of what is wanted now. */
  get isPlanned(): boolean {
    const { name, again, keepOthers } = this.#wanted;
    const planned = this.#planned;
    return planned?.name === name && planned.again === again && planned.keepOthers === keepOthers;
  }

  get #wanted(): Wanted {
    return { name: this.name.trim(), again: this.again, keepOthers: this.keepOthers };
  }

  /** Takes or batches of the project changed, so the list may make others now. */
  projectChanged(): void {
    this.#changes += 1;
  }

  /** Makes the estimate again whenever what it depends on has changed. For `$effect`. */
  follow(): (() => void) | undefined {
    void this.#changes;
    const { defects, view } = this.#session;
    const { isChecked, errors } = defects;
    const wanted = this.#wanted;
    // A defect may be corrected by now: the refusal it caused must not outlive it.
    if (!isChecked || errors > 0 || wanted.name === '' || view.rows === 0) return undefined;
    const timer = setTimeout(() => void this.#ask(wanted), PLAN_AFTER_MS);
    return () => clearTimeout(timer);
  }

  /** Saves the name that a person chose with the list, a moment after the last letter. For `$effect`. */
  keepName(): (() => void) | undefined {
    if (this.#unkeptName === null) return undefined;
    const timer = setTimeout(() => this.#keep(), PLAN_AFTER_MS);
    return () => clearTimeout(timer);
  }

  /** The person leaves: saves what is not saved yet. */
  close(): void {
    if (this.#unkeptName !== null) this.#keep();
  }

  get #unkeptName(): string | null {
    const name = this.#typed?.trim() ?? '';
    return name === '' || name === this.#keptName ? null : name;
  }

  #keep(): void {
    const name = this.#unkeptName;
    if (name === null) return;
    this.#keptName = name;
    const { sync } = this.#session;
    api.drafts
      .name({ draftId: this.#session.id, name })
      .then((view) => {
        if (view.revision !== sync.view.revision || this.#typed !== name) return;
        // From here on the list has the name: one that its batch is given later is shown too.
        sync.counted(view);
        this.#typed = null;
      })
      .catch(() => (this.#keptName = ''));
  }

  /** A list that nobody has named goes to where most of it was made already. */
  #goesWhereItIs({ paidAgain }: StartPlan): boolean {
    const { isNamed, name } = this.#session.view;
    if (isNamed || this.#typed !== null || this.#holder !== null) return false;
    if (paidAgain?.reason !== 'other_batch' || paidAgain.elsewhere.name !== name) return false;
    this.#holder = paidAgain.there.name;
    return true;
  }

  async #ask(wanted: Wanted): Promise<void> {
    this.#asked += 1;
    const number = this.#asked;
    try {
      const plan = await api.drafts.plan({ draftId: this.#session.id, ...wanted });
      if (number !== this.#asked) return;
      this.trouble = null;
      if (this.#goesWhereItIs(plan)) return;
      this.plan = plan;
      this.#planned = wanted;
    } catch (error) {
      if (number === this.#asked) this.trouble = troubleOf(error);
    }
  }
}
