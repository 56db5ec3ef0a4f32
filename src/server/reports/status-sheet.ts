import type { ReadOptions } from '../../contract/batch.ts';
import { spoken, t } from '../../contract/messages/words.ts';
import { keyForRow } from '../../contract/shot.ts';
import { statusColumns, STATUS_COLUMNS } from '../../contract/status-columns.ts';
import { type ColumnMapping, planColumns, toLayout } from '../../engine/batches/columns.ts';
import { matchKeys } from '../../engine/batches/plan-import.ts';
import { type MarkedList, type StatusCells, type StatusSheet, withStatus } from '../../engine/batches/status-sheet.ts';
import type { Table } from '../../engine/batches/table.ts';
import { listOfBatch } from '../../engine/batches/written-list.ts';
import type { Stores } from '../../engine/db/stores.ts';
import { projectFor, requireBatch } from '../../engine/projects/overview.ts';
import { type ShotStatus, shotStatuses } from '../../engine/queries/shot-status.ts';

/** A list as its person chose it, and how it is to be read where that is not clear. */
export interface ChosenList {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly options?: Pick<ReadOptions, 'encoding' | 'sheet'>;
}

/** A person's list with the status of each of its shots in a batch; see `withStatus`. Throws RefusedError. */
export async function listWithStatus(stores: Stores, batchId: string, list: ChosenList): Promise<MarkedList> {
  const batch = requireBatch(stores.batches, batchId);
  const project = projectFor(stores.projects, batch.projectId);
  const { mapping } = await listOfBatch(stores.batches, project.path, batch);
  const statuses = shotStatuses(stores, batchId);
  return withStatus(list, (table) => sheetFor(table, mapping, statuses));
}

/** The row of a shot is found as an import finds it. Pure. */
function sheetFor(table: Table, mapping: ColumnMapping, statuses: ReadonlyMap<string, ShotStatus>): StatusSheet {
  const { shot } = toLayout(planColumns(table, mapping).columns).shared;
  const keys = table.rows.map((cells, place) => keyForRow(shot && cells[shot.index], place));
  const known = [...statuses].map(([key, status]) => ({ key, status }));
  const matches = matchKeys(
    known,
    keys.map((key) => ({ key })),
  );
  const rows = keys.map((key, place) => [table.rowNumbers[place] ?? 0, cellsFor(matches.get(key)?.status)] as const);
  const language = spoken();
  const headers = STATUS_COLUMNS.map((column) => [column, statusColumns[column][language]]);
  return { headers: Object.fromEntries(headers) as StatusSheet['headers'], rows: new Map(rows) };
}

const NOTHING: StatusCells = { state: null, take: null, pick: null, rating: null, takes: null, file: null, cost: null };

function cellsFor(status: ShotStatus | undefined): StatusCells {
  if (!status) return NOTHING;
  const { standing, ...facts } = status;
  return { ...facts, state: t('status.ofShot', { standing: standing ?? 'none' }) };
}
