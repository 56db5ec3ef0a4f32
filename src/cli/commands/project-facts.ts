import { countsInWords } from '../../contract/in-words.ts';
import type { ProjectRoom, Room } from '../../contract/project-facts.ts';
import { say } from '../../contract/messages/words.ts';
import { bytesForPeople } from '../../contract/units.ts';
import { ProjectFilesStore } from '../../engine/db/project-files-store.ts';
import { ReviewStore } from '../../engine/db/review-store.ts';
import { TakeTally } from '../../engine/db/take-tally.ts';
import { readFacts } from '../../engine/projects/project-facts.ts';
import { exitStatus, type ExitStatus } from '../exit.ts';
import { jsonLine } from '../output/ndjson.ts';
import { dateAndTime, plainText, shortText, tableLines } from '../output/text.ts';
import { moneyInWords } from '../../contract/money.ts';
import { viewDataFolderAsync, noProjectAt, wantedProjects, type View } from '../read-only-view.ts';
import { settingsOf } from '../service-access.ts';
import { printTo, type Session } from '../session.ts';

export interface FactsOptions {
  readonly project: string;
  readonly json?: boolean;
}

/** Prints facts about a project: disk space, spending, takes, verdicts, dates. Works beside an engine. */
export async function projectFacts(session: Session, options: FactsOptions): Promise<ExitStatus> {
  const facts = await viewDataFolderAsync(session.dataFolder, (view) => read(session, view, options));
  if (options.json) session.shell.stdout.write(jsonLine({ type: 'facts', ...asObject(facts) }));
  else tell(session, facts);
  return exitStatus.saved;
}

type Facts = Awaited<ReturnType<typeof read>>;

async function read(session: Session, view: View | null, options: FactsOptions) {
  const [project] = view ? wantedProjects(view, options, session) : [];
  if (!view || !project) throw noProjectAt(session, options.project);
  const { id, name, path } = project;
  const stores = {
    files: new ProjectFilesStore(view.db),
    tally: new TakeTally(view.db),
    review: new ReviewStore(view.db, view.jobs),
    ledger: view.ledger,
  };
  return { name, path, ...(await readFacts(stores, { id, path })) };
}

function asObject({ dates, ...facts }: Facts): object {
  const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());
  return { ...facts, first: iso(dates.first), last: iso(dates.last) };
}

function tell(session: Session, { name, path, room, takes, verdicts, spent, dates }: Facts): void {
  const print = printTo(session);
  print(`${plainText(name)} · ${plainText(path)}`);
  const counts = countsInWords(takes);
  if (counts !== '') print(say('cli.factsTakes', { counts }));
  print(say('cli.factsVerdicts', { pick: verdicts.pick, reject: verdicts.reject, none: verdicts.none }));
  if (dates.first !== null && dates.last !== null) {
    print(say('cli.factsDates', { first: dateAndTime(dates.first), last: dateAndTime(dates.last) }));
  }
  const { currency } = settingsOf(session);
  if (typeof spent?.settled.price === 'number') {
    print(say('cli.factsSpent', { price: moneyInWords(spent.settled.price, currency) }));
  }
  print('');
  for (const line of roomLines(room)) print(line);
}

function roomLines({ takes, own, others, total }: ProjectRoom): string[] {
  const columns = [
    { title: say('cli.batch') },
    { title: say('cli.state') },
    { title: say('common.files'), align: 'right' as const },
    { title: say('cli.size'), align: 'right' as const },
    { title: say('cli.onDiskTitle'), align: 'right' as const },
  ];
  const cells = (of: string, state: string, { files, bytes, onDisk }: Room): string[] => [
    ...[of, state, String(files), bytesForPeople(bytes), bytesForPeople(onDisk)],
  ];
  return tableLines(columns, [
    ...takes.map((each) =>
      cells(shortText(each.batch, 32), say('projects.factsState', { state: each.standing }), each),
    ),
    cells(say('projects.factsOwn'), '', own),
    cells(say('projects.factsOthers'), '', others),
    cells(say('projects.factsTotal'), '', total),
  ]);
}
