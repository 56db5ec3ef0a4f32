import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { accountOn } from '../../contract/accounts.ts';
import { BatchOrder } from '../../contract/batch.ts';
import { countsInWords, moneyInWords } from '../../contract/in-words.ts';
import { t } from '../../contract/messages/words.ts';
import type { DiskUse } from '../../contract/project-facts.ts';
import type { ViewFilter } from '../../contract/review.ts';
import { bytesForPeople } from '../../contract/units.ts';
import { csvText } from '../../engine/batches/csv-text.ts';
import { shotsAsTable } from '../../engine/batches/written-list.ts';
import { ProjectFilesStore } from '../../engine/db/output-store.ts';
import { exportProject } from '../../engine/projects/export-project.ts';
import { readFacts } from '../../engine/projects/project-facts.ts';
import { verifyPath } from '../../engine/projects/verify-path.ts';
import { zipProject } from '../../engine/projects/zip-project.ts';
import { readSettings } from '../../host/settings-file.ts';
import { withProject, withQuietEngine } from '../connect.ts';
import { exitStatus, InterruptedError, refused } from '../exit.ts';
import { batchCalled, lookAtProject, projectAt, viewCalled, viewDataFolder, wantedScopes } from '../look.ts';
import { copied, toColumns, printList, printOne, withProgress } from '../output/list.ts';
import { dateAndTime, plainText, shortText, tableLines } from '../output/text.ts';
import { toSettings } from '../service-access.ts';
import type { Session } from '../session.ts';
import { BATCH, JSON_LINES, OF_PROJECT, verb, word, type Given } from '../verb.ts';
import { newFile } from './prompts.ts';
import { tableVerbs } from './table.ts';
import { requireReadable } from './chosen-takes.ts';

const ARCHIVED = word('--archived', 'cli.optArchived');
const EXPORT = [
  OF_PROJECT,
  word('--to <dir>', 'cli.optExportTo'),
  word('--zip <file>', 'cli.optExportZip', { conflicts: ['to'] }),
  JSON_LINES,
] as const;
const VERIFY = [word('<PATH>', 'cli.argVerify'), JSON_LINES] as const;
const BATCHES = [OF_PROJECT, ARCHIVED, JSON_LINES] as const;
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
const SAVE_VIEW = [
  word('<NAME>', 'cli.argNewName'),
  OF_PROJECT,
  BATCH,
  word('--where <query>', 'cli.optWhere', { required: true }),
] as const;
const RENAME_VIEW = [word('<VIEW>', 'cli.optView'), word('<NAME>', 'cli.argNewName'), OF_PROJECT] as const;

const projects = [
  verb('projects list', 'cli.helpProjectsList', [ARCHIVED, JSON_LINES], (session, { archived = false }) => {
    const settings = readSettings(session.dataFolder);
    const rows = viewDataFolder(session.dataFolder, ({ projects: stored, queries }) =>
      stored.rows(archived ? 'archived' : 'listed').map((row) => ({
        ...row,
        counts: queries.counts({ projectId: row.id }),
        account: accountOn(settings, row.service)?.name ?? null,
      })),
    );
    const ofAccount = settings.accounts.length > 0;
    printList(session, {
      type: 'project',
      rows,
      object: ({ id, name, path, account, batches: of, bytes, counts }) => ({
        id,
        name,
        path,
        account,
        archived,
        batches: of,
        bytes,
        counts,
      }),
      columns: toColumns(
        ...(['common.project', 'common.folder'] as const),
        ...(ofAccount ? (['common.account'] as const) : []),
        'group.takes',
      ),
      cells: ({ name, path, account, counts }) => [
        ...[shortText(name, 32), plainText(path), ...(ofAccount ? [plainText(account ?? '')] : [])],
        countsInWords(counts),
      ],
      none: t('cli.noneYet'),
    });
  }),
  verb('projects export', 'cli.helpProjectsExport', EXPORT, async (session, options) => {
    const { path } = projectAt(session, options.project);
    const { folder, files, leftOut } = await copied(session, exporting(path, session, options));
    const { count, first } = leftOut;
    const line = t('cli.projectExported', { files, folder: plainText(folder) });
    printOne(session, { type: 'exported', folder, files, leftOut: count }, line);
    printList(session, {
      type: 'left_out',
      rows: first,
      cells: ({ path: file, why }) => [t('projects.leftOut', { path: plainText(file), why })],
      below: [count > first.length ? t('projects.moreLeftOut', { count: count - first.length }) : ''],
    });
  }),
];

function exporting(
  path: string,
  { shell }: Session,
  { to, zip }: Given<typeof EXPORT>,
): ReturnType<typeof exportProject> {
  if (zip !== undefined) return zipProject(path, resolve(shell.cwd, zip));
  if (to !== undefined) return exportProject(path, resolve(shell.cwd, to));
  throw refused('cli.exportWhere');
}

const facts = verb(
  'projects facts',
  'cli.helpProjectsFacts',
  [OF_PROJECT, JSON_LINES],
  async (session, { project }) => {
    const { print } = session;
    const found = await lookAtProject(session, project, async ({ db, queries, review, ledger }, { id, name, path }) => {
      const stores = { files: new ProjectFilesStore(db), queries, review, ledger };
      return { name, path, ...(await readFacts(stores, { id, path })) };
    });
    const { dates, ...others } = found;
    const { name, path, room, takes, verdicts, spent } = others;
    const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());
    if (session.json) {
      return session.printJson({ type: 'facts', ...others, first: iso(dates.first), last: iso(dates.last) });
    }
    print(`${plainText(name)} · ${plainText(path)}`);
    const counts = countsInWords(takes);
    if (counts !== '') print(t('common.namedValue', { name: t('group.takes'), value: counts }));
    print(t('cli.factsVerdicts', verdicts));
    if (dates.first !== null && dates.last !== null) {
      print(t('cli.factsDates', { first: dateAndTime(dates.first), last: dateAndTime(dates.last) }));
    }
    if (typeof spent?.settled.price === 'number') {
      const price = moneyInWords(spent.settled.price, toSettings(session).currency);
      print(t('common.namedValue', { name: t('spending.settled'), value: price }));
    }
    print('');
    const columns = toColumns('common.batch', 'common.state', '>common.files', '>common.size', '>projects.factsOnDisk');
    const cells = (of: string, state: string, { files, bytes, onDisk }: DiskUse): string[] => [
      ...[of, state, String(files), bytesForPeople(bytes), bytesForPeople(onDisk)],
    ];
    const rows = [
      ...room.takes.map((each) =>
        cells(shortText(each.batch, 32), t('projects.factsState', { state: each.standing }), each),
      ),
      cells(t('projects.factsOwn'), '', room.own),
      cells(t('projects.factsOthers'), '', room.others),
      cells(t('projects.factsTotal'), '', room.total),
    ];
    for (const line of tableLines(columns, rows)) print(line);
  },
);

/** The most files to name; more would only hide the first. */
const NAMED = 100;

const verify = verb('verify', 'cli.helpVerify', VERIFY, async (session, { path }) => {
  const { shell, interrupted, json, print, printJson } = session;
  const folder = resolve(shell.cwd, path);
  let troubles = 0;
  const verifying = withProgress(session, verifyPath(folder, interrupted), (found, line) => {
    if (found.type !== 'trouble') {
      return line.show(() => t('cli.verifyProgress', { files: found.files, bytes: bytesForPeople(found.bytes) }));
    }
    const { file, problem, reason } = found;
    troubles += 1;
    if (json) return printJson({ type: 'trouble', file, problem, ...(reason !== undefined && { reason }) });
    if (troubles > NAMED) return;
    line.clear();
    print(t('cli.verifyTrouble', { file: plainText(file), problem, reason: plainText(reason ?? '') }));
  });
  const { files, bytes, emptied, by } = await verifying.catch((error: unknown) => {
    throw interrupted.aborted ? new InterruptedError() : error;
  });
  if (files + emptied === 0) throw refused('cli.nothingToVerify', { path: folder });
  if (!json && troubles > NAMED) print(t('projects.verifyMore', { count: troubles - NAMED }));
  if (!json && emptied > 0) print(t('projects.verifyEmptied', { count: emptied }));
  const line = t('cli.verified', { by, files, bytes: bytesForPeople(bytes), troubles });
  printOne(session, { type: 'verified', folder, by, files, bytes, emptied, troubles }, line);
  return troubles > 0 ? exitStatus.failed : exitStatus.saved;
});

const batches = [
  verb('batches list', 'cli.helpBatchesList', BATCHES, (session, options) => void listBatches(session, options)),
  /** By hand, the named ones come first, in their order. */
  verb('batches order', 'command.orderBatches', ORDER, async (session, { project, order, batch }) => {
    await withProject(session, project, ({ api }) => {
      const first = batch.map((name) => batchCalled(session, name, { project }).id);
      return lookAtProject(session, project, ({ batches: stored }, { id: projectId }) => {
        const batchIds = [...new Set([...first, ...stored.rows(projectId).map(({ id }) => id)])];
        return api.batches.order({ projectId, order, ...(order === 'hand' && { batchIds }) });
      });
    });
    listBatches(session, { project });
  }),
  verb('batches duplicate', 'cli.helpBatchesDuplicate', DUPLICATE, (session, options) => {
    const { project, batch: name, out, as: copyAs = t('batch.copyName', { batch: name.slice(0, 150) }) } = options;
    return withProject(session, project, async ({ api }) => {
      const { projectId, id: batchId } = batchCalled(session, name, options);
      if (out === undefined) {
        const list = await api.drafts.open({ projectId, source: { type: 'batch', batchId, copyAs } });
        return session.print(t('cli.batchDuplicated', { batch: plainText(name), list: plainText(list.name) }));
      }
      const path = newFile(session.shell.cwd, out);
      const shots = viewDataFolder(session.dataFolder, (view) => view.batches.currentShots(batchId));
      const { headers, rows } = shotsAsTable(shots.map(({ spec }) => spec));
      await writeFile(path, csvText(headers, rows), { flag: 'wx' });
      session.print(t('cli.batchWritten', { batch: plainText(name), count: rows.length, file: out }));
    });
  }),
];

function listBatches(session: Session, { project, archived = false }: Given<typeof BATCHES>): void {
  const rows = lookAtProject(session, project, ({ batches: stored, queries }, { id }) =>
    stored
      .rows(id)
      .filter(({ archivedAt }) => (archivedAt !== null) === archived)
      .map((row) => ({ ...row, counts: queries.counts({ batchId: row.id }) })),
  );
  printList(session, {
    type: 'batch',
    rows,
    object({ id, name, source, shots, notes, createdAt, counts }) {
      return { id, name, source, archived, shots, notes, createdAt: new Date(createdAt).toISOString(), counts };
    },
    columns: toColumns('common.batch', '>cli.shotsTitle', 'group.takes', 'cli.createdTitle', 'column.notes'),
    cells: ({ name, shots, counts, createdAt, notes }) => [
      ...[shortText(name, 32), String(shots), countsInWords(counts), dateAndTime(createdAt), shortText(notes, 40)],
    ],
    none: t('batch.noBatches'),
  });
}

const views = [
  verb('views list', 'cli.helpViewsList', [OF_PROJECT, JSON_LINES], (session, { project }) => {
    printList(session, {
      type: 'view',
      rows: lookAtProject(session, project, ({ savedViews }, { id }) => savedViews.list(id)),
      // What `filter` holds besides its search is in --json, and in review.
      cells: ({ name, filter: { text = '' } }) => [
        t('common.namedValue', { name: plainText(name), value: text === '' ? '' : shortText(text, 200) }),
      ],
      none: t('cli.noneYet'),
    });
  }),
  verb('views save', 'review.saveView', SAVE_VIEW, async (session, options) => {
    const { name, where: text, project } = options;
    requireReadable(text);
    const { projectId, batchId } = lookAtProject(session, project, (view, { id }) => {
      return { projectId: id, batchId: wantedScopes(view, options, session)[0]?.batchId };
    });
    const filter: ViewFilter = { text, sort: 'list', ...(batchId !== undefined && { batchId }) };
    await withQuietEngine(session, ({ api }) => api.savedViews.save({ projectId, name, filter }));
    session.print(t('history.viewSaved', { name: plainText(name) }));
  }),
  verb('views rename', 'cli.helpViewsRename', RENAME_VIEW, async (session, { name, ...options }) => {
    const view = viewCalled(session, options.view, options);
    await withQuietEngine(session, ({ api }) => api.savedViews.save({ ...view, name }));
    session.print(t('history.viewRenamed', { before: plainText(view.name), name: plainText(name) }));
  }),
];

export const verbs = [
  ...[...projects, ...tableVerbs('projects', projects), facts, verify],
  ...[...batches, ...tableVerbs('batches', batches), ...views, ...tableVerbs('views', views)],
];
