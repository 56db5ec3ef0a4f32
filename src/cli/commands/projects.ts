import { resolve } from 'node:path';
import { say } from '../../contract/messages/words.ts';
import { countsInWords } from '../../contract/in-words.ts';
import { bytesForPeople } from '../../contract/units.ts';
import { type ExportedProject, exportProject } from '../../engine/projects/export-project.ts';
import { zipProject } from '../../engine/projects/zip-project.ts';
import { exitStatus, type ExitStatus, UsageError } from '../exit.ts';
import { viewDataFolder } from '../look.ts';
import { lookAtProject, projectAt } from '../named.ts';
import { columnsOf, printList, printOne, progressLine } from '../output/list.ts';
import { dateAndTime, plainText, shortText, tableLines } from '../output/text.ts';
import { printTo, type Session } from '../session.ts';
import { type Given, JSON_LINES, OF_PROJECT, verb, word } from '../verb.ts';
import { tableVerbs } from './table.ts';
import type { ProjectRoom, Room } from '../../contract/project-facts.ts';
import { readFacts } from '../../engine/projects/project-facts.ts';
import { moneyInWords } from '../../contract/money.ts';
import { settingsOf } from '../service-access.ts';

const LIST = [word('--archived', 'cli.optArchived'), JSON_LINES] as const;
const EXPORT = [
  OF_PROJECT,
  word('--to <dir>', 'cli.optExportTo'),
  word('--zip <file>', 'cli.optExportZip', { conflicts: ['to'] }),
  JSON_LINES,
] as const;

const FACTS = [OF_PROJECT, JSON_LINES] as const;

const own = [
  verb('projects list', 'cli.helpProjectsList', LIST, listProjects),
  verb('projects export', 'cli.helpProjectsExport', EXPORT, exportWholeProject),
];
const facts = verb('projects facts', 'cli.helpProjectsFacts', FACTS, projectFacts);
export const verbs = [...own, ...tableVerbs('projects', own), facts];

function listProjects(session: Session, { archived = false, json }: Given<typeof LIST>): ExitStatus {
  const rows = viewDataFolder(session.dataFolder, ({ projects, tally }) =>
    projects
      .rows(archived ? 'archived' : 'listed')
      .map((row) => ({ ...row, counts: tally.counts({ projectId: row.id }) })),
  );
  return printList(session, json, {
    type: 'project',
    rows,
    object: ({ id, name, path, batches, bytes, counts }) => ({ id, name, path, archived, batches, bytes, counts }),
    columns: columnsOf('common.project', 'common.folder', 'cli.takesColumn'),
    cells: ({ name, path, counts }) => [shortText(name, 32), plainText(path), countsInWords(counts)],
    none: say('cli.noProjects'),
  });
}

async function exportWholeProject(session: Session, options: Given<typeof EXPORT>): Promise<ExitStatus> {
  const { shell, interrupted } = session;
  const { path } = projectAt(session, options.project);
  const line = progressLine(shell);
  const copying = exporting(path, session, options);
  try {
    for (;;) {
      interrupted.throwIfAborted();
      const { done, value } = await copying.next();
      if (!done) {
        const { bytes, ofBytes } = value;
        const facts = { files: value.files, total: value.ofFiles };
        line.show(() =>
          say('review.exportCopied', {
            ...facts,
            bytes: bytesForPeople(bytes),
            totalBytes: bytesForPeople(Math.max(bytes, ofBytes)),
          }),
        );
        continue;
      }
      line.clear();
      return reportExported(session, value, options.json);
    }
  } finally {
    line.clear();
    // Stopped or failed: what was copied is removed.
    await copying.return({ folder: '', files: 0, leftOut: { count: 0, first: [] } });
  }
}

function reportExported(session: Session, { folder, files, leftOut }: ExportedProject, json?: boolean): ExitStatus {
  const { count, first } = leftOut;
  const line = say('cli.projectExported', { files, folder: plainText(folder) });
  printOne(session, json, { type: 'exported', folder, files, leftOut: count }, line);
  return printList(session, json, {
    type: 'left_out',
    rows: first,
    object: (each) => each,
    cells: ({ path, why }) => [say('projects.leftOut', { path: plainText(path), why })],
    below: [count > first.length ? say('projects.moreLeftOut', { count: count - first.length }) : ''],
  });
}

function exporting(
  path: string,
  { shell }: Session,
  { to, zip }: Given<typeof EXPORT>,
): ReturnType<typeof exportProject> {
  if (zip !== undefined) return zipProject(path, resolve(shell.cwd, zip));
  if (to !== undefined) return exportProject(path, resolve(shell.cwd, to));
  throw new UsageError(say('cli.exportWhere'), say('cli.exportWhereRemedy'));
}

async function projectFacts(session: Session, { project, json }: Given<typeof FACTS>): Promise<ExitStatus> {
  const found = await lookUpFacts(session, project);
  if (json) return printOne(session, json, { type: 'facts', ...factsAsObject(found) }, '');
  tellFacts(session, found);
  return exitStatus.saved;
}

const lookUpFacts = (session: Session, project: string) =>
  lookAtProject(session, project, async (view, { id, name, path }) => ({
    ...{ name, path },
    ...(await readFacts(view, { id, path })),
  }));

type Facts = Awaited<ReturnType<typeof lookUpFacts>>;

function factsAsObject({ dates, ...facts }: Facts): object {
  const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());
  return { ...facts, first: iso(dates.first), last: iso(dates.last) };
}

function tellFacts(session: Session, { name, path, room, takes, verdicts, spent, dates }: Facts): void {
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
