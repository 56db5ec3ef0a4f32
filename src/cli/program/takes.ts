import { type Command, Option } from 'commander';
import { say } from '../../contract/messages/words.ts';
import type { Perform } from '../session.ts';
import { jsonOption, projectOption, secondsFrom } from './options.ts';

export function addTakes(program: Command, perform: Perform): void {
  const takes = program.command('takes').description(say('cli.helpTakes'));

  takes
    .command('list')
    .description(say('cli.helpTakesList'))
    .addOption(projectOption(say('cli.optProject')))
    .option('--batch <name>', say('cli.optBatch'))
    .option('--where <query>', say('cli.optWhere'))
    .option('--view <name>', say('cli.optView'))
    .addOption(jsonOption())
    .action(perform(async () => (await import('../commands/takes-list.ts')).listTakes));

  for (const name of ['tag', 'untag'] as const) {
    takes
      .command(name)
      .description(say(name === 'tag' ? 'cli.helpTakesTag' : 'cli.helpTakesUntag'))
      .argument('<TAGS...>', say('cli.argTags'))
      .addOption(projectOption(say('cli.optProject')))
      .option('--batch <name>', say('cli.optBatch'))
      .option('--where <query>', say('cli.optWhere'))
      .option('--take <ids...>', say('cli.optTakes'))
      .addOption(jsonOption())
      .action(perform(async () => (await import('../commands/takes-tag.ts')).tagTakes(name)));
  }

  for (const [name, argument] of [
    ['rate', ['<STARS>', say('cli.argStars')]],
    ['pick'],
    ['reject'],
    ['unflag'],
    ['note', ['<TEXT>', say('cli.argTakeNote')]],
  ] as const) {
    const command = takes
      .command(name)
      .description(say(`cli.helpTakes.${name}`))
      .addOption(projectOption(say('cli.optProject')))
      .option('--batch <name>', say('cli.optBatch'))
      .option('--where <query>', say('cli.optWhere'))
      .option('--take <ids...>', say('cli.optTakes'))
      .option('--dry-run', say('cli.optTrashDryRun'))
      .addOption(jsonOption());
    if (argument) command.argument(argument[0], argument[1]);
    command.action(perform(async () => (await import('../commands/takes-judge.ts')).judgeCommands[name]));
  }

  for (const name of ['trash', 'restore', 'keep'] as const) {
    const command = takes
      .command(name)
      .description(say(`cli.helpTakes.${name}`))
      .addOption(projectOption(say('cli.optProject')))
      .option('--batch <name>', say('cli.optBatch'))
      .option('--where <query>', say(name === 'keep' ? 'cli.optKeepWhere' : 'cli.optWhere'))
      .option('--dry-run', say('cli.optTrashDryRun'))
      .addOption(jsonOption());
    if (name !== 'keep') command.option('--take <ids...>', say('cli.optTakes'));
    command.action(perform(async () => (await import('../commands/takes-trash.ts')).trashCommands[name]));
  }

  takes
    .command('empty-trash')
    .description(say('cli.helpEmptyTrash'))
    .addOption(projectOption(say('cli.optProject')).makeOptionMandatory())
    .option('--yes', say('cli.optYesEmpty'))
    .option('--dry-run', say('cli.optTrashDryRun'))
    .addOption(jsonOption())
    .action(perform(async () => (await import('../commands/takes-trash.ts')).emptyTrash));

  takes
    .command('act')
    .description(say('cli.helpTakesAct'))
    .argument('<TAKE>', say('cli.argTake'))
    .option('--button <name>', say('cli.optButton'))
    .addOption(jsonOption())
    .action(perform(async () => (await import('../commands/takes.ts')).actOnTake));

  takes
    .command('continue')
    .description(say('cli.helpTakesContinue'))
    .argument('<TAKE>', say('cli.argTake'))
    .addOption(new Option('--at <seconds>', say('cli.optAt')).argParser(secondsFrom).makeOptionMandatory())
    .option('--prompt <text>', say('cli.optContinuePrompt'))
    .addOption(jsonOption())
    .action(perform(async () => (await import('../commands/takes.ts')).continueTake));
}
