import type { Command } from 'commander';
import { say } from '../../contract/messages/words.ts';
import type { Perform } from '../session.ts';
import { jsonOption, projectOption } from './options.ts';

export function addViews(program: Command, perform: Perform): void {
  const views = program.command('views').description(say('cli.helpViews'));
  const folder = () => projectOption(say('cli.optProjectFolder')).makeOptionMandatory();
  const load = () => import('../commands/views.ts');

  views
    .command('list')
    .description(say('cli.helpViewsList'))
    .addOption(folder())
    .addOption(jsonOption())
    .action(perform(async () => (await load()).listViews));

  views
    .command('save')
    .description(say('cli.helpViewsSave'))
    .argument('<NAME>', say('cli.argNewName'))
    .addOption(folder())
    .option('--batch <name>', say('cli.optBatch'))
    .requiredOption('--where <query>', say('cli.optWhere'))
    .action(perform(async () => (await load()).saveView));

  views
    .command('rename')
    .description(say('cli.helpViewsRename'))
    .argument('<VIEW>', say('cli.optView'))
    .argument('<NAME>', say('cli.argNewName'))
    .addOption(folder())
    .action(perform(async () => (await load()).renameView));

  views
    .command('remove')
    .description(say('cli.helpViewsRemove'))
    .argument('<VIEW>', say('cli.optView'))
    .addOption(folder())
    .action(perform(async () => (await load()).removeView));
}
