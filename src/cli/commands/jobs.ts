import { MAX_IDS } from '../../contract/commands/jobs.ts';
import { isChargedAgain, JobState, Resolution, Standing, type JobStateName, type JobView } from '../../contract/job.ts';
import { say, type MessageKey } from '../../contract/messages/words.ts';
import { priceInWords } from '../../contract/money.ts';
import type { JobAnswer } from '../../engine/jobs/job-commands.ts';
import { withQuietEngine } from '../connect.ts';
import type { Api } from '../engine.ts';
import { exitStatus, refused, UsageError, type ExitStatus } from '../exit.ts';
import { jobNamed, viewDataFolder, wantedScopes, type Wanted } from '../look.ts';
import { columnsOf, printList } from '../output/list.ts';
import { countsOf, nextStep } from '../output/report.ts';
import { summaryOf } from '../output/reporter.ts';
import { plainText, shortText } from '../output/text.ts';
import { holderInWords, recoveryLines, shortId, takeName } from '../output/words.ts';
import { settingsOf } from '../service-access.ts';
import type { Session } from '../session.ts';
import { agree } from '../shell.ts';
import { BATCH, JSON_SUMMARY, PROJECT, verb, word, type Given } from '../verb.ts';

const STATES = JobState.options.map(({ shape }) => shape.state.value as JobStateName);

const LIST = [
  PROJECT,
  BATCH,
  word('--state <state>', 'cli.optState', { choices: STATES }),
  word('--standing <standing>', 'cli.optStanding', { choices: Standing.options }),
  JSON_SUMMARY,
] as const;

const RESOLVE = [
  word('<ID>', 'cli.argJobId'),
  word('--attach <task>', 'cli.optAttach', { conflicts: ['accept', 'lost', 'resubmit'] }),
  word('--accept [address]', 'cli.optAccept', { preset: true, conflicts: ['attach', 'lost', 'resubmit'] }),
  word('--lost', 'cli.optLost', { conflicts: ['accept', 'attach', 'resubmit'] }),
  word('--resubmit', 'cli.optResubmit', { conflicts: ['accept', 'attach', 'lost'] }),
  word('--yes', 'cli.optYesSecond'),
] as const;

const RETRY = [
  word('[IDS...]', 'cli.argJobIds'),
  word('--all-failed', 'cli.optAllFailed'),
  word('--project <dir>', 'cli.optAllFailedProject'),
  BATCH,
  word('--yes', 'cli.optYesCharges'),
] as const;
const CANCEL = [
  word('[IDS...]', 'cli.argJobIds'),
  word('--all-failed', 'cli.optCancelAllFailed'),
  word('--all-unfinished', 'cli.optAllUnfinished'),
  word('--project <dir>', 'cli.optAllProject'),
  BATCH,
] as const;

export const verbs = [
  verb('jobs list', 'cli.helpJobsList', LIST, (session, { state, standing, ...wanted }) => {
    const rows = viewDataFolder(session.dataFolder, (view) =>
      wantedScopes(view, wanted, session).flatMap((scope) =>
        view.queries.list({ ...scope, ...(state && { state }), ...(standing && { standing }) }),
      ),
    );
    printList(session, {
      type: 'job',
      rows,
      columns: columnsOf(
        ...(['cli.id', 'cli.batch', 'cli.shot', '>cli.take', 'cli.kind', 'cli.state'] as const),
        ...(['cli.taskColumn', 'cli.detail'] as const),
      ),
      cells: (job) => [
        ...[shortId(job.id), shortText(job.batch, 24), shortText(job.shot, 24), String(job.take), job.kind],
        ...[stateWords(job), shortText(job.taskId ?? '', 40), detailOf(job)],
      ],
      below: [say('cli.jobs', { count: rows.length }), ...waysOn(session, rows)],
      last: summaryOf(countsOf(rows)),
    });
  }),
  /** Where that makes a new task, it is charged again, and a person has to agree first. */
  verb('jobs retry', 'cli.helpJobsRetry', RETRY, async (session, options) => {
    const jobs = pickJobs(session, options);
    const charged = jobs.filter(isChargedAgain);
    if (charged.length > 0 && !options.yes) {
      const ids = charged.map((job) => shortId(job.id)).join(', ');
      await agree(session.shell, {
        question: say('cli.retryQuestion', { count: charged.length }),
        refusal: [say('cli.retryRefusal', { count: charged.length, ids }), say('cli.agreeUnchanged')],
        declined: [say('cli.nothingChanged'), say('cli.agree')],
      });
    }
    return decide(session, jobs, (api, ids) => api.retry({ ids }), 'cli.decidedRetry');
  }),
  /** Stops following. What the service accepted continues there and is charged. */
  verb('jobs cancel', 'cli.helpJobsCancel', CANCEL, async (session, options) => {
    const jobs = pickJobs(session, options);
    const status = await decide(session, jobs, (api, ids) => api.cancel({ ids }), 'cli.decidedCancel');
    const running = jobs.filter((job) => job.taskId !== undefined && job.standing !== 'saved');
    if (running.length > 0) session.print(say('cli.cancelledCharged', { count: running.length }));
    return status;
  }),
  verb('jobs resolve', 'cli.helpJobsResolve', RESOLVE, async (session, options) => {
    const resolution = resolutionOf(options);
    const jobs = pickJobs(session, { ids: [options.id] });
    if (resolution.action === 'resubmit' && !options.yes) {
      await agree(session.shell, {
        question: say('cli.resubmitQuestion', { cost: costOf(session, jobs) }),
        refusal: [say('cli.resubmitRefusal'), say('cli.agreeUnchanged')],
        declined: [say('cli.nothingChanged'), say('cli.agree')],
      });
    }
    const done = DECIDED[resolution.action];
    return decide(session, jobs, (api, [jobId = '']) => api.resolve({ jobId, resolution }), done);
  }),
];

const DECIDED = {
  attach: 'cli.decidedAttach',
  accept: 'cli.decidedAccept',
  lost: 'cli.decidedLost',
  resubmit: 'cli.decidedResubmit',
} as const;

function waysOn({ line, options }: Session, jobs: readonly JobView[]): string[] {
  const undecided = jobs.find((job) => job.standing === 'unknown');
  const answered = jobs.filter(({ hasAnswer }) => hasAnswer);
  const retry = (...ids: string[]): string => line('jobs', 'retry', ...ids);
  const ids = answered.length === 1 ? answered.map(({ id }) => shortId(id)) : ['ID...'];
  return [
    undecided
      ? `${shortId(undecided.id)}: ${nextStep(undecided, options)}`
      : jobs.some((job) => job.standing === 'failed')
        ? say('cli.retryWith', { command: retry('ID') })
        : '',
    answered.length > 0 ? say('cli.cancelledAnswered', { count: answered.length, command: retry(...ids) }) : '',
  ];
}

function stateWords({ state, paused }: JobView): string {
  const words = state.replaceAll('_', ' ');
  return paused ? say('cli.stateHeld', { state: words, reason: paused.replaceAll('_', ' ') }) : words;
}

function detailOf({ failure, files, waitsFor, hasAnswer, notice }: JobView): string {
  if (waitsFor !== undefined) return say('cli.waitingFor', { cell: plainText(waitsFor) });
  if (hasAnswer && notice) return plainText(notice.message);
  return failure ? plainText(failure.message) : files.map(plainText).join(', ');
}

interface PickedJobs extends Wanted {
  readonly ids: readonly string[];
  readonly allFailed?: boolean;
  readonly allUnfinished?: boolean;
}

/** What a take may have cost so far. */
function costOf(session: Session, [job]: readonly JobView[]): string {
  const unclear = viewDataFolder(session.dataFolder, ({ ledger }) => ledger.totals({ jobId: job?.id ?? '' }).unclear);
  if (unclear.price === null) return say('common.priceUnknown');
  return priceInWords(unclear.price, settingsOf(session).currency);
}

/** `accept`: an address in the kept answer; true for the answer itself. */
function resolutionOf({ attach, accept, lost, resubmit }: Given<typeof RESOLVE>): Resolution {
  if (attach !== undefined && attach.trim() !== '') return { action: 'attach', taskId: attach.trim() };
  if (accept === true) return { action: 'accept' };
  if (accept !== undefined) {
    const read = Resolution.safeParse({ action: 'accept', url: accept.trim() });
    if (read.success) return read.data;
    throw new UsageError(say('failure.notAWebAddress'), say('cli.notWebAddressRemedy'));
  }
  if (lost) return { action: 'lost' };
  if (resubmit) return { action: 'resubmit' };
  throw refused('cli.noResolution');
}

/** The jobs that a person names. Looked up without an engine, so that a wrong id is reported immediately. */
function pickJobs(session: Session, options: PickedJobs): JobView[] {
  const { ids, allFailed = false, allUnfinished = false } = options;
  if ((ids.length === 0) === !(allFailed || allUnfinished)) {
    throw refused('cli.nameJobs');
  }
  return viewDataFolder(session.dataFolder, (view) => {
    if (view.isNew) throw new UsageError(say('cli.noJobsYet'), say('cli.otherDataFolder'));
    if (ids.length > 0) {
      return ids.map((id) => {
        const named = jobNamed(id, (text) => view.queries.list({ ids: [text] }));
        if (named.ok) return named.job;
        throw new UsageError(named.problem, say('cli.nothingChanged'));
      });
    }
    return wantedScopes(view, options, session)
      .flatMap((scope) => view.queries.list(scope))
      .filter(({ isSetAside }) => !isSetAside)
      .filter(({ standing }) => (allFailed && standing === 'failed') || (allUnfinished && standing === 'unfinished'));
  });
}

type Action = (jobs: Api['jobs'], ids: string[]) => ReturnType<Api['jobs']['retry']>;

async function decide(
  session: Session,
  jobs: readonly JobView[],
  action: Action,
  done: Extract<MessageKey, `cli.decided${string}`>,
): Promise<ExitStatus> {
  const { print, options } = session;
  const { answers, sharedBy } = await withQuietEngine(session, async (engine) => {
    for (const line of recoveryLines(engine.recovery, options)) print(line);
    return { answers: await ask(session, engine.api.jobs, jobs, action), sharedBy: engine.sharedBy };
  });
  for (const answer of answers) {
    const { job } = answer;
    const name = `${shortId(job.id)}  ${takeName(job)}`;
    const ways = job.standing === 'unknown' ? `\n${nextStep(job, options)}` : '';
    if (answer.ok) print(say(done, { name }));
    else session.complain(`${name}: ${plainText(answer.problem)}${ways}`);
  }
  if (answers.length === 0) print(say('cli.noSuchJob'));
  if (answers.some(({ job }) => job.standing === 'unfinished')) {
    const other = sharedBy && holderInWords(sharedBy);
    const command = session.line('resume');
    print(other ? say('cli.otherContinues', { other }) : say('cli.continueWith', { command }));
  }
  return answers.every((answer) => answer.ok) ? exitStatus.saved : exitStatus.failed;
}

async function ask(session: Session, api: Api['jobs'], jobs: readonly JobView[], action: Action): Promise<JobAnswer[]> {
  const problems = new Map<string, JobAnswer>();
  for (let start = 0; start < jobs.length; start += MAX_IDS) {
    const ids = jobs.slice(start, start + MAX_IDS).map(({ id }) => id);
    const refused = (await action(api, ids))?.result.refused ?? [];
    for (const { job, problem } of refused) problems.set(job.id, { ok: false, job, problem });
  }
  return viewDataFolder(session.dataFolder, (view) =>
    jobs.map((job) => problems.get(job.id) ?? { ok: true, job: view.queries.view(job.id) ?? job }),
  );
}
