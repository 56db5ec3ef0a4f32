import type { Failure } from '../../../../contract/failure.ts';
import { TEXTS_A_CALL } from '../../../../contract/tool.ts';
import { api } from '../../../lib/client.ts';
import { Persisted } from '../../../lib/state/persisted.svelte.ts';
import { Resource } from '../../../lib/state/resource.svelte.ts';
import { toastError } from '../../../lib/toasts.ts';
import { reviewPlace } from '../review-place.svelte.ts';

/** How often what can be searched is counted at most while takes are being made, ms. */
const COUNTED_EVERY_MS = 3000;

/** The model that searches each project by meaning; a project is not searched so before a person has named one. */
const models = new Persisted<Readonly<Record<string, string>>>('review.meaningModels', {});

interface Failed {
  readonly failure: Failure;
  /** Does the same again, with a second charge where one is possible. */
  readonly again: () => void;
}

export class MeaningSearch {
  readonly #projectId: string;
  #isWanted = $state(false);
  isAsking = $state(false);
  isIndexing = $state(false);
  failed = $state.raw<Failed | null>(null);
  #stopping = new AbortController();

  readonly status = new Resource({
    of: () => ({ projectId: this.#projectId, model: this.model }),
    read: async (scope) => (scope.model === '' ? null : api.tools.meaningStatus(scope)),
    changedBy: (changes, { projectId }) => changes.projects.includes(projectId),
    everyMs: COUNTED_EVERY_MS,
  });
  /** What one call costs, or as many as are needed to index the rest. */
  readonly price = new Resource({
    of: () => ({ model: this.model, calls: Math.max(1, this.callsLeft), projectId: this.#projectId }),
    read: api.tools.price,
    changedBy: (changes) => changes.settings,
  });

  constructor(projectId: string) {
    this.#projectId = projectId;
  }

  /** The search field asks for a meaning, and not for words. */
  get isOn(): boolean {
    return this.#isWanted || reviewPlace.narrowed('near') !== '';
  }

  /** Empty before one was chosen. */
  get model(): string {
    return models.current[this.#projectId] ?? '';
  }

  set model(model: string) {
    models.current = { ...models.current, [this.#projectId]: model };
    this.failed = null;
    if (reviewPlace.narrowed('near') !== '') reviewPlace.narrow({ near: '', nearBy: '' });
  }

  get callsLeft(): number {
    const { texts = 0, indexed = 0 } = this.status.current ?? {};
    return Math.ceil((texts - indexed) / TEXTS_A_CALL);
  }

  get canAsk(): boolean {
    return (this.status.current?.indexed ?? 0) > 0 && !this.isAsking && !this.isIndexing;
  }

  toggle(): void {
    this.#isWanted = !this.isOn;
    this.failed = null;
    reviewPlace.narrow({ text: '', near: '', nearBy: '' });
  }

  /** Shows the takes nearest to a question. A repeated question costs nothing. */
  async ask(text: string, isAgreed = false): Promise<void> {
    const question = text.trim();
    if (question === '' || !this.canAsk) return;
    this.isAsking = true;
    this.failed = null;
    const { model } = this;
    try {
      const scope = { projectId: this.#projectId, model };
      const found = await api.tools.nearest({ ...scope, text: question, limit: 1, isAgreed });
      if (found.type === 'found') reviewPlace.narrow({ near: question, nearBy: model });
      else this.#fail(found.failure, () => void this.ask(question, true));
    } catch (error) {
      toastError(error);
    } finally {
      this.isAsking = false;
    }
  }

  /** Indexes the remaining texts, call by call, until all are done or a person stops it. */
  async index(isAgreed = false): Promise<void> {
    if (this.isIndexing || this.model === '') return;
    this.isIndexing = true;
    this.failed = null;
    this.#stopping = new AbortController();
    const { signal } = this.#stopping;
    const scope = { projectId: this.#projectId, model: this.model };
    try {
      for (let agreed = isAgreed; !signal.aborted; agreed = false) {
        const step = await api.tools.index({ ...scope, isAgreed: agreed }, { signal });
        if (step.type === 'failed') {
          this.#fail(step.failure, () => void this.index(true));
          break;
        }
        this.status.current = step;
        if (step.indexed >= step.texts) break;
      }
    } catch (error) {
      if (!signal.aborted) toastError(error);
    } finally {
      this.isIndexing = false;
      if (signal.aborted) void this.status.refresh();
    }
  }

  /** Sends nothing more. Calls on their way are charged, and their answers kept. */
  stop(): void {
    this.#stopping.abort();
  }

  #fail(failure: Failure, again: () => void): void {
    this.failed = { failure, again };
  }
}
