import { commandLine, withGlobals, type GlobalOptions } from '../session.ts';
import type { JobView, KeptAnswer } from '../../contract/job.ts';
import { shortId } from '../job-ids.ts';
import { failureLine, takeName } from './words.ts';
import { remedyHere } from './remedies.ts';
import { plainText } from './text.ts';

/** Lines for a job that failed or needs a decision: what happened and what it costs; what to do next. */
export function troubleLines(job: JobView, options: GlobalOptions): string[] {
  const happened = job.failure ? failureLine(job.failure) : 'not finished in time';
  const task = job.taskId === undefined ? '' : `; task ${plainText(job.taskId)}`;
  const next = nextStep(job, options).split('\n');
  return [`${takeName(job)}: ${happened}${task}`, ...next.map((line) => `    ${line}`)];
}

/** What a person can do about a job, with the command to type: a line for each way there is. */
export const nextStep = (job: JobView, options: GlobalOptions): string => withGlobals(options, waysOn(job, options));

function waysOn(job: JobView, options: GlobalOptions): string {
  const jobs = (...words: string[]) => `\`${commandLine(options, 'jobs', ...words)}\``;
  const id = shortId(job.id);
  if (job.paused === 'deadline') {
    return `To go on waiting for it: ${jobs('retry', id)}; to let it go: ${jobs('cancel', id)}`;
  }
  switch (job.state) {
    case 'submit_unknown':
      return [
        'Look for it among the tasks at the service.',
        `If it is there: ${jobs('resolve', id, '--attach', 'TASK')}`,
        ...(job.keptAnswer ? keptWays(job.keptAnswer, (...words) => jobs('resolve', id, ...words)) : []),
        `If not, to send it again (a second charge is possible): ${jobs('resolve', id, '--resubmit')}`,
        `To write it off: ${jobs('resolve', id, '--lost')}`,
      ].join('\n');
    case 'download_blocked':
      return `${remedyOf(job)}To fetch it again, at no charge: ${jobs('retry', id)}`;
    case 'rejected':
      return `${remedyOf(job)}To send it once more: ${jobs('retry', id)}`;
    case 'result_lost':
      return job.taskId === undefined
        ? 'There is no task to ask. For another take, which is paid for anew: raise `takes` of its row and run the list again.'
        : `${remedyOf(job)}To ask for it once more, at no charge: ${jobs('retry', id)}`;
    case 'remote_failed':
    case 'remote_cancelled':
      return `${remedyOf(job)}To retry, charged anew: ${jobs('retry', id)}`;
    default:
      return remedyOf(job).trimEnd() || `See how it stands: ${jobs('list')}`;
  }
}

function keptWays({ file, addresses }: KeptAnswer, resolve: (...words: string[]) => string): string[] {
  return [
    `What came back is kept: ${plainText(file)}`,
    ...addresses.slice(0, 3).map((address) => `An address in it: ${plainText(address)}`),
    `If one of them is the result: ${resolve('--accept', 'ADDRESS')}`,
    `If the answer itself is the result: ${resolve('--accept')}`,
  ];
}

const remedyOf = (job: JobView) => (job.failure ? `${remedyHere(job.failure)} ` : '');
