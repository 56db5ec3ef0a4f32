import { writeFile } from 'node:fs/promises';
import { BatchOrder } from '../../contract/batch-order.ts';
import { countsInWords } from '../../contract/in-words.ts';
import { say } from '../../contract/messages/words.ts';
import { csvText } from '../../engine/batches/csv-text.ts';
import { shotsAsTable } from '../../engine/batches/shots-as-table.ts';
import type { BatchRow } from '../../engine/db/batch-store.ts';
import { withProject } from '../connect.ts';
import { type ExitStatus } from '../exit.ts';
import { viewDataFolder } from '../look.ts';
import { batchCalled, lookAtProject } from '../named.ts';
import { columnsOf, printList, printLine } from '../output/list.ts';
import { dateAndTime, plainText, shortText } from '../output/text.ts';
import { type Session } from '../session.ts';
import { JSON_LINES, OF_PROJECT, verb, word, type Given } from '../verb.ts';
import { newFile } from './prompts.ts';
import { tableVerbs } from './table.ts';

const LIST = [OF_PROJECT, word('--archived', 'cli.optArchived'), JSON_LINES] as const;
const ORDER = [
  word('<ORDER>', 'cli.argOrder', { choices: BatchOrder.options }),
  word('[BATCH...]', 'cli.argFirstBatches'),
  OF_PROJECT,
] as const;
const DUPLICATE = [
  word('<BATCH>', 'cli.argBatch'),
  OF_PROJECT,
  word('--as <name>', 'cli.optCopyAs'),
  word('--out <file>', 'cli.optCopyOut', { conflicts: ['as'] }),
] as const;

const own = [
  verb('batches list', 'cli.helpBatchesList', LIST, listBatches),
  verb('batches order', 'cli.helpBatchesOrder', ORDER, orderBatches),
  verb('batches duplicate', 'cli.helpBatchesDuplicate', DUPLICATE, duplicateBatch),
];
export const verbs = [...own, ...tableVerbs('batches', own)];

function listBatches(session: Session, { project, archived = false, json }: Given<typeof LIST>): ExitStatus {
  const rows = lookAtProject(session, project, ({ batches, tally }, { id }) =>
    batches
      .rows(id)
      .filter(({ archivedAt }) => (archivedAt !== null) === archived)
      .map((row) => ({ ...row, counts: tally.counts({ batchId: row.id }) })),
  );
  return printList(session, json, {
    type: 'batch',
    rows,
    object({ id, name, source, shots, notes, createdAt, counts }) {
      return { id, name, source, archived, shots, notes, createdAt: new Date(createdAt).toISOString(), counts };
    },
    columns: columnsOf('cli.batch', '>cli.shotsTitle', 'cli.takesColumn', 'cli.createdTitle', 'cli.notesTitle'),
    cells: ({ name, shots, counts, createdAt, notes }) => [
      ...[shortText(name, 32), String(shots), countsInWords(counts), dateAndTime(createdAt), shortText(notes, 40)],
    ],
    none: say('cli.noBatches'),
  });
}

/** Sets the order in which the batches of a project are listed. By hand, the named ones come first, in their order. */
async function orderBatches(session: Session, { project, order, batch }: Given<typeof ORDER>): Promise<ExitStatus> {
  await withProject(session, 'dailies batches', project, ({ api }) => {
    const named = batch.map((name) => batchCalled(session, name, { project }).id);
    return lookAtProject(session, project, ({ batches }, { id: projectId }) => {
      const batchIds = [...new Set([...named, ...batches.rows(projectId).map(({ id }) => id)])];
      return api.batches.order({ projectId, order, ...(order === 'hand' && { batchIds }) });
    });
  });
  return listBatches(session, { project });
}

/** Opens the shots of a batch as a new list without takes, or writes that list to a new file. */
function duplicateBatch(session: Session, options: Given<typeof DUPLICATE>): Promise<ExitStatus> {
  const { project, batch: name, out, as: copyAs = say('batch.copyName', { batch: name.slice(0, 150) }) } = options;
  return withProject(session, 'dailies batches', project, async ({ api }) => {
    const batch = batchCalled(session, name, options);
    if (out !== undefined) return writeList(session, batch, out);
    const { projectId, id: batchId } = batch;
    const list = await api.drafts.open({ projectId, source: { type: 'batch', batchId, copyAs } });
    return printLine(session, say('cli.batchDuplicated', { batch: plainText(name), list: plainText(list.name) }));
  });
}

async function writeList(session: Session, { id, name }: BatchRow, out: string): Promise<ExitStatus> {
  const path = newFile(session.shell.cwd, out);
  const shots = viewDataFolder(session.dataFolder, ({ batches }) => batches.currentShots(id));
  const { headers, rows } = shotsAsTable(shots.map(({ spec }) => spec));
  await writeFile(path, csvText(headers, rows), { flag: 'wx' });
  return printLine(session, say('cli.batchWritten', { batch: plainText(name), count: rows.length, file: out }));
}
