import { resolve } from 'node:path';
import { say } from '../../contract/messages/words.ts';
import { countsInWords } from '../../contract/in-words.ts';
import { bytesForPeople } from '../../contract/units.ts';
import { exportProject, type ExportedProject } from '../../engine/projects/export-project.ts';
import { zipProject } from '../../engine/projects/zip-project.ts';
import { exitStatus, UsageError, type ExitStatus } from '../exit.ts';
import { viewDataFolder } from '../look.ts';
import { projectAt } from '../named.ts';
import { columnsOf, printList } from '../output/list.ts';
import { jsonLine } from '../output/ndjson.ts';
import { plainText, shortText } from '../output/text.ts';
import { progressLine } from '../output/progress-line.ts';
import { printTo, type Session } from '../session.ts';
import { JSON_LINES, OF_PROJECT, verb, word, type Given } from '../verb.ts';
import { tableVerbs } from './table.ts';

const LIST = [word('--archived', 'cli.optArchived'), JSON_LINES] as const;
const EXPORT = [
  OF_PROJECT,
  word('--to <dir>', 'cli.optExportTo'),
  word('--zip <file>', 'cli.optExportZip', { conflicts: ['to'] }),
  JSON_LINES,
] as const;

const own = [
  verb('projects list', 'cli.helpProjectsList', LIST, listProjects),
  verb('projects export', 'cli.helpProjectsExport', EXPORT, exportWholeProject),
];
export const verbs = [...own, ...tableVerbs('projects', own)];

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
      reportExported(session, value, options.json);
      return exitStatus.saved;
    }
  } finally {
    line.clear();
    // Stopped or failed: what was copied is removed.
    await copying.return({ folder: '', files: 0, leftOut: { count: 0, first: [] } });
  }
}

function reportExported(session: Session, { folder, files, leftOut }: ExportedProject, asJson = false): void {
  const { stdout } = session.shell;
  if (asJson) {
    stdout.write(jsonLine({ type: 'exported', folder, files, leftOut: leftOut.count }));
    for (const each of leftOut.first) stdout.write(jsonLine({ type: 'left_out', ...each }));
    return;
  }
  const print = printTo(session);
  print(say('cli.projectExported', { files, folder: plainText(folder) }));
  for (const { path, why } of leftOut.first) print(say('projects.leftOut', { path: plainText(path), why }));
  const more = leftOut.count - leftOut.first.length;
  if (more > 0) print(say('projects.moreLeftOut', { count: more }));
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
