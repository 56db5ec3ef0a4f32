import type { Preset } from '../../../../contract/presets.ts';
import { variablesOf, type PromptVariable, type Variables } from '../../../../contract/prompt-variables.ts';
import { api } from '../../../lib/client.ts';
import { resource, type Resource } from '../../../lib/state/resource.svelte.ts';

interface Kept {
  readonly variables: readonly PromptVariable[];
  readonly presets: readonly Preset[];
}

export class PromptLibrary {
  readonly projectId: string;
  readonly #kept: Resource<string, Kept>;
  readonly texts: Variables = $derived.by(() => variablesOf(this.variables));

  constructor(projectId: string) {
    this.projectId = projectId;
    this.#kept = resource({
      of: () => projectId,
      read: async () => ({
        variables: await api.promptLibrary.variables({ projectId }),
        presets: await api.promptLibrary.presets({ projectId }),
      }),
      changedBy: ({ settings }) => settings,
      staysShown: true,
    });
  }

  get variables(): readonly PromptVariable[] {
    return this.#kept.current?.variables ?? [];
  }

  get presets(): readonly Preset[] {
    return this.#kept.current?.presets ?? [];
  }
}
