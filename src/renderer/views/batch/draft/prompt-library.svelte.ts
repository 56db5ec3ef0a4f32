import type { Preset } from '../../../../contract/presets.ts';
import { variablesOf, type PromptVariable, type Variables } from '../../../../contract/prompt-variables.ts';
import { say } from '../../../../contract/messages/words.ts';
import { api } from '../../../lib/client.ts';
import { resource, type Resource } from '../../../lib/state/resource.svelte.ts';
import { requireUnchanged, toastWithUndo } from '../../../lib/undo.svelte.ts';

interface Kept {
  readonly variables: readonly PromptVariable[];
  readonly presets: readonly Preset[];
}

/** The variables and presets of a project and of every project, for as long as the component that makes it. */
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

  async setVariable(variable: PromptVariable): Promise<void> {
    const { projectId, name } = variable;
    const before = this.variables.find((each) => each.name === name && each.projectId === projectId);
    await this.#change(() => api.promptLibrary.setVariable(variable));
    toastWithUndo(say('list.variableSaved', { name }), () =>
      this.#change(async () => {
        const all = await api.promptLibrary.variables({ projectId: this.projectId });
        const now = all.find((each) => each.name === name && each.projectId === projectId);
        requireUnchanged(now?.text, variable.text);
        if (before === undefined) await api.promptLibrary.removeVariable({ projectId, name });
        else await api.promptLibrary.setVariable(before);
      }),
    );
  }

  async removeVariable(variable: PromptVariable): Promise<void> {
    const { projectId, name } = variable;
    await this.#change(() => api.promptLibrary.removeVariable({ projectId, name }));
    toastWithUndo(say('list.variableRemoved', { name }), () =>
      this.#change(() => api.promptLibrary.setVariable(variable)),
    );
  }

  async savePreset(fields: Omit<Preset, 'id'>): Promise<void> {
    const { projectId, kind, name } = fields;
    const before = this.presets.find(
      (each) => each.name === name && each.kind === kind && each.projectId === projectId,
    );
    const saved = await api.promptLibrary.savePreset(fields);
    await this.#kept.refresh();
    toastWithUndo(say('list.presetSaved', { name }), () =>
      this.#change(async () => {
        await this.#requireAsLeft(saved);
        if (before === undefined) await api.promptLibrary.removePreset({ id: saved.id });
        else await api.promptLibrary.savePreset(fieldsOf(before));
      }),
    );
  }

  async renamePreset(preset: Preset, name: string): Promise<void> {
    const { id, name: before } = preset;
    await this.#change(() => api.promptLibrary.renamePreset({ id, name }));
    toastWithUndo(say('list.presetRenamed', { name }), () =>
      this.#change(async () => {
        await this.#requireAsLeft({ ...preset, name });
        await api.promptLibrary.renamePreset({ id, name: before });
      }),
    );
  }

  async removePreset(preset: Preset): Promise<void> {
    await this.#change(() => api.promptLibrary.removePreset({ id: preset.id }));
    toastWithUndo(say('list.presetRemoved', { name: preset.name }), () =>
      this.#change(() => api.promptLibrary.savePreset(fieldsOf(preset))),
    );
  }

  async #requireAsLeft(left: Preset): Promise<void> {
    const all = await api.promptLibrary.presets({ projectId: this.projectId });
    const now = all.find(({ id }) => id === left.id);
    requireUnchanged(now && fieldsOf(now), fieldsOf(left));
  }

  async #change(work: () => Promise<unknown>): Promise<void> {
    await work();
    await this.#kept.refresh();
  }
}

const fieldsOf = ({ id: _id, ...fields }: Preset): Omit<Preset, 'id'> => fields;
