import { messageFor } from '../../contract/messages/message.ts';
import type { DraftsContext } from './drafts-context.ts';
import type { AddedShot, Estimate } from '../../contract/batch.ts';
import type { Batch } from '../db/batch-store.ts';
import type { Project } from '../db/project-store.ts';
import { estimate } from './estimate.ts';
import type { StartBatch } from './start-batch.ts';
import { tableOfRow } from './table.ts';
import { checkList, type CheckedTable, type CheckOptions } from './validate.ts';

const BATCH = 'Single shots';

export type ShotCells = Readonly<Record<string, string>>;

/** The estimate for one described shot; null while its cells make no shot. */
export async function estimateShot(
  context: DraftsContext,
  project: Project,
  cells: ShotCells,
): Promise<Estimate | null> {
  const beside = besideIn(context, singleShotsFor(context, project));
  const [shot] = (await checkCells(context, project, { cells, listFolder: project.path, beside })).shots;
  return shot ? estimate([{ shot, takes: shot.takes }], context.settings(project.id)) : null;
}

/** One shot as a person described it; `agreed`, `by`, `tonight`: see `StartBatch`. */
export interface SingleShot extends Pick<StartBatch, 'by' | 'tonight'> {
  readonly cells: ShotCells;
  readonly agreed: readonly string[];
}

/** Queues one described shot as another row of the batch of single shots, of which no other row is started again. */
export async function addSingleShot(
  context: DraftsContext,
  project: Project,
  { cells, agreed, by, tonight }: SingleShot,
): Promise<AddedShot> {
  await context.upToDate(project.id);
  const { batches } = context;
  const known = singleShotsFor(context, project);
  const stored = known ? batches.currentShots(known.id) : [];
  const listFolder = known?.listFolder || project.path;
  const key = cells['shot'] ?? nextKey(stored.length);
  const keyed = { ...cells, shot: key };
  const { shots, defects, texts } = await checkCells(context, project, {
    cells: keyed,
    ...{ listFolder, beside: besideIn(context, known) },
  });
  const [shot] = shots;
  if (!shot) return { ok: false, defects: defects.filter(({ severity }) => severity === 'error'), outside: [] };
  if (stored.some((other) => other.key === shot.key)) return { ok: false, defects: [keyTaken(shot.key)], outside: [] };
  const outside = await context.outside(project.id, [shot], listFolder);
  if (!outside.every(({ path }) => agreed.includes(path))) return { ok: false, defects: [], outside };

  const name = known?.name ?? batches.freeName(project.id, BATCH);
  const list = { headers: Object.keys(keyed), rows: [Object.values(keyed)], mapping: {}, kind: null, defaults: {} };
  const { batch, newTakes } = await context.starts.start({
    ...{ project, listFolder, texts, name, list, by },
    source: known?.source ?? name,
    shots: [shot],
    again: false,
    keepOthers: true,
    agreed: outside.map(({ path }) => path),
    tonight,
  });
  return { ok: true, batch: context.batchView(batch), newTakes };
}

const singleShotsFor = ({ batches }: DraftsContext, { id }: Project): Batch | undefined =>
  batches.rows(id).find(({ name, importing }) => name === BATCH && !importing);

/** The other shots of the batch, which a described shot may name. */
const besideIn =
  ({ batches }: DraftsContext, batch: Batch | undefined) =>
  (key: string) =>
    batch ? batches.currentShot(batch.id, key) : null;

function checkCells(
  context: DraftsContext,
  { id }: Project,
  { cells, ...list }: { readonly cells: ShotCells } & Pick<CheckOptions, 'listFolder' | 'beside'>,
): Promise<CheckedTable> {
  const accountModels = context.accountModels(id);
  const variables = context.textsOf(id);
  const options = { ...list, variables, settings: context.settings(id), accountModels };
  return checkList(tableOfRow(Object.keys(cells), Object.values(cells)), options);
}

const nextKey = (shots: number): string => `S${String(shots + 1).padStart(3, '0')}`;

function keyTaken(value: string): CheckedTable['defects'][number] {
  const problem = messageFor('defect.keyOfSingleShots', { batch: BATCH, shot: value });
  return { severity: 'error', row: 2, column: 'shot', value, problem, remedy: messageFor('remedy.otherKey') };
}
