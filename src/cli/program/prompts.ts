import { type Command, Option } from 'commander';
import { allKinds } from '../../contract/kinds/all.ts';
import { say } from '../../contract/messages/words.ts';
import type { Perform } from '../session.ts';
import { count, jsonOption } from './options.ts';

export function addPrompts(program: Command, perform: Perform): void {
  const prompts = program.command('prompts').description(say('cli.helpPrompts'));
  const modelOption = () => new Option('--model <id>', say('cli.optTextModel')).makeOptionMandatory();
  const outOption = () => new Option('--out <file>', say('cli.optPromptsOut')).makeOptionMandatory();
  const yesOption = () => new Option('--yes', say('cli.optYesAgain'));

  prompts
    .command('rewrite')
    .description(say('cli.helpPromptsRewrite'))
    .argument('<LIST>', say('cli.argShotList'))
    .addOption(modelOption())
    .requiredOption('--ask <text>', say('cli.optAsk'))
    .option('--rows <keys>', say('cli.optRows'))
    .option('--versions <n>', say('cli.optVersions'), count)
    .option('--sheet <name>', say('cli.optSheet'))
    .addOption(outOption())
    .addOption(yesOption())
    .action(perform(async () => (await import('../commands/prompts.ts')).rewritePrompts));

  prompts
    .command('shots')
    .description(say('cli.helpPromptsShots'))
    .argument('<SCRIPT>', say('cli.argScript'))
    .addOption(modelOption())
    .option('--ask <text>', say('cli.optShotsAsk'))
    .addOption(outOption())
    .addOption(yesOption())
    .action(perform(async () => (await import('../commands/prompts.ts')).scriptToShots));
  addPromptLibrary(prompts, perform);
}

/** Texts that prompts name. */
function addPromptLibrary(prompts: Command, perform: Perform): void {
  const ofProject = () => new Option('--project <dir>', say('cli.optLibraryProject'));
  const loaded = () => import('../commands/prompt-library.ts');
  const variables = prompts.command('variables').description(say('cli.helpVariables'));
  variables
    .command('list')
    .description(say('cli.helpVariablesList'))
    .addOption(ofProject())
    .addOption(jsonOption())
    .action(perform(async () => (await loaded()).listVariables));
  variables
    .command('set')
    .description(say('cli.helpVariablesSet'))
    .argument('<NAME>', say('cli.argVariable'))
    .argument('<TEXT>', say('cli.argVariableText'))
    .addOption(ofProject())
    .action(perform(async () => (await loaded()).setVariable));
  variables
    .command('remove')
    .description(say('cli.helpVariablesRemove'))
    .argument('<NAME>', say('cli.argVariable'))
    .addOption(ofProject())
    .action(perform(async () => (await loaded()).removeVariable));
}

/** Named settings for rows of lists. */
export function addPresets(program: Command, perform: Perform): void {
  const presets = program.command('presets').description(say('cli.helpPresets'));
  const ofProject = (help = say('cli.optPresetProject')) => new Option('--project <dir>', help);
  const ofKind = () => new Option('--kind <kind>', say('cli.optPresetKind')).choices(allKinds.map(({ kind }) => kind));
  const load = () => import('../commands/presets.ts');

  presets
    .command('list')
    .description(say('cli.helpPresetsList'))
    .addOption(ofProject(say('cli.optLibraryProject')))
    .addOption(jsonOption())
    .action(perform(async () => (await load()).listPresets));

  presets
    .command('save')
    .description(say('cli.helpPresetsSave'))
    .argument('<NAME>', say('cli.argPreset'))
    .addOption(ofKind().makeOptionMandatory())
    .option('--set <settings...>', say('cli.optPresetSet'))
    .option('--from <list>', say('cli.optPresetFrom'))
    .option('--row <key>', say('cli.optPresetRow'))
    .option('--sheet <name>', say('cli.optSheet'))
    .addOption(ofProject())
    .action(perform(async () => (await load()).savePreset));

  presets
    .command('rename')
    .description(say('cli.helpPresetsRename'))
    .argument('<PRESET>', say('cli.argPreset'))
    .argument('<NAME>', say('cli.argNewName'))
    .addOption(ofKind())
    .addOption(ofProject())
    .action(perform(async () => (await load()).renamePreset));

  presets
    .command('remove')
    .description(say('cli.helpPresetsRemove'))
    .argument('<PRESET>', say('cli.argPreset'))
    .addOption(ofKind())
    .addOption(ofProject())
    .action(perform(async () => (await load()).removePreset));

  presets
    .command('apply')
    .description(say('cli.helpPresetsApply'))
    .argument('<PRESET>', say('cli.argPreset'))
    .argument('<LIST>', say('cli.argShotList'))
    .addOption(ofKind())
    .option('--rows <keys>', say('cli.optRows'))
    .option('--sheet <name>', say('cli.optSheet'))
    .requiredOption('--out <file>', say('cli.optPromptsOut'))
    .addOption(ofProject(say('cli.optLibraryProject')))
    .action(perform(async () => (await load()).applyPreset));
}

export function addDescribe(program: Command, perform: Perform): void {
  program
    .command('describe')
    .description(say('cli.helpDescribe'))
    .argument('<PICTURE>', say('cli.argPicture'))
    .addOption(new Option('--with <family>', say('cli.optWith')).choices(['typo', 'job']).makeOptionMandatory())
    .addOption(jsonOption())
    .option('--yes', say('cli.optYesAgain'))
    .action(perform(async () => (await import('../commands/describe.ts')).describePicture));
}
