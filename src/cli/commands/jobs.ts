import { MAX_IDS } from '../../contract/commands/jobs.ts';
import { sumOf } from '../../contract/batch.ts';
import { spanInWords, priceInWords, stageInWords, sumsInWords, waitInWords } from '../../contract/in-words.ts';
import {
  isChargedAgain,
  isUnsent,
  JobState,
  type JobStateName,
  type JobView,
  type TimeSpan,
  Resolution,
  Standing,
} from '../../contract/job.ts';
import { accountOn, settingsOn } from '../../contract/accounts.ts';
import { t } from '../../contract/messages/words.ts';
import { toOrigin } from '../../engine/api/address.ts';
import type { JobAnswer } from '../../engine/jobs/job-commands.ts';
import { addSums, stagesOf, sumsLeft } from '../../engine/queries/stages.ts';
import { withQuietEngine } from '../connect.ts';
import type { Api } from '../engine.ts';
import { exitStatus, type ExitStatus, refused, UsageError } from '../exit.ts';
import {
  engineAtWork,
  jobCalled,
  timeLeft,
  type View,
  viewDataFolder,
  type Wanted,
  wantedProjects,
  wantedScopes,
} from '../look.ts';
import { toColumns, printList, printOne } from '../output/list.ts';
import { nextStep, standingCells, standingColumns } from '../output/report.ts';
import { toSummary, RunTally } from '../output/reporter.ts';
import { plainText, shortText, timeOfDay } from '../output/text.ts';
import { engineLine, recoveryLines, shortId, takeName, whoContinues } from '../output/words.ts';
import { toSettings } from '../service-access.ts';
import type { Session } from '../session.ts';
import { fittingTakes } from './chosen-takes.ts';
import { saveStatusSheet } from './status-sheet.ts';
import { agree } from '../shell.ts';
import { createBudgetNotices } from '../studio-link.ts';
import { BATCH, type Given, JSON_LINES, PROJECT, verb, word } from '../verb.ts';

const STATES = JobState.options.map(({ shape }) => shape.state.value as JobStateName);

const LIST = [
  PROJECT,
  BATCH,
  word('--state <state>', 'cli.optState', { choices: STATES }),
  word('--standing <standing>', 'cli.optStanding', { choices: Standing.options }),
  JSON_LINES,
] as const;

const RESOLVE = [
  word('<ID>', 'cli.argJobId'),
  word('--attach <task>', 'cli.optAttach', { conflicts: ['accept', 'lost', 'resubmit'] }),
  word('--accept [address]', 'cli.optAccept', { preset: true, conflicts: ['attach', 'lost', 'resubmit'] }),
  word('--lost', 'cli.optLost', { conflicts: ['accept', 'attach', 'resubmit'] }),
  word('--resubmit', 'cli.optResubmit', { conflicts: ['accept', 'attach', 'lost'] }),
  word('--yes', 'cli.optYesCharges'),
] as const;

const RETRY = [
  word('[IDS...]', 'cli.argJobId'),
  word('--all-failed', 'cli.optAllFailed'),
  word('--project <dir>', 'cli.optProject'),
  BATCH,
  word('--yes', 'cli.optYesCharges'),
] as const;
const CANCEL = [
  word('[IDS...]', 'cli.argJobId'),
  word('--all-failed', 'cli.optCancelAllFailed'),
  word('--all-unfinished', 'cli.optAllUnfinished'),
  word('--project <dir>', 'cli.optProject'),
  BATCH,
] as const;

const RELEASE = [
  word('[IDS...]', 'cli.argJobId'),
  word('--where <query>', 'cli.optWhere'),
  word('--project <dir>', 'cli.optProject'),
  BATCH,
] as const;

const STATUS = [
  word('[LIST]', 'cli.argStatusList'),
  word('--out <file>', 'cli.optStatusOut', { conflicts: ['watch'] }),
  ...[PROJECT, BATCH, word('--sheet <name>', 'cli.optSheet'), word('--encoding <name>', 'cli.optEncoding')],
  ...[word('--watch', 'cli.optStatusWatch'), JSON_LINES],
] as const;

const WATCH_MS = 2000;

export const verbs = [
  /** A question, so its exit status is 0 for any answer. */
  verb('status', 'cli.helpStatus', STATUS, async (session, options) => {
    const { shell, interrupted } = session;
    const { list, out } = options;
    if (list !== undefined && out !== undefined) return saveStatusSheet(session, { ...options, list, out });
    if (list !== undefined || out !== undefined) throw refused('cli.statusListAndOut');
    tell(session, options);
    while (options.watch === true && !interrupted.aborted) {
      // Stopping is the normal end of watching.
      await shell.clock.sleep(WATCH_MS, { signal: interrupted }).catch(() => undefined);
      if (!interrupted.aborted) tell(session, options);
    }
  }),
  verb('jobs list', 'cli.helpJobsList', LIST, (session, { state, standing, ...wanted }) => {
    const rows = viewDataFolder(session.dataFolder, (view) =>
      wantedScopes(view, wanted, session).flatMap((scope) =>
        view.queries.list({ ...scope, ...(state && { state }), ...(standing && { standing }) }),
      ),
    );
    printList(session, {
      type: 'job',
      rows,
      columns: toColumns(
        ...(['cli.id', 'common.batch', 'common.shot', '>common.take', 'common.kind', 'common.state'] as const),
        ...(['common.task', 'cli.detail'] as const),
      ),
      cells: (job) => [
        ...[shortId(job.id), shortText(job.batch, 24), shortText(job.shot, 24), String(job.take), job.kind],
        ...[stateWords(job), shortText(job.taskId ?? '', 40), toDetail(job)],
      ],
      below: [t('common.takes', { count: rows.length }), ...nextCommands(session, rows)],
      last: toSummary(new RunTally(rows).counts),
    });
  }),
  /** Where that makes a new task, it is charged again, and a person has to agree first. */
  verb('jobs retry', 'cli.helpJobsRetry', RETRY, async (session, options) => {
    const jobs = pickJobs(session, options);
    const charged = jobs.filter(isChargedAgain);
    if (charged.length > 0 && !options.yes) {
      await agree(session.shell, t('cli.retryQuestion', { count: charged.length }));
    }
    return decide(session, jobs, (api, ids) => api.retry({ ids }), 'retry');
  }),
  /** Stops following. What the service accepted continues there and is charged. */
  verb('jobs cancel', 'cli.helpJobsCancel', CANCEL, async (session, options) => {
    const jobs = pickJobs(session, options);
    const status = await decide(session, jobs, (api, ids) => api.cancel({ ids }), 'cancel');
    const running = jobs.filter((job) => job.taskId !== undefined && job.standing !== 'saved');
    if (running.length > 0) session.print(t('cli.cancelledCharged', { count: running.length }));
    return status;
  }),
  /** Opens these waits and nothing else: takes on hold, a pause and a closed window stay. */
  verb('jobs release', 'cli.helpJobsRelease', RELEASE, (session, options) =>
    decide(session, jobsToRelease(session, options), (api, ids) => api.release({ ids, released: true }), 'release'),
  ),
  verb('jobs resolve', 'cli.helpJobsResolve', RESOLVE, async (session, options) => {
    const resolution = toResolution(options);
    const jobs = pickJobs(session, { ids: [options.id] });
    if (resolution.action === 'resubmit' && !options.yes) {
      await agree(session.shell, t('cli.resubmitQuestion', { cost: costFor(session, jobs) }));
    }
    return decide(session, jobs, (api, [jobId = '']) => api.resolve({ jobId, resolution }), resolution.action);
  }),
];

function nextCommands({ line, options }: Session, jobs: readonly JobView[]): string[] {
  const undecided = jobs.find((job) => job.standing === 'unknown');
  const answered = jobs.filter(({ hasAnswer }) => hasAnswer);
  const retry = (...ids: string[]): string => line('jobs', 'retry', ...ids);
  const ids = answered.length === 1 ? answered.map(({ id }) => shortId(id)) : ['ID...'];
  return [
    undecided
      ? `${shortId(undecided.id)}: ${nextStep(undecided, options)}`
      : jobs.some((job) => job.standing === 'failed')
        ? t('cli.continueWith', { command: retry('ID') })
        : '',
    answered.length > 0 ? t('cli.cancelledAnswered', { count: answered.length, command: retry(...ids) }) : '',
  ];
}

function stateWords({ state, paused, standing, worker }: JobView): string {
  const words = state.replaceAll('_', ' ');
  if (worker !== undefined && (standing === 'unfinished' || standing === 'unknown'))
    return t('cli.stateInStudio', { state: words, machine: plainText(worker) || 'empty' });
  return paused ? t('cli.stateHeld', { state: words, reason: paused.replaceAll('_', ' ') }) : words;
}

function toDetail({ failure, files, waitsFor, wait, needsFrame, hasAnswer, notice }: JobView): string {
  if (wait) return plainText(waitInWords({ wait, waitsFor }));
  if (waitsFor !== undefined) return t('cli.waitsFor', { cells: plainText(waitsFor) });
  if (needsFrame !== undefined) return t('cli.waitsForFrame', { cell: plainText(needsFrame) });
  if (hasAnswer && notice) return plainText(notice.message);
  return failure ? plainText(failure.message) : files.map(plainText).join(', ');
}

interface PickedJobs extends Wanted {
  readonly ids: readonly string[];
  readonly allFailed?: boolean;
  readonly allUnfinished?: boolean;
}

function costFor(session: Session, [job]: readonly JobView[]): string {
  const unclear = viewDataFolder(session.dataFolder, ({ ledger }) => ledger.totals({ jobId: job?.id ?? '' }).unclear);
  if (unclear.price === null) return t('common.priceUnknown');
  return priceInWords(unclear.price, toSettings(session).currency);
}

/** `accept`: an address in the kept answer; true for the answer itself. */
function toResolution({ attach, accept, lost, resubmit }: Given<typeof RESOLVE>): Resolution {
  if (attach !== undefined && attach.trim() !== '') return { action: 'attach', taskId: attach.trim() };
  if (accept === true) return { action: 'accept' };
  if (accept !== undefined) {
    const read = Resolution.safeParse({ action: 'accept', url: accept.trim() });
    if (read.success) return read.data;
    throw new UsageError(t('failure.notAWebAddress'), t('cli.notWebAddressRemedy'));
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
    if (view.isNew) throw refused('cli.noTakesYet');
    if (ids.length > 0) return ids.map((id) => jobCalled(view, id));
    return wantedScopes(view, options, session)
      .flatMap((scope) => view.queries.list(scope))
      .filter(({ isSetAside }) => !isSetAside)
      .filter(({ standing }) => (allFailed && standing === 'failed') || (allUnfinished && standing === 'unfinished'));
  });
}

/** Those that are named; else all in the scope that wait for a release and fit the search. */
function jobsToRelease(session: Session, { ids, where, ...wanted }: Given<typeof RELEASE>): JobView[] {
  if (ids.length > 0 && where !== undefined) throw refused('cli.whichTakes');
  if (ids.length > 0) return pickJobs(session, { ids });
  return viewDataFolder(session.dataFolder, (view) => {
    if (view.isNew) throw refused('cli.noTakesYet');
    const { waits } = view.jobs;
    return fittingTakes(view, { ...wanted, ...(where !== undefined && { where }) }, session).flatMap(({ id }) => {
      const job = view.jobs.get(id);
      const isOpen = job && isUnsent(job.state) && waits.waitFor(job.shotId) === 'release' && !waits.isReleased(id);
      return (isOpen && view.queries.view(id)) || [];
    });
  });
}

type Action = (jobs: Api['jobs'], ids: string[]) => ReturnType<Api['jobs']['retry']>;

async function decide(
  session: Session,
  jobs: readonly JobView[],
  action: Action,
  done: 'retry' | 'cancel' | 'release' | Resolution['action'],
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
    if (answer.ok) print(t('cli.decided', { name, done }));
    else session.complain(`${name}: ${plainText(answer.problem)}${ways}`);
  }
  if (answers.length === 0) print(t('cli.nothingChanged'));
  if (answers.some(({ job }) => job.standing === 'unfinished')) {
    print(whoContinues(session, sharedBy));
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

function tell(session: Session, options: Given<typeof STATUS>): void {
  const { json, print, line } = session;
  const settings = toSettings(session);
  const hasSeveral = settings.accounts.length > 0;
  viewDataFolder(session.dataFolder, (view) => {
    const projects = wantedProjects(view, options, session);
    const rows = projects.flatMap(({ id, name, path }) =>
      view.batches.list(id).map((batch) => ({
        ...{
          project: name,
          path,
          batch: batch.name,
          account: accountOn(settings, view.projects.service(id))?.name ?? null,
        },
        counts: view.queries.counts({ batchId: batch.id }),
        stages: stagesOf(view, batch.id),
        sums: sumsLeft(view, batch.id, settingsOn(settings, view.projects.service(id))),
      })),
    );
    const total = sumOf(rows.map(({ counts }) => counts));
    const sums = addSums(rows.map((row) => row.sums));
    const waiting = projects.reduce((sum, { id }) => sum + view.queries.waiting({ projectId: id }), 0);
    const holder = engineAtWork(session.dataFolder);
    const left = holder && leftOf(session, view);
    if (options.watch && !json) print(`\n${timeOfDay(session.shell.clock.now())}`);
    const engine = { type: 'engine', running: holder !== null, ...(holder && { holder }), ...(left && { left }) };
    printOne(session, engine, engineLine(holder));
    // Requests that were on their way when the last engine ended without waiting for them.
    const cutOff = holder
      ? 0
      : projects.flatMap(({ id }) => view.queries.list({ projectId: id, state: 'submitting' })).length;
    const command = line('resume');
    const goOn = total.unfinished > 0 && !holder ? t('cli.continueWith', { command }) : '';
    const decide = line('jobs', 'list', '--standing', 'unknown');
    const inStudio = projects.flatMap(({ id }) => view.jobs.studio.unfinishedIn(id));
    const usedUp: string[] = [];
    createBudgetNotices(session, (_, notice) => usedUp.push(notice))(view);
    const nextSteps = [
      ...rows.flatMap(({ batch, stages }) =>
        stages.length === 0 ? [] : [`${plainText(batch)}:`, ...stages.map((stage) => `  ${stageInWords(stage)}`)],
      ),
      ...inStudio.map(({ worker, takes }) =>
        t('cli.takesInStudio', { machine: plainText(worker ?? '') || 'empty', count: takes }),
      ),
      ...usedUp,
      sums.afterPicks.takes > 0 ? t('cli.chainSums', sumsInWords(sums, settings.currency)) : '',
      left ? t('cli.timeLeft', { span: spanInWords(left) }) : '',
      total.unknown > 0 ? t('cli.decisionsNeeded', { command: decide }) : '',
      cutOff > 0 ? t('cli.cutOff', { count: cutOff, command }) : goOn,
    ];
    printList(session, {
      type: 'batch',
      rows,
      object: ({ counts, sums, ...batch }) => ({ ...batch, ...counts, ...sums }),
      columns: [
        ...toColumns('common.project', 'common.batch', ...(hasSeveral ? (['common.account'] as const) : [])),
        ...standingColumns(),
      ],
      cells: ({ project, batch, account, counts }) => [
        ...[plainText(project), plainText(batch), ...(hasSeveral ? [plainText(account ?? '')] : [])],
        ...standingCells(counts),
      ],
      none: t('cli.nothingRun'),
      below: rows.length === 0 ? [] : nextSteps,
      last: toSummary({ ...total, waiting }),
    });
  });
}

function leftOf(session: Session, view: View): TimeSpan | null {
  const settings = toSettings(session);
  // An estimate of the first account's work.
  const { baseUrl } = settings;
  // Without the key, so that no keychain is read: hardly anyone has two keys for one address.
  const account =
    baseUrl === ''
      ? null
      : { keyFingerprint: '', ...view.service.accountsAt(toOrigin(baseUrl))[0], origin: toOrigin(baseUrl) };
  return timeLeft(view, { account, settings });
}
