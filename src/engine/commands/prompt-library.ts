import { v7 as uuid } from 'uuid';
import { messageFor } from '../../contract/messages/message.ts';
import {
  MAX_PRESETS,
  type Preset,
  type PresetFields,
  MAX_VARIABLES,
  type PromptVariable,
} from '../../contract/prompt-library.ts';
import { refused, type RefusedError } from '../base/errors.ts';
import type { PresetStore, VariableStore } from '../db/prompt-library-store.ts';
import { step, type CommandContext, type CommandFunctions } from './command-function.ts';

export const promptLibrary: CommandFunctions<'promptLibrary'> = {
  setVariable(context, variable) {
    const { variables } = context;
    const { projectId, name } = variable;
    const before = variableNamed(variables, variable);
    if (!before && variables.count(projectId) >= MAX_VARIABLES) throw tooMany(MAX_VARIABLES);
    const after = arrangeCopies(context, variable);
    variables.set(variable);
    return {
      facts: { name },
      undo: before
        ? step('promptLibrary.setVariable', before)
        : step('promptLibrary.removeVariable', { projectId, name }),
      after,
    };
  },

  removeVariable(context, { projectId, name }) {
    const before = variableNamed(context.variables, { projectId, name });
    if (!before)
      throw refused('unknown_variable', messageFor('failure.noVariable', { name }), 'remedy.lookAtVariables');
    const after = arrangeCopies(context, before);
    context.variables.remove(projectId, name);
    return { facts: { name }, undo: step('promptLibrary.setVariable', before), after };
  },

  savePreset({ presets }, { id = uuid(), ...fields }) {
    const before = presetNamed(presets, fields);
    if (!before && presets.count(fields.projectId) >= MAX_PRESETS) throw tooMany(MAX_PRESETS);
    const preset = { ...fields, id: presets.save({ ...fields, id }) };
    return {
      facts: { name: fields.name },
      result: preset,
      done: preset,
      undo: before ? step('promptLibrary.savePreset', before) : step('promptLibrary.removePreset', { id: preset.id }),
    };
  },

  renamePreset({ presets }, { id, name }) {
    const before = presets.get(id)?.name;
    if (before === undefined) {
      throw refused('unknown_preset', messageFor('failure.noSuchItem', { what: 'preset' }), 'remedy.lookAndRepeat');
    }
    if (!presets.rename(id, name)) {
      throw refused('preset_name_taken', messageFor('failure.presetNameTaken', { name }), 'remedy.chooseOtherName');
    }
    return { facts: { before, name }, undo: step('promptLibrary.renamePreset', { id, name: before }) };
  },

  removePreset({ presets }, { id }) {
    const preset = presets.get(id);
    if (!preset) return null;
    presets.remove(id);
    return { facts: { name: preset.name }, undo: step('promptLibrary.savePreset', preset) };
  },
};

const variableNamed = (
  variables: VariableStore,
  { projectId, name }: Pick<PromptVariable, 'projectId' | 'name'>,
): PromptVariable | undefined =>
  variables.list(projectId).find((each) => each.projectId === projectId && each.name === name);

/** A text of all projects is copied into those that name it, and so travels with them. */
function arrangeCopies({ variables, changed }: CommandContext, { projectId, name }: PromptVariable): () => void {
  const copies = projectId === null ? variables.projectsWithCopy(name) : [];
  return () => copies.forEach((id) => changed('settings', id));
}

const presetNamed = (presets: PresetStore, { projectId, kind, name }: PresetFields): Preset | undefined =>
  presets.list(projectId).find((each) => each.projectId === projectId && each.kind === kind && each.name === name);

const tooMany = (most: number): RefusedError =>
  refused('too_many_named', messageFor('failure.tooManyNamed', { most }), 'remedy.removeOneFirst');
