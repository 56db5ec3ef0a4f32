import type { BatchView, DraftDefect, DraftView, OutsideFile, StartPlan } from '../../../../contract/batch.ts';
import { api } from '../../../lib/client.ts';
import { isAllAgreed } from '../draft/outside-files.ts';
import { writeTsv } from '../draft/tsv.ts';

/** The batch that shots described one by one go into. */
const BATCH = 'Single shots';

/** Cells of the shot by canonical column; empty ones are left out. */
export type ShotCells = Readonly<Record<string, string>>;

export type Queued =
  | { readonly ok: true; readonly batch: BatchView; readonly newTakes: number }
  /** What has to be put right first. Nothing was queued. */
  | { readonly ok: false; readonly defects: readonly DraftDefect[]; readonly outside: readonly OutsideFile[] };

/**
 * Queues one described shot: as another row of the batch of single shots, or as a batch of its own when starting that
 * one would make any take besides. `agreed`: paths of files from outside that the person agreed to send. Throws what the
 * engine refuses.
 */
export async function queueShot(projectId: string, cells: ShotCells, agreed: string[]): Promise<Queued> {
  const batches = await api.batches.list({ projectId });
  const known = batches.find((batch) => batch.name === BATCH && !batch.importing);
  const joined = known === undefined ? null : await joinBatch(projectId, known, cells, agreed);
  if (joined !== null) return joined;
  const name = freeName(batches.map((batch) => batch.name));
  return startAlone(projectId, name, cells, agreed);
}

/** A key no shot of the batch of single shots has, as far as can be told from their number. */
export async function nextKey(projectId: string): Promise<string> {
  const batches = await api.batches.list({ projectId });
  const shots = batches.filter(({ name }) => name.startsWith(BATCH)).reduce((sum, batch) => sum + batch.shots, 0);
  return `S${String(shots + 1).padStart(3, '0')}`;
}

function freeName(taken: readonly string[]): string {
  let name = BATCH;
  for (let number = 2; taken.includes(name); number += 1) name = `${BATCH} ${number}`;
  return name;
}

async function startAlone(projectId: string, name: string, cells: ShotCells, agreed: string[]): Promise<Queued> {
  const source = { type: 'text' as const, name, text: writeTsv([Object.keys(cells), Object.values(cells)]) };
  const draft = await api.drafts.open({ projectId, source, read: { delimiter: '\t' }, passing: true });
  return withDraft(draft, async () => {
    const { defects } = await api.drafts.defects({ draftId: draft.id });
    const errors = defects.filter((defect) => defect.severity === 'error');
    if (errors.length > 0) return { ok: false, defects: errors, outside: [] };
    const request = { draftId: draft.id, name, again: false };
    return startAgreed(request, await api.drafts.plan(request), agreed);
  });
}

/** Null when the batch cannot take the shot without anything else happening. */
async function joinBatch(
  projectId: string,
  batch: BatchView,
  cells: ShotCells,
  agreed: string[],
): Promise<Queued | null> {
  const draft = await api.drafts.open({ projectId, source: { type: 'batch', batchId: batch.id }, passing: true });
  return withDraft(draft, async () => {
    const row = await addRow(draft, cells);
    const { defects } = await api.drafts.defects({ draftId: draft.id });
    const errors = defects.filter((defect) => defect.severity === 'error');
    const ours = errors.filter((defect) => defect.rowIndex === row);
    if (ours.length > 0) return { ok: false, defects: ours, outside: [] };
    if (errors.length > 0) return null;
    const request = { draftId: draft.id, name: batch.name, again: false };
    const plan = await api.drafts.plan(request);
    // Nothing but what was described may be sent: it is paid for.
    if (plan.newTakes !== Number(cells['takes'] ?? 1)) return null;
    return startAgreed(request, plan, agreed);
  });
}

async function startAgreed(
  request: { readonly draftId: string; readonly name: string; readonly again: boolean },
  { outside }: StartPlan,
  agreed: string[],
): Promise<Queued> {
  if (!isAllAgreed(outside, agreed)) return { ok: false, defects: [], outside };
  return { ok: true, ...(await api.drafts.start({ ...request, agreed })) };
}

/** Adds the shot below the others, with the columns it needs; returns its row. */
async function addRow(draft: DraftView, cells: ShotCells): Promise<number> {
  let view = draft;
  const draftId = draft.id;
  for (const header of Object.keys(cells)) {
    if (view.columns.some(({ column }) => column === header)) continue;
    view = await api.drafts.edit({ draftId, revision: view.revision, edit: { type: 'add_column', header } });
  }
  const row = view.columns.map(({ column }) => (column === null ? '' : (cells[column] ?? '')));
  await api.drafts.edit({ draftId, revision: view.revision, edit: { type: 'cells', cells: [], added: [row] } });
  return view.rows;
}

/** Leaves no draft behind that was not started. */
async function withDraft<Outcome extends Queued | null>(
  draft: DraftView,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  let started = false;
  try {
    const outcome = await work();
    started = outcome?.ok === true;
    return outcome;
  } finally {
    if (!started) await api.drafts.discard({ draftId: draft.id });
  }
}
