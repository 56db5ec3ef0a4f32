import { say } from '../../contract/messages/words.ts';
import type { HistoryStore, HistoryEntry } from '../../engine/db/history-store.ts';
import type { ExitStatus } from '../exit.ts';
import { printList } from '../output/list.ts';
import { dateAndTime, plainText } from '../output/text.ts';
import { viewDataFolder, wantedProjects } from '../look.ts';
import { timeGiven } from '../report-time.ts';
import type { Session } from '../session.ts';
import { JSON_LINES, PROJECT, verb, word, type Given } from '../verb.ts';

const HISTORY = [PROJECT, word('--since <time>', 'cli.optHistorySince'), JSON_LINES] as const;

export const verbs = [verb('history', 'cli.helpHistory', HISTORY, history)];

const PAGE = 500;

function history(session: Session, options: Given<typeof HISTORY>): ExitStatus {
  const since = options.since === undefined ? 0 : timeGiven(session, options.since);
  return viewDataFolder(session.dataFolder, (view) => {
    const [project] = options.project === undefined ? [] : wantedProjects(view, options, session);
    return printList(session, options.json, {
      type: 'history',
      rows: entries(view.history, { since, ...(project && { projectId: project.id }) }),
      object: asObject,
      cells: (entry) => [lineOf(entry)],
      none: say('cli.historyEmpty'),
    });
  });
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
  ...{ at: new Date(at).toISOString(), by, code, facts },
  ...{ projectId, batchId, takeId },
});
