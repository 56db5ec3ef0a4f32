import { say } from '../../contract/messages/words.ts';
import type { HistoryStore, HistoryEntry } from '../../engine/db/history-store.ts';
import { nightStart } from '../../engine/projects/spending.ts';
import { exitStatus, UsageError, type ExitStatus } from '../exit.ts';
import { jsonLine } from '../output/ndjson.ts';
import { dateAndTime, plainText } from '../output/text.ts';
import { viewDataFolder, wantedProjects } from '../look.ts';
import { readTime } from '../report-time.ts';
import { printTo, type Session } from '../session.ts';
import { JSON_LINES, PROJECT, verb, word, type Given } from '../verb.ts';

const HISTORY = [PROJECT, word('--since <time>', 'cli.optHistorySince'), JSON_LINES] as const;

export const verbs = [verb('history', 'cli.helpHistory', HISTORY, history)];

const PAGE = 500;

function history(session: Session, options: Given<typeof HISTORY>): ExitStatus {
  const { shell } = session;
  const since = options.since === undefined ? 0 : readTime(options.since, shell.clock.now(), nightStart);
  if (since === null) throw new UsageError(say('cli.notTime'), '');
  const print = printTo(session);
  const lines = viewDataFolder(session.dataFolder, (view) => {
    if (!view) return 0;
    const [project] = options.project === undefined ? [] : wantedProjects(view, options, session);
    const wanted = { since, ...(project && { projectId: project.id }) };
    let count = 0;
    for (const entry of entries(view.history, wanted)) {
      if (options.json) shell.stdout.write(jsonLine(asObject(entry)));
      else print(lineOf(entry));
      count += 1;
    }
    return count;
  });
  if (lines === 0 && !options.json) print(say('cli.historyEmpty'));
  return exitStatus.saved;
}

function* entries(
  store: HistoryStore,
  wanted: { readonly projectId?: string; readonly since: number },
): Generator<HistoryEntry> {
  for (let page = store.page({ ...wanted, count: PAGE }); page.length > 0;) {
    yield* page;
    page = store.page({ ...wanted, before: page.at(-1)?.id ?? 0, count: PAGE });
  }
}

const lineOf = ({ at, by, text }: HistoryEntry): string =>
  say('cli.historyEntry', { when: dateAndTime(at), who: say(`cli.historyBy.${by}`), what: plainText(text) });

const asObject = ({ at, by, code, facts, projectId, batchId, takeId }: HistoryEntry): object => ({
  ...{ type: 'history', at: new Date(at).toISOString(), by, code, facts },
  ...{ projectId, batchId, takeId },
});
