import type { BatchView, StartPlan, TakeOrder } from '../../../../contract/batch.ts';
import { t, sayText } from '../../../../contract/messages/words.ts';
import { api } from '../../../lib/client.ts';
import { Persisted } from '../../../lib/state/persisted.svelte.ts';
import { Resource } from '../../../lib/state/resource.svelte.ts';
import type { OpenDraft } from './open-draft.svelte.ts';
import { nothingNewInWords } from './plan-words.ts';

/** How long after the last change the estimate is made, ms. */
const PLAN_AFTER_MS = 250;

/** How often it is made again at most while takes of the project change, ms. */
const PLAN_EVERY_MS = 2000;

interface Wanted {
  readonly name: string;
  readonly again: boolean;
  readonly keepOthers: boolean;
}

interface Planned {
  readonly plan: StartPlan;
  readonly wanted: Wanted;
}

export class BatchPlan {
  readonly #draft: OpenDraft;
  #typed = $state<string | null>(null);
  /** The batch that has most of the list: it goes there unless another name is given. */
  #holder = $state<string | null>(null);
  #batches = $state.raw<readonly Pick<BatchView, 'id' | 'name'>[]>([]);
  again = $state(false);
  keepOthers = $state(false);
  readonly order = new Persisted<TakeOrder>(
    'start.order',
    'scout',
    (stored) => stored === 'list' || stored === 'scout',
  );
  /** The previous plan stays until the next is there. */
  readonly planned = new Resource({
    of: () => this.#question,
    read: (question) => this.#read(question),
    // A night in which something changes all the time must not put it off.
    changedBy: (changes) => changes.projects.includes(this.#draft.view.projectId),
    everyMs: PLAN_EVERY_MS,
    restMs: PLAN_AFTER_MS,
    staysShown: true,
  });
  #keeping: ReturnType<typeof setTimeout> | undefined;

  constructor(draft: OpenDraft) {
    this.#draft = draft;
    void this.readBatches();
  }

  get plan(): StartPlan | null {
    return this.planned.current?.plan ?? null;
  }

  get name(): string {
    const { isNamed, name } = this.#draft.view;
    return this.#typed ?? (isNamed ? name : (this.#holder ?? name));
  }

  set name(name: string) {
    this.#typed = name;
    clearTimeout(this.#keeping);
    this.#keeping = setTimeout(() => void this.keepName(), PLAN_AFTER_MS);
  }

  async readBatches(): Promise<void> {
    const { projectId } = this.#draft.view;
    const batches = await api.batches.list({ projectId }).catch(() => null);
    if (batches) this.#batches = batches;
  }

  get batchNames(): readonly string[] {
    return this.#batches.map(({ name }) => name);
  }

  /** Undefined for a new batch. */
  get batchId(): string | undefined {
    return this.#batches.find(({ name }) => name === this.name.trim())?.id;
  }

  /** Why it cannot be started now, in one sentence; null when it can. */
  get obstacle(): string | null {
    const { defects, obstacle, link, view } = this.#draft;
    const { errors, isChecked } = defects;
    if (obstacle !== null) return obstacle;
    if (link.isAway) return t('window.noAnswer');
    if (view.rows === 0) return t('list.noRows');
    if (errors > 0) return t('start.correctErrors', { count: errors });
    if (!isChecked) return t('list.beingChecked');
    if (this.name.trim() === '') return t('start.nameNeeded');
    if (this.planned.trouble !== null) return sayText(this.planned.trouble.message);
    if (this.plan === null || !this.isPlanned) return t('start.estimating');
    return this.plan.newTakes === 0 ? nothingNewInWords(this.plan) : null;
  }

  get isPlanned(): boolean {
    return JSON.stringify(this.planned.current?.wanted) === JSON.stringify(this.#wanted);
  }

  get #wanted(): Wanted {
    return { name: this.name.trim(), again: this.again, keepOthers: this.keepOthers };
  }

  /** The facts that the plan depends on; null while the list cannot be planned. */
  get #question() {
    const { defects, view } = this.#draft;
    const { isChecked, errors } = defects;
    const wanted = this.#wanted;
    if (!isChecked || errors > 0 || wanted.name === '' || view.rows === 0) return null;
    return { wanted, revision: view.revision };
  }

  /** Saves the name that a person chose with the list, as far as that was not done. */
  async keepName(): Promise<void> {
    clearTimeout(this.#keeping);
    const name = this.#typed?.trim() ?? '';
    if (name === '') return;
    const draft = this.#draft;
    const view = await api.drafts.name({ draftId: draft.id, name }).catch(() => null);
    if (view?.revision !== draft.view.revision || this.#typed !== name) return;
    // From here on the list has the name: one that its batch is given later is shown too.
    draft.view = view;
    this.#typed = null;
  }

  /** A list that nobody has named goes to where most of it was made already. */
  #goesWhereItIs({ paidAgain }: StartPlan): boolean {
    const { isNamed, name } = this.#draft.view;
    if (isNamed || this.#typed !== null || this.#holder !== null) return false;
    if (paidAgain?.reason !== 'other_batch' || paidAgain.elsewhere.name !== name) return false;
    this.#holder = paidAgain.there.name;
    return true;
  }

  async #read(question: { readonly wanted: Wanted } | null): Promise<Planned | undefined> {
    const before = this.planned.current;
    if (question === null) return before;
    const { wanted } = question;
    const plan = await api.drafts.plan({ draftId: this.#draft.id, ...wanted });
    return this.#goesWhereItIs(plan) ? before : { plan, wanted };
  }
}
