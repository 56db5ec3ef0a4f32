import { writeFile } from 'node:fs/promises';
import { say } from '../../contract/messages/words.ts';
import { BatchOrder } from '../../contract/batch-order.ts';
import { countsInWords } from '../../contract/in-words.ts';
import { csvText } from '../../engine/batches/csv-text.ts';
import { shotsAsTable } from '../../engine/batches/shots-as-table.ts';
import type { BatchRow } from '../../engine/db/batch-store.ts';
import { TakeTally } from '../../engine/db/take-tally.ts';
import type { CommandEngine } from '../engine/command-engine.ts';
import { withProject } from '../engine/engine-connector.ts';
import { exitStatus, UsageError, type ExitStatus } from '../exit.ts';
import { jsonLine } from '../output/ndjson.ts';
import { dateAndTime, plainText, shortText, tableLines } from '../output/text.ts';
import { noProjectAt, viewDataFolder, wantedProjects } from '../read-only-view.ts';
import { printTo, type Session } from '../session.ts';
import { newFile } from './prompts.ts';

export interface BatchesListOptions {
  readonly project: string;
  readonly archived?: boolean;
  readonly json?: boolean;
}

/** Lists the batches of a project, or those in its archive. */
export function listBatches(session: Session, options: BatchesListOptions): ExitStatus {
  const { archived = false, json = false } = options;
  const rows = viewDataFolder(session.dataFolder, (view) => {
    if (!view) throw noProjectAt(session, options.project);
    const tally = new TakeTally(view.db);
    return wantedProjects(view, options, session)
      .flatMap(({ id }) => view.batches.rows(id))
      .filter(({ archivedAt }) => (archivedAt !== null) === archived)
      .map((row) => ({ ...row, counts: tally.counts({ batchId: row.id }) }));
  });
  if (json) {
    for (const { id, name, source, shots, notes, createdAt, counts } of rows) {
      const created = new Date(createdAt).toISOString();
      session.shell.stdout.write(
        jsonLine({ type: 'batch', id, name, source, archived, shots, notes, createdAt: created, counts }),
      );
    }
    return exitStatus.saved;
  }
  const print = printTo(session);
  if (rows.length === 0) print(say('cli.noBatches'));
  else {
    const columns = [
      { title: say('cli.batch') },
      { title: say('cli.shotsTitle'), align: 'right' as const },
      { title: say('cli.takesColumn') },
      { title: say('cli.createdTitle') },
      { title: say('cli.notesTitle') },
    ];
    const cells = rows.map(({ name, shots, counts, createdAt, notes }) => [
      ...[shortText(name, 32), String(shots), countsInWords(counts), dateAndTime(createdAt), shortText(notes, 40)],
    ]);
    for (const line of tableLines(columns, cells)) print(line);
  }
  return exitStatus.saved;
}

/** Sets the order in which the batches of a project are listed. By hand, the named ones come first, in their order. */
export async function orderBatches(
  session: Session,
  options: { readonly project: string; readonly order: string; readonly batch: readonly string[] },
): Promise<ExitStatus> {
  const { project } = options;
  const order = BatchOrder.parse(options.order);
  await withProject(session, 'dailies batches', project, (engine) => {
    const { id, ids } = viewDataFolder(session.dataFolder, (view) => {
      const [found] = view ? wantedProjects(view, { project }, session) : [];
      if (!view || !found) throw noProjectAt(session, project);
      return { id: found.id, ids: view.batches.rows(found.id).map((row) => row.id) };
    });
    const named = options.batch.map((batch) => batchOf(session, { project, batch }).id);
    const byHand = [...new Set([...named, ...ids])];
    return engine.api.batches.order({ projectId: id, order, ...(order === 'hand' && { batchIds: byHand }) });
  });
  return listBatches(session, { project });
}

export interface OfBatch {
  readonly project: string;
  /** Its name. */
  readonly batch: string;
}

export async function renameBatch(session: Session, options: OfBatch & { readonly name: string }): Promise<ExitStatus> {
  await withBatch(session, options, ({ api }, { id }) => api.batches.rename({ batchId: id, name: options.name }));
  const { batch: before, name } = options;
  printTo(session)(say('cli.batchRenamed', { before: plainText(before), name: plainText(name) }));
  return exitStatus.saved;
}

/** Archives a batch, or restores it. */
export const archiveBatch =
  (action: 'archive' | 'unarchive') =>
  async (session: Session, options: OfBatch): Promise<ExitStatus> => {
    await withBatch(session, options, ({ api }, { id }) => api.batches[action]({ batchId: id }));
    const words = action === 'archive' ? 'cli.projectArchived' : 'cli.projectUnarchived';
    printTo(session)(say(words, { name: plainText(options.batch) }));
    return exitStatus.saved;
  };

/** Writes the notes of a batch, in place of those it has. */
export async function noteBatch(session: Session, options: OfBatch & { readonly text: string }): Promise<ExitStatus> {
  await withBatch(session, options, ({ api }, { id }) => api.batches.setNotes({ batchId: id, notes: options.text }));
  printTo(session)(say('cli.batchNoted', { name: plainText(options.batch) }));
  return exitStatus.saved;
}

/** Opens the shots of a batch as a new list without takes, or writes that list to a new file. */
export async function duplicateBatch(
  session: Session,
  options: OfBatch & { readonly as?: string; readonly out?: string },
): Promise<ExitStatus> {
  const { batch: name, out } = options;
  if (out !== undefined) return withBatch(session, options, (_, batch) => writeList(session, batch, out));
  const copyAs = options.as ?? say('batch.copyName', { batch: name.slice(0, 150) });
  const duplicate = await withBatch(session, options, ({ api }, { id: batchId, projectId }) =>
    api.drafts.open({ projectId, source: { type: 'batch', batchId, copyAs } }),
  );
  printTo(session)(say('cli.batchDuplicated', { batch: plainText(name), list: plainText(duplicate.name) }));
  return exitStatus.saved;
}

async function writeList(session: Session, { id, name }: BatchRow, out: string): Promise<ExitStatus> {
  const path = newFile(session.shell.cwd, out);
  const shots = viewDataFolder(session.dataFolder, (view) => view?.batches.currentShots(id) ?? []);
  const { headers, rows } = shotsAsTable(shots.map(({ spec }) => spec));
  await writeFile(path, csvText(headers, rows), { flag: 'wx' });
  printTo(session)(say('cli.batchWritten', { batch: plainText(name), count: rows.length, file: out }));
  return exitStatus.saved;
}

/** Works with the batch that has the name in the project's folder. */
function withBatch<Result>(
  session: Session,
  named: OfBatch,
  work: (engine: CommandEngine, batch: BatchRow) => Promise<Result>,
): Promise<Result> {
  return withProject(session, 'dailies batches', named.project, (engine) => work(engine, batchOf(session, named)));
}

function batchOf(session: Session, { project, batch: name }: OfBatch): BatchRow {
  return viewDataFolder(session.dataFolder, (view) => {
    if (!view) throw noProjectAt(session, project);
    const found = wantedProjects(view, { project }, session).flatMap(({ id }) => view.batches.rows(id));
    const batch = found.find((row) => row.name === name);
    if (batch) return batch;
    throw new UsageError(say('cli.unknownBatch', { batch: name }), say('cli.seeStatus'));
  });
}
