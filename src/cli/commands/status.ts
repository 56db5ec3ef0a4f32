import { say } from '../../contract/messages/words.ts';
import { columnsOf, printList, printOne } from '../output/list.ts';
import { standingCells, standingColumns } from '../output/report.ts';
import { summaryOf } from '../output/reporter.ts';
import { plainText, timeOfDay } from '../output/text.ts';
import { engineAtWork, timeLeft, viewDataFolder, wantedProjects, type View } from '../look.ts';
import type { Holder } from '../../engine/base/instance-lock.ts';
import { sumOf } from '../../contract/counts.ts';
import { spanInWords } from '../../contract/in-words.ts';
import type { TimeSpan } from '../../contract/time-span.ts';
import { originOf } from '../../engine/api/address.ts';
import { settingsOf } from '../service-access.ts';
import type { Session } from '../session.ts';
import { JSON_SUMMARY, PROJECT, verb, word, type Given } from '../verb.ts';

const STATUS = [PROJECT, word('--watch', 'cli.optStatusWatch'), JSON_SUMMARY] as const;

const WATCH_MS = 2000;

/** Prints the status of every batch. A question, so its exit status is 0 for any answer. */
export const verbs = [
  verb('status', 'cli.helpStatus', STATUS, async (session, options) => {
    const { shell, interrupted } = session;
    tell(session, options);
    while (options.watch === true && !interrupted.aborted) {
      // Stopping is the normal end of watching.
      await shell.clock.sleep(WATCH_MS, { signal: interrupted }).catch(() => undefined);
      if (!interrupted.aborted) tell(session, options);
    }
  }),
];

function tell(session: Session, options: Given<typeof STATUS>): void {
  const { json, print, line } = session;
  viewDataFolder(session.dataFolder, (view) => {
    const projects = wantedProjects(view, options, session);
    const rows = projects.flatMap(({ id, name, path }) =>
      view.batches.list(id).map((batch) => ({
        ...{ project: name, path, batch: batch.name },
        counts: view.queries.counts({ batchId: batch.id }),
      })),
    );
    const total = sumOf(rows.map(({ counts }) => counts));
    const holder = engineAtWork(session.dataFolder);
    const left = holder && leftOf(session, view);
    if (options.watch && !json) print(`\n${timeOfDay(session.shell.clock.now())}`);
    const engine = { type: 'engine', running: holder !== null, ...(holder && { holder }), ...(left && { left }) };
    printOne(session, engine, holder ? engineLine(holder) : say('cli.noEngine'));
    const states = holder ? [] : projects.map(({ id }) => view.queries.stateCounts({ projectId: id }));
    // Requests that were on their way when the last engine ended without waiting for them.
    const cutOff = states.reduce((sum, counts) => sum + (counts.submitting ?? 0), 0);
    const command = line('resume');
    const goOn = total.unfinished > 0 && !holder ? say('cli.continueWith', { command }) : '';
    const decide = line('jobs', 'list', '--standing', 'unknown');
    const nextSteps = [
      left ? say('cli.statusLeft', { span: spanInWords(left) }) : '',
      total.unknown > 0 ? say('cli.decisionsNeeded', { command: decide }) : '',
      cutOff > 0 ? say('cli.cutOff', { count: cutOff, command }) : goOn,
    ];
    printList(session, {
      type: 'batch',
      rows,
      object: ({ counts, ...batch }) => ({ ...batch, ...counts }),
      columns: [...columnsOf('cli.project', 'cli.batch'), ...standingColumns()],
      cells: ({ project, batch, counts }) => [plainText(project), plainText(batch), ...standingCells(counts)],
      none: say('cli.nothingRun'),
      below: rows.length === 0 ? [] : nextSteps,
      last: summaryOf(total),
    });
  });
}

const engineLine = ({ pid, command, startedAt }: Holder): string =>
  say('cli.engineRuns', { pid: String(pid), command: plainText(command), time: timeOfDay(startedAt) });

function leftOf(session: Session, view: View): TimeSpan | null {
  const settings = settingsOf(session);
  const { baseUrl } = settings;
  // Without the key, so that no keychain is read: hardly anyone has two keys for one address.
  const account =
    baseUrl === ''
      ? null
      : { keyFingerprint: '', ...view.service.accountsAt(originOf(baseUrl))[0], origin: originOf(baseUrl) };
  return timeLeft(view, { account, settings });
}
