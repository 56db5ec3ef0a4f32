import * as z from 'zod';
import { Preset, PresetFields, PromptVariable } from '../prompt-library.ts';
import { command, Id } from './command.ts';

const ofProject = { touches: 'project', shows: 'settings' } as const;
const ofPreset = { touches: 'preset', shows: 'settings' } as const;

export const promptLibraryCommands = {
  setVariable: command({
    input: PromptVariable,
    ...ofProject,
    log: 'variable.set',
    label: 'command.setVariable',
    cli: 'prompts variables set <NAME> <TEXT>',
  }),
  removeVariable: command({
    input: PromptVariable.pick({ projectId: true, name: true }),
    ...ofProject,
    log: 'variable.removed',
    label: 'command.removeVariable',
    cli: 'prompts variables remove <NAME>',
  }),
  /** One of the same project, kind and name gets these settings instead; with an id, a removed one is put back. */
  savePreset: command({
    input: PresetFields.extend({ id: Id.optional() }),
    output: Preset,
    ...ofProject,
    log: 'preset.saved',
    label: 'command.savePreset',
    cli: 'presets save <NAME>',
  }),
  /** Refused when another one is called so. */
  renamePreset: command({
    input: Preset.pick({ id: true, name: true }),
    ...ofPreset,
    log: 'preset.renamed',
    label: 'command.renamePreset',
    cli: 'presets rename <PRESET> <NAME>',
    help: 'cli.helpPresetsRename',
    answer: 'cli.viewRenamed',
  }),
  removePreset: command({
    input: z.object({ id: Id }),
    ...ofPreset,
    log: 'preset.removed',
    label: 'command.removePreset',
    cli: 'presets remove <PRESET>',
    help: 'cli.helpPresetsRemove',
    answer: 'list.presetRemoved',
  }),
};
