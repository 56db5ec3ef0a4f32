import { type Command, Option } from 'commander';
import { say } from '../../contract/messages/words.ts';
import type { Perform } from '../session.ts';
import { amount, count, jsonOption, jsonWithSummary, projectOption } from './options.ts';

export function addLooking(program: Command, perform: Perform): void {
  program
    .command('status')
    .description(say('cli.helpStatus'))
    .addOption(projectOption(say('cli.optProject')))
    .option('--watch', say('cli.optStatusWatch'))
    .addOption(jsonWithSummary())
    .action(perform(async () => (await import('../commands/status.ts')).status));

  program
    .command('spend')
    .description(say('cli.helpSpend'))
    .addOption(projectOption(say('cli.optProject')))
    .option('--batch <name>', say('cli.optBatch'))
    .addOption(
      new Option('--by <what>', say('cli.optSpendBy'))
        .choices(['model', 'batch', 'project', 'night', 'day', 'month', 'shot', 'take', 'tool'])
        .default('model'),
    )
    .option('--csv <file>', say('cli.optSpendCsv'))
    .addOption(jsonOption())
    .action(perform(async () => (await import('../commands/spend.ts')).spend));

  program
    .command('stats')
    .description(say('cli.helpStats'))
    .addOption(projectOption(say('cli.optProject')))
    .option('--since <time>', say('cli.optStatsSince'))
    .addOption(new Option('--by <period>', say('cli.optStatsBy')).choices(['day', 'week', 'month']).default('month'))
    .addOption(new Option('--csv <file>', say('cli.optStatsCsv')).conflicts('json'))
    .addOption(jsonOption())
    .action(perform(async () => (await import('../commands/stats.ts')).stats));

  program
    .command('report')
    .description(say('cli.helpReport'))
    .addOption(projectOption(say('cli.optProject')))
    .option('--since <time>', say('cli.optReportSince'))
    .option('--until <time>', say('cli.optReportUntil'))
    .option('--html', say('cli.optReportHtml'))
    .addOption(jsonOption())
    .action(perform(async () => (await import('../commands/report.ts')).report));

  program
    .command('history')
    .description(say('cli.helpHistory'))
    .addOption(projectOption(say('cli.optProject')))
    .option('--since <time>', say('cli.optHistorySince'))
    .addOption(jsonOption())
    .action(perform(async () => (await import('../commands/history.ts')).history));

  program
    .command('cap')
    .description(say('cli.helpCap'))
    .addOption(projectOption(say('cli.optCapProject')))
    .option('--batch <name>', say('cli.optBatch'))
    .option('--max-spend <amount>', say('cli.optCapSpend'), amount)
    .option('--max-takes <n>', say('cli.optCapTakes'), count)
    .option('--remove', say('cli.optCapRemove'))
    .addOption(jsonOption())
    .action(perform(async () => (await import('../commands/spend.ts')).cap));

  program
    .command('window')
    .description(say('cli.helpWindow'))
    .argument('[HOURS]', say('cli.argHours'))
    .requiredOption('--project <dir>', say('cli.optProjectFolder'))
    .option('--batch <name>', say('cli.optWindowBatch'))
    .option('--days <days>', say('cli.optWindowDays'))
    .option('--time-zone <zone>', say('cli.optTimeZone'))
    .option('--remove', say('cli.optWindowRemove'))
    .option('--start-now', say('cli.optStartNow'))
    .addOption(jsonOption())
    .action(perform(async () => (await import('../commands/window.ts')).nightWindow));

  program
    .command('models')
    .description(say('cli.helpModels'))
    .action(perform(async () => (await import('../commands/models.ts')).models, true));

  program
    .command('doctor')
    .description(say('cli.helpDoctor'))
    .addOption(projectOption(say('cli.optDoctorProject')))
    .action(perform(async () => (await import('../commands/doctor.ts')).doctor, true));
}
