import type { Kind } from '../../../contract/kinds/kind.ts';
import { isEmbedding } from '../cost.ts';
import { api } from '../client.ts';
import { Persisted } from './persisted.svelte.ts';
import { navigation } from './navigation.svelte.ts';

interface Model {
  readonly id: string;
  readonly kind: Kind | null;
  readonly ofAccount: boolean;
}

/** The models that can be offered: an account's own when the service answers, else those the reference names. */
class Models {
  all = $state.raw<readonly Model[]>([]);
  #newest = 0;
  readonly #projectId = $derived(navigation.place.projectId);
  readonly #kinds = $derived(new Map(this.all.map((model) => [model.id, model.kind])));

  kindOf(id: string): Kind | null {
    return this.#kinds.get(id) ?? null;
  }

  /** Ids that fit a kind, those of unknown kind last. None that makes no take. */
  idsFor(kind: Kind | null): readonly string[] {
    const makers = this.all.filter(({ id }) => !isEmbedding(id));
    if (kind === null) return makers.map(({ id }) => id);
    const fitting = makers.filter((model) => model.kind === kind);
    const unknown = makers.filter((model) => model.kind === null);
    return [...fitting, ...unknown].map(({ id }) => id);
  }

  /** Those of an account, else of the one that pays for the current project. In an effect, again for each project. */
  async read(of?: { readonly accountId: string | null }): Promise<void> {
    const turn = (this.#newest += 1);
    try {
      const all = await api.settings.models(of ?? (this.#projectId === null ? {} : { projectId: this.#projectId }));
      if (turn === this.#newest) this.all = all;
    } catch {
      // Models are an offer only: without them ids are typed.
    }
  }
}

export const models = new Models();

/** The text model that was asked last. */
export const toolModel = new Persisted('tool-model', '');
