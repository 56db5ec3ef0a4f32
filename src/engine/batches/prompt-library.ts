import { createHash } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import type { Actor } from '../../contract/history.ts';
import { messageFor } from '../../contract/messages/message.ts';
import { MOST_PRESETS, type Preset, type PresetFields } from '../../contract/presets.ts';
import { MOST_VARIABLES, variablesOf, type PromptVariable, type Variables } from '../../contract/prompt-variables.ts';
import { RefusedError } from '../base/errors.ts';
import type { NoteOf } from '../db/history-store.ts';
import type { PresetStore } from '../db/preset-store.ts';
import type { VariableStore } from '../db/variable-store.ts';

interface PromptLibraryParts {
  readonly variables: VariableStore;
  readonly presets: PresetStore;
  readonly note: NoteOf;
  /** Does several writes as one. */
  readonly inOneCommit: (work: () => void) => void;
  readonly changed: () => void;
  /** What travels with these projects is another text now. */
  readonly arranged: (projectIds: readonly string[]) => void;
}

/** What lists share: the texts that their prompts name, and settings that rows take over. */
export class PromptLibrary {
  readonly #parts: PromptLibraryParts;

  constructor(parts: PromptLibraryParts) {
    this.#parts = parts;
  }

  /** Those of every project, and of one where it is given. */
  variables(projectId: string | null): PromptVariable[] {
    return this.#parts.variables.list(projectId);
  }

  /** The texts that count in a project. */
  textsOf(projectId: string | null): Variables {
    return variablesOf(this.variables(projectId));
  }

  /** Throws RefusedError when there are too many. */
  setVariable(variable: PromptVariable, by: Actor): void {
    const { variables } = this.#parts;
    const { projectId, name } = variable;
    const isNew = !variables.list(projectId).some((each) => each.projectId === projectId && each.name === name);
    if (isNew && variables.count(projectId) >= MOST_VARIABLES) throw tooMany(MOST_VARIABLES);
    const copies = projectId === null ? variables.projectsWithCopy(name) : [];
    this.#write(() => {
      variables.set(variable);
      this.#parts.note('variable.set', { name }, { projectId, by });
    });
    this.#parts.arranged(copies);
  }

  /** Throws RefusedError when there is none. */
  removeVariable({ projectId, name }: Pick<PromptVariable, 'projectId' | 'name'>, by: Actor): void {
    const copies = projectId === null ? this.#parts.variables.projectsWithCopy(name) : [];
    this.#write(() => {
      if (!this.#parts.variables.remove(projectId, name)) {
        throw new RefusedError(
          'unknown_variable',
          messageFor('failure.noVariable', { name }),
          messageFor('remedy.lookAtVariables'),
        );
      }
      this.#parts.note('variable.removed', { name }, { projectId, by });
    });
    this.#parts.arranged(copies);
  }

  presets(projectId: string | null): Preset[] {
    return this.#parts.presets.list(projectId);
  }

  /** One of the same project, kind and name gets these settings instead. Throws RefusedError when there are too many. */
  savePreset(fields: PresetFields, by: Actor): Preset {
    const { presets, note } = this.#parts;
    const { projectId, kind, name } = fields;
    const known = presets
      .list(projectId)
      .some((each) => each.projectId === projectId && each.kind === kind && each.name === name);
    if (!known && presets.count(projectId) >= MOST_PRESETS) throw tooMany(MOST_PRESETS);
    const preset = { ...fields, id: uuid() };
    let id = '';
    this.#write(() => {
      id = presets.save(preset);
      note('preset.saved', { name }, { projectId, by });
    });
    return { ...preset, id };
  }

  /** Throws RefusedError when it was removed, or when another one has the name. */
  renamePreset(id: string, name: string, by: Actor): void {
    const { presets, note } = this.#parts;
    const known = presets.get(id);
    if (known === null) {
      throw new RefusedError('unknown_preset', messageFor('failure.noPreset'), messageFor('remedy.lookAndRepeat'));
    }
    this.#write(() => {
      if (!presets.rename(id, name)) {
        throw new RefusedError(
          'preset_name_taken',
          messageFor('failure.presetNameTaken', { name }),
          messageFor('remedy.otherPresetName'),
        );
      }
      note('preset.renamed', { before: known.name, name }, { projectId: known.projectId, by });
    });
  }

  removePreset(id: string, by: Actor): void {
    const { presets, note } = this.#parts;
    const known = presets.get(id);
    if (known === null) return;
    this.#write(() => {
      presets.remove(id);
      note('preset.removed', { name: known.name }, { projectId: known.projectId, by });
    });
  }

  #write(work: () => void): void {
    this.#parts.inOneCommit(work);
    this.#parts.changed();
  }
}

/** Says which texts a list was checked with: another stamp, other texts. */
export const stampOf = (variables: Variables): string =>
  createHash('sha256')
    .update(JSON.stringify([...variables].sort(([one], [other]) => (one < other ? -1 : 1))))
    .digest('base64url');

const tooMany = (most: number): RefusedError =>
  new RefusedError('too_many_named', messageFor('failure.tooManyNamed', { most }), messageFor('remedy.removeOneFirst'));
