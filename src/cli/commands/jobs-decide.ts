import { Resolution, type JobView } from '../../contract/job.ts';
import { inWords } from '../engine/shared-errors.ts';
import type { Action } from '../engine/engine-at-work.ts';
import { EngineConnector } from '../engine/engine-connector.ts';
import { exitStatus, UsageError, type ExitStatus } from '../exit.ts';
import { jobNamed, shortId } from '../job-ids.ts';
import { viewDataFolder, wantedScopes, type Wanted } from '../read-only-view.ts';
import { nextStep } from '../output/next-step.ts';
import { counted, plainText } from '../output/text.ts';
import { recoveryLines, takeName } from '../output/words.ts';
import { settingsOf } from '../service-access.ts';
import { printTo, type Session, commandLine } from '../session.ts';
import { canAsk } from '../shell.ts';

export interface PickedJobs extends Wanted {
  readonly ids: readonly string[];
  readonly allFailed?: boolean;
  readonly allUnfinished?: boolean;
}

/** Asks again. Where that makes a new task it costs a new charge, which a person agrees to first. */
export async function retryJobs(
  session: Session,
  options: PickedJobs & { readonly yes?: boolean },
): Promise<ExitStatus> {
  const jobs = pickJobs(session, options);
  const charged = jobs.filter(isChargedAnew);
  if (charged.length > 0) {
    await agree(session, {
      agreed: options.yes,
      question: `${counted(charged.length, 'task')} ended at the service. Each is asked about once more; what is still over is made again, which is charged again. Go on?`,
      refusal: `${counted(charged.length, 'of these jobs makes', 'of these jobs make')} a new generation, which is charged again: ${charged.map((job) => shortId(job.id)).join(', ')}.`,
    });
  }
  return decide(session, jobs, { action: 'retry' }, 'is asked for again');
}

/** The service made a task of it and ended it: asking again makes another, unless the task has a result after all. */
const isChargedAnew = ({ state }: JobView) => state === 'remote_failed' || state === 'remote_cancelled';

/** Stops following. What the service accepted goes on there and is charged. */
export async function cancelJobs(session: Session, options: PickedJobs): Promise<ExitStatus> {
  const jobs = pickJobs(session, options);
  const status = await decide(session, jobs, { action: 'cancel' }, 'is cancelled');
  const running = jobs.filter((job) => job.taskId !== undefined && job.standing !== 'saved');
  if (running.length > 0) {
    printTo(session)(
      `${counted(running.length, 'task')} had been accepted: the service has no cancel, so ${running.length === 1 ? 'it is' : 'they are'} charged all the same.`,
    );
  }
  return status;
}

export interface ResolveOptions {
  readonly id: string;
  readonly attach?: string;
  /** An address in the kept answer; true for the answer itself. */
  readonly accept?: string | true;
  readonly lost?: boolean;
  readonly resubmit?: boolean;
  readonly yes?: boolean;
}

/** Decides about a submit of unknown fate. */
export async function resolveJob(session: Session, options: ResolveOptions): Promise<ExitStatus> {
  const resolution = resolutionOf(options);
  const jobs = pickJobs(session, { ids: [options.id] });
  if (resolution.action === 'resubmit') {
    await agree(session, {
      agreed: options.yes,
      question: 'The first request may have been charged; a second charge is possible. Send it again?',
      refusal: 'Sending it again can cost a second charge.',
    });
  }
  const done = {
    attach: 'follows its task',
    accept: 'takes what was kept',
    lost: 'is written off',
    resubmit: 'will be sent again',
  }[resolution.action];
  return decide(session, jobs, { action: 'resolve', resolution }, done);
}

function resolutionOf({ attach, accept, lost, resubmit }: ResolveOptions): Resolution {
  if (attach !== undefined && attach.trim() !== '') return { action: 'attach', taskId: attach.trim() };
  if (accept === true) return { action: 'accept' };
  if (accept !== undefined) {
    const read = Resolution.safeParse({ action: 'accept', url: accept.trim() });
    if (read.success) return read.data;
    throw new UsageError('This is no web address.', 'Without an address --accept saves the kept answer itself.');
  }
  if (lost) return { action: 'lost' };
  if (resubmit) return { action: 'resubmit' };
  throw new UsageError(
    'Say what became of it.',
    '--attach TASK when the service has it, --accept [ADDRESS] when the kept answer has the result, --lost to write it off, --resubmit to send it again.',
  );
}

/** The jobs a person names. Looked up without an engine, so that a wrong word is told at once. */
function pickJobs(session: Session, options: PickedJobs): JobView[] {
  const { ids, allFailed = false, allUnfinished = false } = options;
  if ((ids.length === 0) === !(allFailed || allUnfinished)) {
    throw new UsageError('Name the jobs, or say which all are meant.', '`dailies jobs list` shows the ids.');
  }
  return viewDataFolder(session.dataFolder, (view) => {
    if (!view) throw new UsageError('There are no jobs in this data folder yet.', '`--data` names another one.');
    if (ids.length > 0) return ids.map((id) => theJob(id, (text) => view.jobs.list({ ids: [text] })));
    return wantedScopes(view, options, session)
      .flatMap((scope) => view.jobs.list(scope))
      .filter(({ isSetAside }) => !isSetAside)
      .filter(({ standing }) => (allFailed && standing === 'failed') || (allUnfinished && standing === 'unfinished'));
  });
}

function theJob(text: string, matching: (text: string) => JobView[]): JobView {
  const named = jobNamed(text, matching);
  if (named.ok) return named.job;
  throw new UsageError(named.problem, 'Nothing was changed.');
}

interface Agreement {
  readonly agreed: boolean | undefined;
  readonly question: string;
  readonly refusal: string;
}

async function agree(session: Session, { agreed, question, refusal }: Agreement): Promise<void> {
  if (agreed) return;
  if (!canAsk(session.shell)) throw new UsageError(refusal, 'Say --yes to agree. Nothing was changed.');
  const questions = await session.shell.questions();
  if (!(await questions.confirm(question))) throw new UsageError('Nothing was changed.', 'Say --yes to agree.');
}

/** The way out for a job that a action did not fit. */
const whatElse = (job: JobView, { options }: Session): string =>
  job.standing === 'unknown' ? `${nextStep(job, options)}\n` : '';

/** Applies a decision to each job and says what became of it. */
async function decide(session: Session, jobs: readonly JobView[], action: Action, done: string): Promise<ExitStatus> {
  const print = printTo(session);
  const own = () => Promise.resolve({ settings: settingsOf(session), apiKey: null });
  const way = await EngineConnector.find(session, { command: 'dailies jobs', sends: false, own });
  const { answers, sharedBy } = await way.use(async (engine) => {
    for (const line of recoveryLines(engine.recovery, session.options)) print(line);
    return { answers: await engine.ask(jobs, action), sharedBy: engine.sharedBy };
  });
  for (const answer of answers) {
    const name = `${shortId(answer.job.id)}  ${takeName(answer.job)}`;
    if (answer.ok) print(`${name} ${done}.`);
    else session.shell.stderr.write(`${name}: ${plainText(answer.problem)}\n${whatElse(answer.job, session)}`);
  }
  if (answers.length === 0) print('There is no such job.');
  if (answers.some(({ job }) => job.standing === 'unfinished')) {
    print(
      sharedBy ? `${inWords(sharedBy)} goes on with it.` : `Go on with \`${commandLine(session.options, 'resume')}\`.`,
    );
  }
  return answers.every((answer) => answer.ok) ? exitStatus.saved : exitStatus.failed;
}
