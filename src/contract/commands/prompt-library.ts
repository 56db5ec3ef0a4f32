import * as z from 'zod';
import { Preset, PresetFields } from '../prompt-library.ts';
import { PromptVariable } from '../prompt-library.ts';
import { command, Id } from './command.ts';

export const promptLibraryCommands = {
  setVariable: command({
    input: PromptVariable,
    touches: 'project',
    log: 'variable.set',
    shows: 'settings',
    label: 'command.setVariable',
    cli: 'prompts variables set <NAME> <TEXT>',
  }),
  removeVariable: command({
    input: PromptVariable.pick({ projectId: true, name: true }),
    touches: 'project',
    log: 'variable.removed',
    shows: 'settings',
    label: 'command.removeVariable',
    cli: 'prompts variables remove <NAME>',
  }),
  /** One of the same project, kind and name gets these settings instead; with an id, a removed one is put back. */
  savePreset: command({
    input: PresetFields.extend({ id: Id.optional() }),
    output: Preset,
    touches: 'project',
    log: 'preset.saved',
    shows: 'settings',
    label: 'command.savePreset',
    cli: 'presets save <NAME>',
  }),
  /** Refused when another one is called so. */
  renamePreset: command({
    input: Preset.pick({ id: true, name: true }),
    touches: 'preset',
    log: 'preset.renamed',
    shows: 'settings',
    label: 'command.renamePreset',
    cli: 'presets rename <PRESET> <NAME>',
  }),
  removePreset: command({
    input: z.object({ id: Id }),
    touches: 'preset',
    log: 'preset.removed',
    shows: 'settings',
    label: 'command.removePreset',
    cli: 'presets remove <PRESET>',
  }),
};
