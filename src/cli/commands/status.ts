import { say } from '../../contract/messages/words.ts';
import { standingColumns } from '../output/report.ts';
import { jsonLine, summaryOf } from '../output/ndjson.ts';
import { plainText, tableLines, timeOfDay } from '../output/text.ts';
import { exitStatus, type ExitStatus } from '../exit.ts';
import { engineAtWork, viewDataFolder, wantedProjects, type View } from '../look.ts';
import type { Holder } from '../../engine/base/instance-lock.ts';
import { sumOf } from '../../contract/counts.ts';
import type { Counts } from '../../contract/job.ts';
import { spanInWords } from '../../contract/in-words.ts';
import type { TimeSpan } from '../../contract/time-span.ts';
import { originOf } from '../../engine/api/address.ts';
import { workLeft } from '../../engine/jobs/expected-work.ts';
import { expectedSpan } from '../../engine/machine/expected-end.ts';
import { settingsOf } from '../service-access.ts';
import { printTo, type Session, commandLine } from '../session.ts';
import { JSON_SUMMARY, PROJECT, verb, word, type Given } from '../verb.ts';

const STATUS = [PROJECT, word('--watch', 'cli.optStatusWatch'), JSON_SUMMARY] as const;
type StatusOptions = Given<typeof STATUS>;

export const verbs = [verb('status', 'cli.helpStatus', STATUS, status)];

interface BatchStatus {
  readonly project: string;
  readonly path: string;
  readonly batch: string;
  readonly counts: Counts;
}

interface Status {
  readonly holder: Holder | null;
  readonly batches: readonly BatchStatus[];
  readonly total: Counts;
  /** Requests that were on their way when the last engine ended without waiting for them. */
  readonly cutOff: number;
  /** How much longer the queue takes, ms; null when there is too little to go by, or no engine runs. */
  readonly left: TimeSpan | null;
}

const WATCH_MS = 2000;

/** Prints the status of every batch. A question, so its exit status is 0 for any answer. */
async function status(session: Session, options: StatusOptions): Promise<ExitStatus> {
  const { shell, interrupted } = session;
  tell(session, options, lookUp(session, options));
  while (options.watch === true && !interrupted.aborted) {
    // Stopping is the normal end of watching.
    await shell.clock.sleep(WATCH_MS, { signal: interrupted }).catch(() => undefined);
    if (!interrupted.aborted) tell(session, options, lookUp(session, options));
  }
  return exitStatus.saved;
}

function lookUp(session: Session, options: StatusOptions): Status {
  return viewDataFolder(session.dataFolder, (view) => {
    const projects = wantedProjects(view, options, session);
    const batches = projects.flatMap(({ id, name, path }) =>
      view.batches.list(id).map((batch) => ({
        project: name,
        path,
        batch: batch.name,
        counts: view.queries.counts({ batchId: batch.id }),
      })),
    );
    const holder = engineAtWork(session.dataFolder);
    const states = holder ? [] : projects.map(({ id }) => view.queries.stateCounts({ projectId: id }));
    const cutOff = states.reduce((sum, counts) => sum + (counts.submitting ?? 0), 0);
    const left = holder && leftOf(session, view);
    return { holder, batches, total: sumOf(batches.map((batch) => batch.counts)), cutOff, left };
  });
}

function leftOf(session: Session, { queries, service }: View): TimeSpan | null {
  const { baseUrl, maxRate } = settingsOf(session);
  // Without the key, so that no keychain is read: hardly anyone has two keys for one address.
  const account =
    baseUrl === ''
      ? null
      : { keyFingerprint: '', ...service.accountsAt(originOf(baseUrl))[0], origin: originOf(baseUrl) };
  const accountOf = (name: string | null) => (name === null ? account : null);
  return expectedSpan(workLeft({ queries, service, accountOf, maxRate: maxRate.submit }));
}

function tell(
  { shell, ...session }: Session,
  options: StatusOptions,
  { holder, batches, total, cutOff, left }: Status,
): void {
  if (options.json) {
    shell.stdout.write(
      jsonLine({ type: 'engine', running: holder !== null, ...(holder && { holder }), ...(left && { left }) }),
    );
    for (const { counts, ...batch } of batches) shell.stdout.write(jsonLine({ type: 'batch', ...batch, ...counts }));
    shell.stdout.write(jsonLine(summaryOf(total)));
    return;
  }
  const print = printTo({ shell, ...session });
  if (options.watch) print(`\n${timeOfDay(shell.clock.now())}`);
  print(
    holder
      ? say('cli.engineRuns', {
          pid: String(holder.pid),
          command: plainText(holder.command),
          time: timeOfDay(holder.startedAt),
        })
      : say('cli.noEngine'),
  );
  if (batches.length === 0) {
    print(say('cli.nothingRun'));
    return;
  }
  const rows = batches.map(({ project, batch, counts }) => [plainText(project), plainText(batch), ...cells(counts)]);
  const titles = [{ title: say('cli.project') }, { title: say('cli.batch') }, ...standingColumns()];
  for (const line of tableLines(titles, rows)) print(line);
  if (left) print(say('cli.statusLeft', { span: spanInWords(left) }));
  const command = (...words: string[]) => commandLine(session.options, ...words);
  if (total.unknown > 0)
    print(say('cli.decisionsNeeded', { command: command('jobs', 'list', '--standing', 'unknown') }));
  if (cutOff > 0) {
    print(say('cli.cutOff', { count: cutOff, command: command('resume') }));
  } else if (total.unfinished > 0 && !holder) print(say('cli.continueWith', { command: command('resume') }));
}

const cells = ({ saved, failed, unknown, cancelled, unfinished }: Counts) =>
  [saved, failed, unknown, cancelled, unfinished].map(String);
