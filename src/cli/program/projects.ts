import { Argument, Option, type Command } from 'commander';
import { say } from '../../contract/messages/words.ts';
import type { Perform } from '../session.ts';
import { jsonOption, projectOption } from './options.ts';

export function addProjects(program: Command, perform: Perform): void {
  program
    .command('verify')
    .description(say('cli.helpVerify'))
    .argument('[PATH]', say('cli.argVerify'))
    .addOption(projectOption(say('cli.optVerifyProject')))
    .addOption(jsonOption())
    .action(perform(async () => (await import('../commands/verify.ts')).verify));

  const projects = program.command('projects').description(say('cli.helpProjects'));
  const folder = () => projectOption(say('cli.optProjectFolder')).makeOptionMandatory();

  projects
    .command('list')
    .description(say('cli.helpProjectsList'))
    .option('--archived', say('cli.optArchived'))
    .addOption(jsonOption())
    .action(perform(async () => (await import('../commands/projects.ts')).listProjects));

  projects
    .command('rename')
    .description(say('cli.helpProjectsRename'))
    .argument('<NAME>', say('cli.argNewName'))
    .addOption(folder())
    .action(perform(async () => (await import('../commands/projects.ts')).renameProject));

  projects
    .command('facts')
    .description(say('cli.helpProjectsFacts'))
    .addOption(folder())
    .addOption(jsonOption())
    .action(perform(async () => (await import('../commands/project-facts.ts')).projectFacts));

  projects
    .command('export')
    .description(say('cli.helpProjectsExport'))
    .addOption(folder())
    .option('--to <dir>', say('cli.optExportTo'))
    .addOption(new Option('--zip <file>', say('cli.optExportZip')).conflicts('to'))
    .addOption(jsonOption())
    .action(perform(async () => (await import('../commands/projects.ts')).exportWholeProject));

  for (const [name, help] of [
    ['archive', say('cli.helpProjectsArchive')],
    ['unarchive', say('cli.helpProjectsUnarchive')],
  ] as const) {
    projects
      .command(name)
      .description(help)
      .addOption(folder())
      .action(perform(async () => (await import('../commands/projects.ts')).archiveProject(name)));
  }
}

export function addBatches(program: Command, perform: Perform): void {
  const batches = program.command('batches').description(say('cli.helpBatches'));
  const folder = () => projectOption(say('cli.optProjectFolder')).makeOptionMandatory();
  const load = () => import('../commands/batches.ts');

  batches
    .command('list')
    .description(say('cli.helpBatchesList'))
    .addOption(folder())
    .option('--archived', say('cli.optArchived'))
    .addOption(jsonOption())
    .action(perform(async () => (await load()).listBatches));

  batches
    .command('order')
    .description(say('cli.helpBatchesOrder'))
    .addArgument(new Argument('<ORDER>', say('cli.argOrder')).choices(['date', 'name', 'hand']))
    .argument('[BATCH...]', say('cli.argFirstBatches'))
    .addOption(folder())
    .action(perform(async () => (await load()).orderBatches));

  batches
    .command('rename')
    .description(say('cli.helpBatchesRename'))
    .argument('<BATCH>', say('cli.argBatch'))
    .argument('<NAME>', say('cli.argNewName'))
    .addOption(folder())
    .action(perform(async () => (await load()).renameBatch));

  for (const [action, help] of [
    ['archive', say('cli.helpBatchesArchive')],
    ['unarchive', say('cli.helpBatchesUnarchive')],
  ] as const) {
    batches
      .command(action)
      .description(help)
      .argument('<BATCH>', say('cli.argBatch'))
      .addOption(folder())
      .action(perform(async () => (await load()).archiveBatch(action)));
  }

  batches
    .command('note')
    .description(say('cli.helpBatchesNote'))
    .argument('<BATCH>', say('cli.argBatch'))
    .argument('<TEXT>', say('cli.argNote'))
    .addOption(folder())
    .action(perform(async () => (await load()).noteBatch));

  batches
    .command('duplicate')
    .description(say('cli.helpBatchesDuplicate'))
    .argument('<BATCH>', say('cli.argBatch'))
    .addOption(folder())
    .option('--as <name>', say('cli.optCopyAs'))
    .addOption(new Option('--out <file>', say('cli.optCopyOut')).conflicts('as'))
    .action(perform(async () => (await load()).duplicateBatch));
}
