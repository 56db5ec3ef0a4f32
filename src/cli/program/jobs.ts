import { type Command, Option } from 'commander';
import type { JobStateName, Standing } from '../../contract/job.ts';
import { say } from '../../contract/messages/words.ts';
import type { Perform } from '../session.ts';
import { jsonWithSummary, projectOption } from './options.ts';

// The words of the contract, repeated because loading its schemas would cost `--help` more than everything else.
const standings: readonly Standing[] = ['saved', 'failed', 'unknown', 'cancelled', 'unfinished'];
const stateNames: readonly JobStateName[] = [
  'needs_assets',
  'ready',
  'submitting',
  'accepted',
  'polling',
  'downloading',
  'saved',
  'submit_unknown',
  'rejected',
  'remote_failed',
  'remote_cancelled',
  'download_blocked',
  'result_lost',
  'cancelled',
];

export function addJobs(program: Command, perform: Perform): void {
  const jobs = program.command('jobs').description(say('cli.helpJobs'));
  const batchOption = () => new Option('--batch <name>', say('cli.optBatch'));

  jobs
    .command('list')
    .description(say('cli.helpJobsList'))
    .addOption(projectOption(say('cli.optProject')))
    .addOption(batchOption())
    .addOption(new Option('--state <state>', say('cli.optState')).choices(stateNames))
    .addOption(new Option('--standing <standing>', say('cli.optStanding')).choices(standings))
    .addOption(jsonWithSummary())
    .action(perform(async () => (await import('../commands/jobs-list.ts')).listJobs));

  jobs
    .command('retry')
    .description(say('cli.helpJobsRetry'))
    .argument('[IDS...]', say('cli.argJobIds'))
    .option('--all-failed', say('cli.optAllFailed'))
    .addOption(projectOption(say('cli.optAllFailedProject')))
    .addOption(batchOption())
    .option('--yes', say('cli.optYesCharges'))
    .action(perform(async () => (await import('../commands/jobs-decide.ts')).retryJobs));

  jobs
    .command('cancel')
    .description(say('cli.helpJobsCancel'))
    .argument('[IDS...]', say('cli.argJobIds'))
    .option('--all-failed', say('cli.optCancelAllFailed'))
    .option('--all-unfinished', say('cli.optAllUnfinished'))
    .addOption(projectOption(say('cli.optAllProject')))
    .addOption(batchOption())
    .action(perform(async () => (await import('../commands/jobs-decide.ts')).cancelJobs));

  jobs
    .command('resolve')
    .description(say('cli.helpJobsResolve'))
    .argument('<ID>', say('cli.argJobId'))
    .addOption(new Option('--attach <task>', say('cli.optAttach')).conflicts(['accept', 'lost', 'resubmit']))
    .addOption(
      new Option('--accept [address]', say('cli.optAccept')).preset(true).conflicts(['attach', 'lost', 'resubmit']),
    )
    .addOption(new Option('--lost', say('cli.optLost')).conflicts(['accept', 'attach', 'resubmit']))
    .addOption(new Option('--resubmit', say('cli.optResubmit')).conflicts(['accept', 'attach', 'lost']))
    .option('--yes', say('cli.optYesSecond'))
    .action(perform(async () => (await import('../commands/jobs-decide.ts')).resolveJob));
}
