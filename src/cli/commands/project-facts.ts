import { countsInWords } from '../../contract/in-words.ts';
import type { ProjectRoom, Room } from '../../contract/project-facts.ts';
import { say } from '../../contract/messages/words.ts';
import { bytesForPeople } from '../../contract/units.ts';
import { ProjectFilesStore } from '../../engine/db/project-files-store.ts';
import { readFacts } from '../../engine/projects/project-facts.ts';
import { exitStatus, type ExitStatus } from '../exit.ts';
import { columnsOf } from '../output/list.ts';
import { jsonLine } from '../output/ndjson.ts';
import { dateAndTime, plainText, shortText, tableLines } from '../output/text.ts';
import { moneyInWords } from '../../contract/money.ts';
import { lookAtProject } from '../named.ts';
import { settingsOf } from '../service-access.ts';
import { printTo, type Session } from '../session.ts';
import { JSON_LINES, OF_PROJECT, verb, type Given } from '../verb.ts';

const FACTS = [OF_PROJECT, JSON_LINES] as const;

export const verbs = [verb('projects facts', 'cli.helpProjectsFacts', FACTS, projectFacts)];

async function projectFacts(session: Session, { project, json }: Given<typeof FACTS>): Promise<ExitStatus> {
  const facts = await read(session, project);
  if (json) session.shell.stdout.write(jsonLine({ type: 'facts', ...asObject(facts) }));
  else tell(session, facts);
  return exitStatus.saved;
}

const read = (session: Session, project: string) =>
  lookAtProject(session, project, async ({ db, tally, review, ledger }, { id, name, path }) => {
    const stores = { files: new ProjectFilesStore(db), tally, review, ledger };
    return { name, path, ...(await readFacts(stores, { id, path })) };
  });

type Facts = Awaited<ReturnType<typeof read>>;

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
  const columns = columnsOf('cli.batch', 'cli.state', '>common.files', '>cli.size', '>cli.onDiskTitle');
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
