import { countTakes } from '../../contract/batch.ts';
import { t } from '../../contract/messages/words.ts';
import type { NightReport } from '../../contract/night-report.ts';
import { toText } from '../../engine/base/errors.ts';
import type { HistoryEntry, HistoryStore } from '../../engine/db/history-store.ts';
import type { Project } from '../../engine/db/project-store.ts';
import { requireUnarchived } from '../../engine/projects/overview.ts';
import { nightEnd, readNight } from '../../engine/nights/nights.ts';
import { nightStart } from '../../engine/projects/spending.ts';
import { awakeLine, datesFor, headline, toLength, lostIn, priceOfRequests, spentIn } from '../../contract/in-words.ts';
import { writeReport } from '../../server/reports/write-report.ts';
import { refused } from '../exit.ts';
import { engineAtWork, viewDataFolder, wantedProjects, type View } from '../look.ts';
import { timeGiven } from '../options.ts';
import { printList } from '../output/list.ts';
import { dateAndTime, plainText } from '../output/text.ts';
import { remedyHere } from '../output/words.ts';
import { loggerFor, toSettings } from '../service-access.ts';
import type { Session } from '../session.ts';
import { JSON_LINES, PROJECT, verb, word, type Given } from '../verb.ts';

const REPORT = [
  PROJECT,
  word('--since <time>', 'cli.optHistorySince'),
  word('--until <time>', 'cli.optReportUntil'),
  word('--html', 'cli.optReportHtml'),
  JSON_LINES,
] as const;
const HISTORY = [PROJECT, word('--since <time>', 'cli.optHistorySince'), JSON_LINES] as const;

export const verbs = [
  verb('report', 'cli.helpReport', REPORT, report),
  verb('history', 'cli.helpHistory', HISTORY, (session, options) => {
    const since = options.since === undefined ? 0 : timeGiven(session, options.since);
    viewDataFolder(session.dataFolder, (view) => {
      const [project] = options.project === undefined ? [] : wantedProjects(view, options, session);
      printList(session, {
        type: 'history',
        rows: entries(view.history, { since, ...(project && { projectId: project.id }) }),
        object: ({ at, by, code, facts, projectId, batchId, takeId }) => ({
          ...{ at: new Date(at).toISOString(), by, code, facts, projectId, batchId, takeId },
        }),
        cells: ({ at, by, text }) => [t('cli.historyEntry', { when: dateAndTime(at), who: by, what: plainText(text) })],
        none: t('cli.historyEmpty'),
      });
    });
  }),
];

const PAGE = 500;

function* entries(
  store: HistoryStore,
  wanted: { readonly projectId?: string; readonly since: number },
): Generator<HistoryEntry> {
  for (let page = store.page({ ...wanted, count: PAGE }); page.length > 0;) {
    yield* page;
    page = store.page({ ...wanted, before: page.at(-1)?.id ?? 0, count: PAGE });
  }
}

interface Time {
  readonly since: number;
  readonly until: number;
}

/** Prints a night's report: without a time the present night's, or the last one's if nothing was done in it. */
async function report(session: Session, options: Given<typeof REPORT>): Promise<void> {
  const wanted = timeFor(session, options);
  await viewDataFolder(session.dataFolder, async (view) => {
    const projects = wantedProjects(view, options, session);
    const projectId = options.project === undefined ? undefined : projects[0]?.id;
    const { night, time } = await nightFor(session, view, wanted, projectId);
    const pages: Page[] = [];
    for (const { id, name, path } of options.html ? projects : []) {
      const ofProject = await readOf(session, view, time, id);
      if (countTakes(ofProject.takes) === 0 && options.project === undefined) continue;
      pages.push(await pageFor(session, view, { id, name, path }, ofProject));
    }
    if (session.json) session.printJson(asObject(night, pages));
    else tell(session.print, night, { pages, wantsPages: options.html === true });
  });
}

function timeFor(session: Session, { since, until }: Given<typeof REPORT>): Time | null {
  const now = session.shell.clock.now();
  if (since === undefined && until === undefined) return null;
  const to = until === undefined ? null : timeGiven(session, until);
  const from = since === undefined ? nightStart((to ?? now) - 1) : timeGiven(session, since);
  const end = to ?? (since === 'last-night' ? nightEnd(from) : now);
  if (end <= from) throw refused('cli.reportOrder');
  return { since: from, until: end };
}

async function nightFor(session: Session, view: View, wanted: Time | null, projectId: string | undefined) {
  if (wanted !== null) return { night: await readOf(session, view, wanted, projectId), time: wanted };
  const since = nightStart(session.shell.clock.now());
  const present = { since, until: nightEnd(since) };
  const night = await readOf(session, view, present, projectId);
  if (night.timeline !== null || countTakes(night.takes) > 0) return { night, time: present };
  const before = { since: nightStart(since - 1), until: since };
  return { night: await readOf(session, view, before, projectId), time: before };
}

function readOf(session: Session, view: View, time: Time, projectId: string | undefined): Promise<NightReport> {
  const isRunning = engineAtWork(session.dataFolder) !== null;
  const wanted = { ...time, projectId, now: session.shell.clock.now(), isRunning };
  return readNight({ ...view, settings: toSettings(session) }, wanted);
}

interface Page {
  readonly project: string;
  readonly file?: string;
  readonly problem?: string;
}

/** A folder that is away or read-only does not prevent the report. */
async function pageFor(session: Session, view: View, { id, name, path }: Project, night: NightReport): Promise<Page> {
  const fileFor = (takeId: string) => {
    const output = view.outputs.outputs(takeId)[0];
    return output ? { projectId: id, project: path, output } : null;
  };
  const { shell, dataFolder } = session;
  try {
    requireUnarchived(view.projects, id);
    const parts = { dataFolder, clock: shell.clock, logger: loggerFor(session, null), fileOf: fileFor };
    return { project: name, file: await writeReport(path, night, parts) };
  } catch (error) {
    return { project: name, problem: plainText(toText(error)) };
  }
}

function tell(
  print: Session['print'],
  night: NightReport,
  { pages, wantsPages }: { readonly pages: readonly Page[]; readonly wantsPages: boolean },
): void {
  const { project, since, until, spend, requests } = night;
  const name = project === null ? t('common.allProjects') : plainText(project.name);
  print(`${name} · ${t('report.night', { dates: datesFor(since, until) })}`);
  print(headline(night.takes));
  const spent = spentIn(spend);
  const { estimate, currency } = spend;
  if (spent !== null) {
    const of = !estimate.price
      ? []
      : [t('report.figureSpentOf', { estimate: priceOfRequests(estimate.price, currency) })];
    print(`${t('report.figureSpent')}: ${[priceOfRequests(spent, currency), ...of].join(' ')}`);
  }
  if (requests.sent > 0) {
    const again = requests.again > 0 ? ` (${t('report.figureAgain', { count: requests.again })})` : '';
    print(`${t('report.figureSent')}: ${requests.sent}${again}`);
  }
  heading(print, t('report.waits'), lostIn(night), ({ cause, ms, times, waiting }) => {
    return `${t('report.cause', { cause })}: ${toLength(ms)} (${t('report.waitTimes', { times, waiting })})`;
  });
  heading(print, t('report.awake'), night.awake, awakeLine);
  if (night.awake.length === 0 && requests.sent > 0) print(`\n${t('report.awakeYes')}`);
  heading(print, t('report.failures'), night.failures, ({ code, takes, message, remedy }) => {
    return `${t('common.takes', { count: takes })}: ${plainText(message)} ${remedyHere({ code, remedy })}`.trimEnd();
  });
  heading(print, t('report.next'), night.next, ({ step, takes }) => t('report.nextStep', { step, takes }));
  if (night.earlierDecisions > 0) print(t('report.earlierDecisions', { count: night.earlierDecisions }));
  if (wantsPages) print('');
  if (wantsPages && pages.length === 0) print(t('cli.reportNoWork'));
  for (const { project: of, file, problem } of pages) {
    if (file !== undefined) print(t('cli.written', { file: plainText(file) }));
    else print(t('cli.reportNotWritten', { project: plainText(of), reason: plainText(problem ?? '') }));
  }
}

/** A heading with its lines; nothing without lines. */
function heading<T>(print: (line: string) => void, title: string, all: readonly T[], line: (each: T) => string): void {
  if (all.length === 0) return;
  print(`\n${title}`);
  for (const each of all) print(`  ${line(each)}`);
}

/** One object; `docs/guide/report.md` lists its fields. Times are ISO 8601, lengths are ms. */
function asObject(night: NightReport, pages: readonly Page[]): object {
  const { since, until, timeline, awake, spend, ...rest } = night;
  const iso = (at: number): string => new Date(at).toISOString();
  const span = <T extends { readonly from: number; readonly until: number }>(each: T) => ({
    ...each,
    ...{ from: iso(each.from), until: iso(each.until) },
  });
  return {
    ...{ type: 'report', version: 1, since: iso(since), until: iso(until), headline: headline(night.takes), ...rest },
    spend: { ...spend, spent: spentIn(spend) },
    awake: awake.map(span),
    timeline: timeline && { ...span(timeline), spans: timeline.spans.map(span) },
    files: pages,
  };
}
