import { resolve } from 'node:path';
import { say } from '../../contract/messages/words.ts';
import { countsInWords } from '../../contract/in-words.ts';
import { TakeTally } from '../../engine/db/take-tally.ts';
import { bytesForPeople } from '../../contract/units.ts';
import { exportProject, type ExportedProject } from '../../engine/projects/export-project.ts';
import { zipProject } from '../../engine/projects/zip-project.ts';
import type { Project } from '../../engine/db/project-store.ts';
import { withQuietEngine } from '../engine/engine-connector.ts';
import { exitStatus, UsageError, type ExitStatus } from '../exit.ts';
import { jsonLine } from '../output/ndjson.ts';
import { plainText, shortText, tableLines } from '../output/text.ts';
import { progressLine } from '../output/progress-line.ts';
import { noProjectAt, viewDataFolder, wantedProjects } from '../read-only-view.ts';
import { printTo, type Session } from '../session.ts';

export interface ProjectsListOptions {
  readonly archived?: boolean;
  readonly json?: boolean;
}

/** Lists the projects of the data folder, or those in its archive. */
export function listProjects(session: Session, { archived = false, json = false }: ProjectsListOptions): ExitStatus {
  const rows = viewDataFolder(session.dataFolder, (view) => {
    if (!view) return [];
    const tally = new TakeTally(view.db);
    return view.projects
      .rows(archived ? 'archived' : 'listed')
      .map((row) => ({ ...row, counts: tally.counts({ projectId: row.id }) }));
  });
  if (json) {
    for (const { id, name, path, batches, bytes, counts } of rows) {
      session.shell.stdout.write(jsonLine({ type: 'project', id, name, path, archived, batches, bytes, counts }));
    }
    return exitStatus.saved;
  }
  const print = printTo(session);
  if (rows.length === 0) print(say('cli.noProjects'));
  else {
    const columns = [
      { title: say('common.project') },
      { title: say('common.folder') },
      { title: say('cli.takesColumn') },
    ];
    const cells = rows.map(({ name, path, counts }) => [shortText(name, 32), plainText(path), countsInWords(counts)]);
    for (const line of tableLines(columns, cells)) print(line);
  }
  return exitStatus.saved;
}

export interface OfProject {
  readonly project: string;
}

/** Renames a project and its folder. */
export async function renameProject(
  session: Session,
  options: OfProject & { readonly name: string },
): Promise<ExitStatus> {
  const { id } = projectOf(session, options);
  await withQuietEngine(session, 'dailies projects', ({ api }) =>
    api.projects.rename({ projectId: id, name: options.name }),
  );
  const now = viewDataFolder(session.dataFolder, (view) => view?.projects.get(id));
  printTo(session)(say('cli.projectRenamed', { name: plainText(now?.name ?? ''), folder: plainText(now?.path ?? '') }));
  return exitStatus.saved;
}

/** Archives a project, or restores it. */
export const archiveProject =
  (action: 'archive' | 'unarchive') =>
  async (session: Session, options: OfProject): Promise<ExitStatus> => {
    const { id, name } = projectOf(session, options);
    await withQuietEngine(session, 'dailies projects', ({ api }) => api.projects[action]({ projectId: id }));
    const words = action === 'archive' ? 'cli.projectArchived' : 'cli.projectUnarchived';
    printTo(session)(say(words, { name: plainText(name) }));
    return exitStatus.saved;
  };

/** Copies all of a project into a folder or an archive, with a list of checksums. Works beside an engine. */
export async function exportWholeProject(
  session: Session,
  options: OfProject & { readonly to?: string; readonly zip?: string; readonly json?: boolean },
): Promise<ExitStatus> {
  const { shell, interrupted } = session;
  const { path } = projectOf(session, options);
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
  { to, zip }: { readonly to?: string; readonly zip?: string },
): ReturnType<typeof exportProject> {
  if (zip !== undefined) return zipProject(path, resolve(shell.cwd, zip));
  if (to !== undefined) return exportProject(path, resolve(shell.cwd, to));
  throw new UsageError(say('cli.exportWhere'), say('cli.exportWhereRemedy'));
}

function projectOf(session: Session, options: OfProject): Project {
  return viewDataFolder(session.dataFolder, (view) => {
    const [project] = view ? wantedProjects(view, options, session) : [];
    if (!project) throw noProjectAt(session, options.project);
    return project;
  });
}
