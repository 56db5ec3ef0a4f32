import { type Command, Option } from 'commander';
import type { TakeOrder } from '../../contract/batch.ts';
import type { FaultWordName } from '../demo/fault-words.ts';
import { allKinds } from '../../contract/kinds/all.ts';
import { say } from '../../contract/messages/words.ts';
import type { Perform } from '../session.ts';
import { amount, count, jsonWithSummary, portNumber, projectOption } from './options.ts';

// The words of the contract, repeated because loading its schemas would cost `--help` more than everything else.
const takeOrders: readonly TakeOrder[] = ['list', 'scout'];
const faultNames: readonly FaultWordName[] = ['busy', 'drip', 'reset', 'html', 'cut'];

export function addRunning(program: Command, perform: Perform): void {
  program
    .command('demo')
    .description(say('cli.helpDemo'))
    .option('--out <dir>', say('cli.optDemoOut'))
    .option('--shots <n>', say('cli.optDemoShots'), count)
    .option('--all', say('cli.optDemoAll'))
    .addOption(new Option('--fault <words...>', say('cli.optDemoFault')).choices(faultNames))
    .addOption(jsonWithSummary())
    .action(perform(async () => (await import('../commands/demo.ts')).demo));

  program
    .command('run')
    .description(say('cli.helpRun'))
    .argument('<LIST>', say('cli.argList'))
    .requiredOption('--project <dir>', say('cli.optRunProject'))
    .option('--batch <name>', say('cli.optRunBatch'))
    .addOption(new Option('--kind <kind>', say('cli.optRunKind')).choices(allKinds.map(({ kind }) => kind)))
    .option('--merge', say('cli.optRunMerge'))
    .option('--again', say('cli.optRunAgain'))
    .option('--sheet <name>', say('cli.optSheet'))
    .option('--encoding <name>', say('cli.optEncoding'))
    .option(
      '--allow-file <path>',
      say('cli.optAllowFile'),
      (path: string, before: readonly string[]) => [...before, path],
      [] as readonly string[],
    )
    .option('--max-spend <amount>', say('cli.optMaxSpend'), amount)
    .option('--max-takes <n>', say('cli.optMaxTakes'), count)
    .option('--window <hours>', say('cli.optWindow'))
    .option('--days <days>', say('cli.optWindowDays'))
    .option('--time-zone <zone>', say('cli.optTimeZone'))
    .addOption(new Option('--order <order>', say('cli.optOrder')).choices(takeOrders))
    .option('--dry-run', say('cli.optDryRun'))
    .option('--offline', say('cli.optOffline'))
    .addOption(jsonWithSummary())
    .action(perform(async () => (await import('../commands/run.ts')).run));

  program
    .command('resume')
    .description(say('cli.helpResume'))
    .addOption(projectOption(say('cli.optProject')))
    .option('--window <hours>', say('cli.optWindow'))
    .option('--days <days>', say('cli.optWindowDays'))
    .option('--time-zone <zone>', say('cli.optTimeZone'))
    .addOption(jsonWithSummary())
    .action(perform(async () => (await import('../commands/resume.ts')).resume));
}

export function addServing(program: Command, perform: Perform): void {
  program
    .command('serve')
    .description(say('cli.helpServe'))
    .option('--port <n>', say('cli.optServePort'), portNumber)
    .option('--open', say('cli.optServeOpen'))
    .action(perform(async () => (await import('../commands/serve.ts')).serve));
}
