import { say } from '../../contract/messages/words.ts';
import type { JobStateName, JobView, Standing } from '../../contract/job.ts';
import { exitStatus, type ExitStatus } from '../exit.ts';
import { shortId } from '../job-ids.ts';
import { viewDataFolder, wantedScopes } from '../read-only-view.ts';
import { jsonLine, summaryOf } from '../output/ndjson.ts';
import { countsOf } from '../output/report.ts';
import { plainText, shortText, tableLines } from '../output/text.ts';
import { nextStep } from '../output/next-step.ts';
import { printTo, type Session, commandLine } from '../session.ts';

export interface JobsListOptions {
  readonly project?: string;
  readonly batch?: string;
  readonly state?: JobStateName;
  readonly standing?: Standing;
  readonly json?: boolean;
}

/** Lists jobs, including history, even beside a running engine. */
export async function listJobs(session: Session, options: JobsListOptions): Promise<ExitStatus> {
  const { state, standing } = options;
  const jobs = viewDataFolder(session.dataFolder, (view) =>
    (view ? wantedScopes(view, options, session) : []).flatMap(
      (scope) => view?.jobs.list({ ...scope, ...(state && { state }), ...(standing && { standing }) }) ?? [],
    ),
  );
  if (options.json) {
    for (const job of jobs) session.shell.stdout.write(jsonLine({ type: 'job', ...job }));
    session.shell.stdout.write(jsonLine(summaryOf(countsOf(jobs))));
    return exitStatus.saved;
  }
  const print = printTo(session);
  for (const line of jobTable(jobs)) print(line);
  print(say('cli.jobs', { count: jobs.length }));
  const undecided = jobs.find((job) => job.standing === 'unknown');
  if (undecided) print(`${shortId(undecided.id)}: ${nextStep(undecided, session.options)}`);
  else if (jobs.some((job) => job.standing === 'failed')) {
    print(say('cli.retryWith', { command: commandLine(session.options, 'jobs', 'retry', 'ID') }));
  }
  const answered = jobs.filter(({ hasAnswer }) => hasAnswer);
  if (answered.length > 0) {
    const ids = answered.length === 1 ? answered.map(({ id }) => shortId(id)) : ['ID...'];
    const command = commandLine(session.options, 'jobs', 'retry', ...ids);
    print(say('cli.cancelledAnswered', { count: answered.length, command }));
  }
  return exitStatus.saved;
}

function jobTable(jobs: readonly JobView[]): string[] {
  if (jobs.length === 0) return [];
  const columns = [
    { title: say('cli.id') },
    { title: say('cli.batch') },
    { title: say('cli.shot') },
    { title: say('cli.take'), align: 'right' as const },
    { title: say('cli.kind') },
    { title: say('cli.state') },
    { title: say('cli.taskColumn') },
    { title: say('cli.detail') },
  ];
  return tableLines(
    columns,
    jobs.map((job) => [
      shortId(job.id),
      shortText(job.batch, 24),
      shortText(job.shot, 24),
      String(job.take),
      job.kind,
      stateWords(job),
      shortText(job.taskId ?? '', 40),
      whatOf(job),
    ]),
  );
}

function stateWords({ state, paused }: JobView): string {
  const words = state.replaceAll('_', ' ');
  return paused ? say('cli.stateHeld', { state: words, reason: paused.replaceAll('_', ' ') }) : words;
}

function whatOf({ failure, files, waitsFor, hasAnswer, notice }: JobView): string {
  if (waitsFor !== undefined) return say('cli.waitingFor', { cell: plainText(waitsFor) });
  if (hasAnswer && notice) return plainText(notice.message);
  return failure ? plainText(failure.message) : files.map(plainText).join(', ');
}
