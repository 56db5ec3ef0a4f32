import { MAX_IDS } from '../../contract/commands/jobs.ts';
import type { JobAnswer } from '../../engine/jobs/job-commands.ts';
import type { Api } from '../engine/connection.ts';
import { say, type MessageKey } from '../../contract/messages/words.ts';
import { isChargedAgain, Resolution, type JobView } from '../../contract/job.ts';
import { inWords } from '../engine/shared-errors.ts';
import { withQuietEngine } from '../engine/engine-connector.ts';
import { exitStatus, UsageError, type ExitStatus } from '../exit.ts';
import { jobNamed, shortId } from '../job-ids.ts';
import { viewDataFolder, wantedScopes, type Wanted } from '../read-only-view.ts';
import { nextStep } from '../output/next-step.ts';
import { priceInWords } from '../../contract/money.ts';
import { settingsOf } from '../service-access.ts';
import { plainText } from '../output/text.ts';
import { recoveryLines, takeName } from '../output/words.ts';
import { printTo, type Session, commandLine } from '../session.ts';
import { canAsk } from '../shell.ts';

export interface PickedJobs extends Wanted {
  readonly ids: readonly string[];
  readonly allFailed?: boolean;
  readonly allUnfinished?: boolean;
}

/** Retries jobs. Where that makes a new task, it is charged again, and a person has to agree first. */
export async function retryJobs(
  session: Session,
  options: PickedJobs & { readonly yes?: boolean },
): Promise<ExitStatus> {
  const jobs = pickJobs(session, options);
  const charged = jobs.filter(isChargedAgain);
  if (charged.length > 0) {
    await agree(session, {
      agreed: options.yes,
      question: say('cli.retryQuestion', { count: charged.length }),
      refusal: say('cli.retryRefusal', {
        count: charged.length,
        ids: charged.map((job) => shortId(job.id)).join(', '),
      }),
    });
  }
  return decide(session, jobs, { action: 'retry' }, 'cli.decidedRetry');
}

/** Stops following. What the service accepted continues there and is charged. */
export async function cancelJobs(session: Session, options: PickedJobs): Promise<ExitStatus> {
  const jobs = pickJobs(session, options);
  const status = await decide(session, jobs, { action: 'cancel' }, 'cli.decidedCancel');
  const running = jobs.filter((job) => job.taskId !== undefined && job.standing !== 'saved');
  if (running.length > 0) {
    printTo(session)(say('cli.cancelledCharged', { count: running.length }));
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
      question: say('cli.resubmitQuestion', { cost: costOf(session, jobs) }),
      refusal: say('cli.resubmitRefusal'),
    });
  }
  const done = (
    {
      attach: 'cli.decidedAttach',
      accept: 'cli.decidedAccept',
      lost: 'cli.decidedLost',
      resubmit: 'cli.decidedResubmit',
    } as const
  )[resolution.action];
  return decide(session, jobs, { action: 'resolve', resolution }, done);
}

/** What a take may have cost so far. */
function costOf(session: Session, [job]: readonly JobView[]): string {
  const unclear = viewDataFolder(session.dataFolder, (view) => view?.ledger.totals({ jobId: job?.id ?? '' }).unclear);
  if (unclear?.price == null) return say('common.priceUnknown');
  return priceInWords(unclear.price, settingsOf(session).currency);
}

function resolutionOf({ attach, accept, lost, resubmit }: ResolveOptions): Resolution {
  if (attach !== undefined && attach.trim() !== '') return { action: 'attach', taskId: attach.trim() };
  if (accept === true) return { action: 'accept' };
  if (accept !== undefined) {
    const read = Resolution.safeParse({ action: 'accept', url: accept.trim() });
    if (read.success) return read.data;
    throw new UsageError(say('failure.notAWebAddress'), say('cli.notWebAddressRemedy'));
  }
  if (lost) return { action: 'lost' };
  if (resubmit) return { action: 'resubmit' };
  throw new UsageError(say('cli.noResolution'), say('cli.noResolutionRemedy'));
}

/** The jobs that a person names. Looked up without an engine, so that a wrong id is reported immediately. */
function pickJobs(session: Session, options: PickedJobs): JobView[] {
  const { ids, allFailed = false, allUnfinished = false } = options;
  if ((ids.length === 0) === !(allFailed || allUnfinished)) {
    throw new UsageError(say('cli.nameJobs'), say('cli.nameJobsRemedy'));
  }
  return viewDataFolder(session.dataFolder, (view) => {
    if (!view) throw new UsageError(say('cli.noJobsYet'), say('cli.otherDataFolder'));
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
  throw new UsageError(named.problem, say('cli.nothingChanged'));
}

/** The result for a job, for its line. */
type Decided = Extract<MessageKey, `cli.decided${string}`>;

interface Agreement {
  readonly agreed: boolean | undefined;
  readonly question: string;
  readonly refusal: string;
}

async function agree(session: Session, { agreed, question, refusal }: Agreement): Promise<void> {
  if (agreed) return;
  if (!canAsk(session.shell)) throw new UsageError(refusal, say('cli.agreeUnchanged'));
  const questions = await session.shell.questions();
  if (!(await questions.confirm(question))) throw new UsageError(say('cli.nothingChanged'), say('cli.agree'));
}

/** What else can be done about a job when an action does not fit its state. */
const whatElse = (job: JobView, { options }: Session): string =>
  job.standing === 'unknown' ? `${nextStep(job, options)}\n` : '';

/** Commands of a person for jobs: retry, cancel or decide. */
type Action =
  | { readonly action: 'retry' }
  | { readonly action: 'cancel' }
  | { readonly action: 'resolve'; readonly resolution: Resolution };

/** Applies a decision to each job and reports the result. */
async function decide(session: Session, jobs: readonly JobView[], action: Action, done: Decided): Promise<ExitStatus> {
  const print = printTo(session);
  const { answers, sharedBy } = await withQuietEngine(session, 'dailies jobs', async (engine) => {
    for (const line of recoveryLines(engine.recovery, session.options)) print(line);
    return { answers: await ask(session, engine.api, jobs, action), sharedBy: engine.sharedBy };
  });
  for (const answer of answers) {
    const name = `${shortId(answer.job.id)}  ${takeName(answer.job)}`;
    if (answer.ok) print(say(done, { name }));
    else session.shell.stderr.write(`${name}: ${plainText(answer.problem)}\n${whatElse(answer.job, session)}`);
  }
  if (answers.length === 0) print(say('cli.noSuchJob'));
  if (answers.some(({ job }) => job.standing === 'unfinished')) {
    print(
      sharedBy
        ? say('cli.otherContinues', { other: inWords(sharedBy) })
        : say('cli.continueWith', { command: commandLine(session.options, 'resume') }),
    );
  }
  return answers.every((answer) => answer.ok) ? exitStatus.saved : exitStatus.failed;
}

/** Answers in the order of the jobs; their present state is read from the database, as everywhere. */
async function ask(session: Session, api: Api, jobs: readonly JobView[], action: Action): Promise<JobAnswer[]> {
  const problems = new Map<string, JobAnswer>();
  for (let start = 0; start < jobs.length; start += MAX_IDS) {
    const ids = jobs.slice(start, start + MAX_IDS).map(({ id }) => id);
    for (const { job, problem } of await refusedOf(api, ids, action)) {
      problems.set(job.id, { ok: false, job, problem });
    }
  }
  return viewDataFolder(session.dataFolder, (view) =>
    jobs.map((job) => problems.get(job.id) ?? { ok: true, job: view?.jobs.view(job.id) ?? job }),
  );
}

async function refusedOf({ jobs }: Api, ids: string[], action: Action) {
  const done =
    action.action === 'resolve'
      ? await Promise.all(ids.map((jobId) => jobs.resolve({ jobId, resolution: action.resolution })))
      : [await jobs[action.action]({ ids })];
  return done.flatMap((each) => each?.result.refused ?? []);
}
