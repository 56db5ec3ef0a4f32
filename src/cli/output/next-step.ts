import { say } from '../../contract/messages/words.ts';
import { commandLine, withGlobals, type GlobalOptions } from '../session.ts';
import { isCutOff, type JobView, type KeptAnswer } from '../../contract/job.ts';
import { shortId } from '../named.ts';
import { failureLine, takeName } from './words.ts';
import { remedyHere } from './remedies.ts';
import { plainText } from './text.ts';

/** Lines for a job that failed or needs a decision: what happened and what it costs; what to do next. */
export function troubleLines(job: JobView, options: GlobalOptions): string[] {
  const happened = job.failure ? failureLine(job.failure) : say('cli.notInTime');
  const task = job.taskId === undefined ? '' : `; ${say('cli.task', { task: plainText(job.taskId) })}`;
  const next = nextStep(job, options).split('\n');
  return [`${takeName(job)}: ${happened}${task}`, ...next.map((line) => `    ${line}`)];
}

export const nextStep = (job: JobView, options: GlobalOptions): string => withGlobals(options, waysOn(job, options));

function waysOn(job: JobView, options: GlobalOptions): string {
  const jobs = (...words: string[]) => `\`${commandLine(options, 'jobs', ...words)}\``;
  const id = shortId(job.id);
  if (job.paused === 'deadline') {
    const resolve = (...words: string[]) => jobs('resolve', id, ...words);
    return [
      ...(job.keptAnswer
        ? keptWays(job.keptAnswer, resolve)
        : [say('cli.nextResult', { command: resolve('--accept', 'ADDRESS') })]),
      say('cli.nextDeadline', { retry: jobs('retry', id), cancel: jobs('cancel', id) }),
    ].join('\n');
  }
  switch (job.state) {
    case 'submit_unknown':
      return [
        say('cli.nextLook'),
        say('cli.nextAttach', { command: jobs('resolve', id, '--attach', 'TASK') }),
        ...(job.keptAnswer ? keptWays(job.keptAnswer, (...words) => jobs('resolve', id, ...words)) : []),
        say('cli.nextResubmit', { command: jobs('resolve', id, '--resubmit') }),
        say('cli.nextLost', { command: jobs('resolve', id, '--lost') }),
      ].join('\n');
    case 'download_blocked':
      return `${remedyOf(job)}${say('cli.nextFetch', { command: jobs('retry', id) })}`;
    case 'rejected':
      return `${remedyOf(job)}${say('cli.nextSend', { command: jobs('retry', id) })}`;
    case 'result_lost':
      return job.taskId === undefined
        ? say('cli.nextNoTask')
        : `${remedyOf(job)}${say('cli.nextAsk', { command: jobs('retry', id) })}`;
    case 'remote_failed':
    case 'remote_cancelled':
      return `${remedyOf(job)}${say('cli.nextRetry', { command: jobs('retry', id) })}`;
    default:
      return remedyOf(job).trimEnd() || say('cli.nextSee', { command: jobs('list') });
  }
}

function keptWays(kept: KeptAnswer, resolve: (...words: string[]) => string): string[] {
  const { file, addresses } = kept;
  const isCut = isCutOff(kept);
  return [
    isCut ? say('cli.keptCut', { file: plainText(file) }) : say('cli.keptFile', { file: plainText(file) }),
    ...addresses.slice(0, 3).map((address) => say('cli.keptAddress', { address: plainText(address) })),
    ...(isCut && addresses.length === 0 ? [] : [say('cli.keptIsAddress', { command: resolve('--accept', 'ADDRESS') })]),
    ...(isCut ? [] : [say('cli.keptIsAnswer', { command: resolve('--accept') })]),
  ];
}

const remedyOf = (job: JobView) => (job.failure ? `${remedyHere(job.failure)} ` : '');
