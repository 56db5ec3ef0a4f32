import type { Actor } from '../../contract/history.ts';
import type { StartOptions } from '../../contract/batch.ts';
import type { DraftList } from '../../contract/draft-list.ts';
import type { CapChange } from '../../contract/ledger.ts';
import { messageFor } from '../../contract/messages/message.ts';
import type { Hours, NightWindow } from '../../contract/night-window.ts';
import type { Variables } from '../../contract/prompt-library.ts';
import type { Clock } from '../base/ports.ts';
import type { Project } from '../db/project-store.ts';
import type { ImportPlan, ShotSpec } from '../../contract/shot.ts';
import { type Batch, type BatchStore, changeAfter, type StoredShot } from '../db/batch-store.ts';
import type { TakeCount } from '../db/take-store.ts';
import type { JobStore } from '../db/job-store.ts';
import { refused, type RefusedError } from '../base/errors.ts';
import { foldName } from '../downloads/publish.ts';
import { safeName } from '../downloads/take-path.ts';
import { firstState } from '../machine/job-machine.ts';
import { needsAssets } from '../library/needs.ts';
import { changeRows, newId, storedRows } from './change-rows.ts';
import { contentHash, planImport } from './plan-import.ts';
import type { NewTakes } from './estimate.ts';
import { createYielder } from '../base/slices.ts';
import { checkFits } from '../files/batch-file.ts';
import { rulesFor } from '../kinds/index.ts';
import { localPath, readMediaReference } from '../kinds/media-reference.ts';

export interface StartBatch extends StartOptions {
  readonly project: Project;
  /** Absolute folder of the list. */
  readonly listFolder: string;
  readonly source: string;
  readonly shots: readonly ShotSpec[];
  /** Row of each shot in the list; without it, shots are the rows below the header. */
  readonly rows?: readonly number[];
  readonly texts?: Variables | undefined;
  /** As it was written, to be opened again; its shots include what its variables and defaults stand for. */
  readonly list?: DraftList | undefined;
  /** Its new takes wait on hold until these hours. */
  readonly tonight?: Hours | undefined;
  readonly by?: Actor | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface StartedBatch {
  readonly batch: Batch;
  readonly plan: ImportPlan;
  readonly newTakes: number;
  readonly waiting: number;
}

export interface BatchStarter {
  readonly batches: BatchStore;
  readonly jobs: JobStore;
  readonly clock: Clock;
  readonly nameTemplate: string;
  readonly writeBatchFile: (batch: Batch, shots: readonly ShotSpec[], rows: readonly number[]) => Promise<void>;
  readonly limitsFound: (batch: Batch) => Promise<void>;
  readonly changeCap: (batchId: string, change: CapChange) => void;
  readonly changeWindow: (batchId: string, window: NightWindow) => void;
  readonly holdForTonight: (jobId: string, hours: Hours, now: number) => void;
  /** Writes down that it was started, in the commit that lets it be sent. */
  readonly noteStart: (
    batch: Batch,
    start: { readonly newTakes: number; readonly isMerge: boolean },
    by: Actor,
  ) => void;
  readonly changed: (jobId: string) => void;
}

/** Place of the shot in a row of its list, where the row below a header in the first is place 0, and back. */
export const placeOfRow = (row: number): number => row - 2;
export const rowOfPlace = (place: number): number => place + 2;

/** What starting this list would do to the stored batch of that name; an absent batch is empty. */
export async function planBatch(
  batches: BatchStore,
  projectId: string,
  name: string,
  shots: readonly ShotSpec[],
  keepOthers = false,
): Promise<ImportPlan> {
  const batch = batches.named(projectId, name);
  const plan = await planImport(batch ? batches.currentShots(batch.id) : [], shots);
  return keepOthers ? { ...plan, removed: [] } : plan;
}

/**
 * Stores a checked list and makes its missing takes: as many of each shot's present content as the list asks for; with
 * `again` as many in the batch's round of new takes, which is completed before another one begins. Takes of an earlier
 * content that were never sent are cancelled; all sent ones are kept and followed. Running it again after a crash
 * completes it. Sends nothing.
 */
export async function startBatch(starter: BatchStarter, request: StartBatch): Promise<StartedBatch> {
  const { batches } = starter;
  const known = batches.named(request.project.id, request.name);
  const { keepOthers = false } = request;
  if (known && keepOthers) requireSameFolder(known, request);
  const { listFolder, source } = known && keepOthers ? known : request;
  const begun = known
    ? {
        ...{ ...known, listFolder, source, order: request.order ?? known.order },
        changedAt: changeAfter(known, starter.clock.now()),
      }
    : newBatch(starter, request);
  const batch: Batch = { ...begun, listAt: request.list ? begun.changedAt : null };
  const giveWay = createYielder();
  const stored = known ? await storedRows(batches, known.id) : new Map<string, StoredShot>();
  const inOrder = [...stored.values()].sort((one, other) => one.position - other.position);
  await giveWay();
  const planned = await planImport(inOrder, request.shots);
  const others = new Set(keepOthers ? planned.removed : []);
  const plan = keepOthers ? { ...planned, removed: [] } : planned;
  const { newTakes = Infinity } = request;
  if (newTakes < Infinity) {
    const missing = await missingTakes(batches, { batch, plan, again: request.again });
    if (missing.reduce((sum, { takes }) => sum + takes, 0) > newTakes) throw planChanged();
  }

  const begin = (): void =>
    batches.inOneCommit(() => {
      batches.save(batch);
      batches.setImporting(batch.id, true);
      if (known && known.order !== batch.order) batches.takes.putInOrder(batch.id);
    });
  const positions = keepOthers
    ? placesBehind(inOrder, plan.added)
    : new Map(request.shots.map((spec, index) => [spec.key, placeOfRow(request.rows?.[index] ?? index + 2)]));
  const toPlace = ({ key }: ShotSpec): number => positions.get(key) ?? stored.get(key)?.position ?? 0;
  await giveWay();
  const kept = inOrder.filter(({ key }) => others.has(key)).map(({ spec }) => spec);
  const wanted = [...plan.added, ...plan.changed, ...plan.unchanged, ...kept]
    .map((spec) => ({ spec, place: toPlace(spec) }))
    .sort((one, other) => one.place - other.place);
  await checkFits(wanted.map(({ spec }) => spec));
  // If we are cut off from here on, the same list must find the same batch: its file must never name an unknown one.
  if (!known) begin();
  const round = await batches.whileChanging(batch, async () => {
    await starter.writeBatchFile(
      batch,
      wanted.map(({ spec }) => spec),
      wanted.map(({ place }) => rowOfPlace(place)),
    );
    return batches.inOneCommit(() => {
      begin();
      // Looked at before the shots change: rows that come with this list are no part of a round made before.
      return request.again ? batches.takes.enterRound(batch.id) : batches.takes.newestRound(batch.id);
    });
  });
  cancelUnsent(starter, batch, [...plan.removed, ...plan.changed.map((spec) => spec.key)]);
  // An aborted import stays marked as unfinished, and is never sent in part.
  const { signal } = request;
  const current = await changeRows(batches, {
    batchId: batch.id,
    stored,
    plan,
    places: positions,
    at: starter.clock.now(),
    signal,
  });
  const shots = [...current.values()]
    .filter(({ key }) => !others.has(key))
    .sort((one, other) => one.position - other.position);
  const takes = await addMissingTakes(starter, batch, { shots, round }, request);
  announceSetAside(starter, batch, [...plan.added, ...plan.changed].map((spec) => spec.key).concat(plan.removed));
  // Before anything of it may be sent.
  if (!known) await starter.limitsFound(batch);
  if (request.cap) starter.changeCap(batch.id, request.cap);
  if (request.window) starter.changeWindow(batch.id, request.window);
  const hasChanged = takes.newTakes + plan.added.length + plan.changed.length + plan.removed.length > 0;
  batches.inOneCommit(() => {
    batches.setImporting(batch.id, false);
    if (hasChanged)
      starter.noteStart(
        batch,
        { newTakes: takes.newTakes, isMerge: known !== null && keepOthers },
        request.by ?? 'engine',
      );
  });
  return { batch, plan, ...takes };
}

interface StartedPlan {
  readonly batch: Batch | null;
  readonly plan: ImportPlan;
  /** As in `StartBatch`. */
  readonly again: boolean;
}

export async function missingTakes(batches: BatchStore, { batch, plan, again }: StartedPlan): Promise<NewTakes[]> {
  const giveWay = createYielder();
  const made = new Map<string, number>();
  for (const count of batch ? batches.takes.byContent(batch.id) : [])
    made.set(`${count.key}\n${count.contentHash}`, again ? count.again : count.takes);
  const missing: NewTakes[] = [];
  for (const shot of [...plan.added, ...plan.changed, ...plan.unchanged]) {
    const known = made.size === 0 ? 0 : (made.get(`${shot.key}\n${contentHash(shot)}`) ?? 0);
    missing.push({ shot, takes: Math.max(0, shot.takes - known) });
    await giveWay();
  }
  return missing;
}

/** A person pays only for what they have seen. */
export const planChanged = (): RefusedError => refused('plan_changed', 'failure.planChanged', 'remedy.lookAtPlan');

function newBatch(starter: BatchStarter, request: StartBatch): Batch {
  const taken = new Set(starter.batches.list(request.project.id).map((batch) => foldName(batch.folder)));
  const plain = safeName(request.name, 'batch');
  let folder = plain;
  for (let number = 2; taken.has(foldName(folder)); number += 1) folder = `${plain}_${number}`;
  return {
    id: newId(),
    projectId: request.project.id,
    name: request.name,
    folder,
    listFolder: request.listFolder,
    source: request.source,
    nameTemplate: starter.nameTemplate,
    order: request.order ?? 'list',
    createdAt: starter.clock.now(),
    changedAt: starter.clock.now(),
  };
}

/** A shot that was changed before it was sent must not be sent as it was. */
function cancelUnsent(starter: BatchStarter, batch: Batch, keys: readonly string[]): void {
  const now = starter.clock.now();
  const gone = new Set(keys);
  if (gone.size === 0) return;
  starter.jobs.inOneCommit(() => {
    for (const job of starter.jobs.unsentOf(batch.id)) {
      if (!gone.has(job.shotKey)) continue;
      starter.jobs.advance(job, { type: 'cancel', at: now }, now);
      starter.changed(job.id);
    }
  });
}

/** A failed take counts or not by its row: announces the failed takes of rows that were added, changed or removed. */
function announceSetAside({ batches, changed }: BatchStarter, batch: Batch, keys: readonly string[]): void {
  const touched = new Set(keys);
  for (const { id, key } of batches.takes.withoutResult(batch.id)) if (touched.has(key)) changed(id);
}

async function addMissingTakes(
  starter: BatchStarter,
  batch: Batch,
  { shots, round }: { readonly shots: readonly StoredShot[]; readonly round: number },
  request: StartBatch,
): Promise<Pick<StartedBatch, 'newTakes' | 'waiting'>> {
  const { batches } = starter;
  const giveWay = createYielder();
  const counts = new Map<string, TakeCount>();
  for (const count of batches.takes.eachCount(batch.id, { number: round, isOpen: true })) {
    counts.set(count.key, count);
    await giveWay();
  }
  let newTakes = 0;
  let waiting = 0;
  const addMissing = (shot: StoredShot): void => {
    const made = counts.get(shot.key);
    waiting += made?.waiting ?? 0;
    const missing = shot.spec.takes - ((request.again ? made?.again : made?.current) ?? 0);
    for (let index = 1; index <= missing; index += 1) {
      const take = (made?.last ?? 0) + index;
      const id = newId();
      const now = starter.clock.now();
      batches.takes.add(batch, {
        id,
        shotId: shot.id,
        take,
        spec: shot.spec,
        state: firstState(needsAssets(shot.spec, batch.listFolder), now),
        round,
        createdAt: now,
      });
      if (request.tonight) starter.holdForTonight(id, request.tonight, now);
      starter.changed(id);
      newTakes += 1;
    }
  };
  await batches.commitInSlices(shots, addMissing, request.signal);
  return { newTakes, waiting };
}

function placesBehind(
  stored: readonly Pick<StoredShot, 'position'>[],
  added: readonly ShotSpec[],
): ReadonlyMap<string, number> {
  const last = stored.reduce((most, { position }) => Math.max(most, position), -1);
  return new Map(added.map(({ key }, index) => [key, last + 1 + index]));
}

/** A batch has one folder that its paths start at. Throws RefusedError for a list whose own paths start at another one. */
function requireSameFolder(
  { name, listFolder }: Pick<Batch, 'name' | 'listFolder'>,
  list: { readonly listFolder: string; readonly shots: readonly ShotSpec[] },
): void {
  if (list.listFolder === listFolder) return;
  const shot = list.shots.find(({ kind, params }) =>
    rulesFor(kind)
      .mediaOf(params)
      .some(({ cell }) => {
        const reference = readMediaReference(cell);
        if (reference.at !== 'local') return false;
        return localPath(reference.path, listFolder) !== localPath(reference.path, list.listFolder);
      }),
  );
  if (shot === undefined) return;
  throw refused(
    'list_elsewhere',
    messageFor('failure.listElsewhere', { shot: shot.key, batch: name, folder: listFolder }),
    'remedy.wholePathsOrSameFolder',
  );
}
