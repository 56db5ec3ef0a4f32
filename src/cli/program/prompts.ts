import { type Command, Option } from 'commander';
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
  addPromptLibrary(program, prompts, perform);
}

/** Texts that prompts name, and named settings. */
function addPromptLibrary(program: Command, prompts: Command, perform: Perform): void {
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
  program
    .command('presets')
    .description(say('cli.helpPresets'))
    .command('list')
    .description(say('cli.helpPresetsList'))
    .addOption(ofProject())
    .addOption(jsonOption())
    .action(perform(async () => (await loaded()).listPresets));
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
