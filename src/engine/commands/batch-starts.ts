import { messageFor } from '../../contract/messages/message.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import { refused } from '../base/errors.ts';
import { createYielder } from '../base/slices.ts';
import { changeRows, newId, storedRows } from '../batches/change-rows.ts';
import { planImport } from '../batches/plan-import.ts';
import { type Batch, changeAfter, type StoredShot } from '../db/batch-store.ts';
import type { TakeCount } from '../db/take-store.ts';
import { foldName } from '../downloads/publish.ts';
import { safeName } from '../downloads/take-path.ts';
import { checkFits, writeBatchFile } from '../files/batch-file.ts';
import { rulesFor } from '../kinds/index.ts';
import { localPath, readMediaReference } from '../kinds/media-reference.ts';
import { firstState } from '../machine/job-machine.ts';
import { givenName } from '../projects/rename-project.ts';
import type { EngineEvents } from '../jobs/engine-events.ts';
import type { SpendingService } from '../projects/spending.ts';
import { requireUnarchivedBatch } from '../projects/overview.ts';
import { paidAgain } from '../batches/paid-again.ts';
import {
  missingTakes,
  placeOfRow,
  planChanged,
  rowOfPlace,
  type StartBatch,
  type StartedBatch,
} from '../batches/plan-start.ts';
import { listOfBatch, mergeLists, toList, writeList } from '../batches/written-list.ts';
import { agreedIn } from '../jobs/planning.ts';
import type { Scheduler } from '../jobs/scheduler.ts';
import type { StepContext } from '../jobs/step-context.ts';
import { lookAtWaits } from '../jobs/waits.ts';
import { filesOutside, needsAssets, outsideFiles } from '../library/needs.ts';
import type { CoalescedWriter } from '../base/coalesced-writer.ts';

export type StartsBatches = ReturnType<typeof startsBatches>;

export function startsBatches(
  steps: StepContext,
  spending: SpendingService,
  scheduler: Scheduler,
  events: EngineEvents,
  arrangements: CoalescedWriter,
) {
  const { agreements, batches, claims, history, nightWindows, ports } = steps;

  /** Throws RefusedError, before anything is stored; see `Engine.batches.start`. */
  return async function start(request: StartBatch): Promise<StartedBatch> {
    const { project, name, cap, shots, window, texts = new Map(), again, paidAgain: seen } = request;
    const changed = new Set<string>();
    const isOfStudio = steps.jobs.studio.placeOf(project.id) !== null;
    if (isOfStudio && request.studio !== true)
      throw refused('project_of_studio', 'failure.startInStudio', 'remedy.startInStudio');
    if (cap) spending.checkCap(cap, shots, project.id);
    try {
      using _turn = await claims.turn(project.id);
      const known = batches.named(project.id, name);
      if (known) requireUnarchivedBatch(batches, known);
      else givenName(name);
      const { listFolder, agreed = [] } = request;
      const outside = await outsideFiles(shots, listFolder, [...(await agreedIn(steps, project)), ...agreed]);
      if (outside.length > 0) throw filesOutside(outside);
      agreements.add(project.id, agreed);
      if (seen !== undefined) {
        // The last look: what a person has seen before may have been made from another data folder since.
        const place = { projectId: project.id, name, ownName: name, again, settings: steps.settings, shots };
        const found = await paidAgain(batches, place);
        if (found?.needsAgreement && found.takes > seen) throw planChanged();
      }
      if (steps.variables.keepCopies(project.id, texts)) {
        arrangements.touch(project.id);
        await arrangements.flush();
      }
      const isMerged = request.keepOthers === true && known !== null;
      const before = isMerged ? await listOfBatch(batches, project.path, known) : null;
      const list = before ? mergeLists(before, request.list ?? toList(shots), shots) : request.list;
      return await store({ ...request, list }, changed);
    } finally {
      // Cut off midway, it has made some takes and cancelled others all the same.
      const batch = batches.named(project.id, name);
      if (batch) steps.touchManifest(batch.id);
      events.jobs([...changed]);
      events.emit({ type: 'batches', projectId: project.id });
      if (cap) scheduler.capsChanged();
      if (window) nightWindows.reread();
      else if (!cap) scheduler.lookAgain();
    }
  };

  /**
   * Stores a checked list and makes its missing takes: as many of each shot's present content as the list asks for; with
   * `again` as many in the batch's round of new takes, which is completed before another one begins. Takes of an earlier
   * content that were never sent are cancelled; all sent ones are kept and followed. Running it again after a crash
   * completes it. Sends nothing.
   */
  async function store(request: StartBatch, changed: Set<string>): Promise<StartedBatch> {
    const known = batches.named(request.project.id, request.name);
    const { keepOthers = false, list } = request;
    if (known && keepOthers) requireSameFolder(known, request);
    const { listFolder, source } = known && keepOthers ? known : request;
    const begun = known
      ? {
          ...{ ...known, listFolder, source, order: request.order ?? known.order },
          changedAt: changeAfter(known, ports.clock.now()),
        }
      : newBatch(steps, request);
    const batch: Batch = { ...begun, listAt: request.list ? begun.changedAt : null };
    const giveWay = createYielder();
    const staleBefore = steps.sources.stale({ batchId: batch.id });
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
      const { path } = steps.projects.get(batch.projectId) ?? request.project;
      if (list) await writeList(path, batch, list);
      const rows = wanted.map(({ place }) => rowOfPlace(place));
      const shots = wanted.map(({ spec }) => spec);
      await writeBatchFile(path, { format: 1, ...batch, defaults: { ...list?.defaults }, rows, shots });
      return batches.inOneCommit(() => {
        begin();
        // Looked at before the shots change: rows that come with this list are no part of a round made before.
        return request.again ? batches.takes.enterRound(batch.id) : batches.takes.newestRound(batch.id);
      });
    });
    cancelUnsent(steps, changed, batch, [...plan.removed, ...plan.changed.map((spec) => spec.key)]);
    // An aborted import stays marked as unfinished, and is never sent in part.
    const { signal } = request;
    const current = await changeRows(batches, {
      batchId: batch.id,
      stored,
      plan,
      places: positions,
      at: ports.clock.now(),
      signal,
    });
    const shots = [...current.values()]
      .filter(({ key }) => !others.has(key))
      .sort((one, other) => one.position - other.position);
    const takes = await addMissingTakes(steps, changed, batch, { shots, round }, request);
    const touched = new Set([...plan.added, ...plan.changed].map(({ key }) => key).concat(plan.removed));
    for (const { id, key } of batches.takes.withoutResult(batch.id)) if (touched.has(key)) changed.add(id);
    for (const id of [...staleBefore.keys(), ...steps.sources.stale({ batchId: batch.id }).keys()]) changed.add(id);
    steps.sourcesChanged([...touched].map((shotKey) => ({ batchId: batch.id, shotKey })));
    // Before anything of it may be sent.
    if (!known) await steps.claims.readLimits(batch.projectId);
    const scope = { scope: 'batch' as const, batchId: batch.id };
    if (request.cap) spending.setCap(scope, request.cap);
    if (request.window) nightWindows.set(scope, request.window);
    const hasChanged = takes.newTakes + plan.added.length + plan.changed.length + plan.removed.length > 0;
    batches.inOneCommit(() => {
      batches.setImporting(batch.id, false);
      if (!hasChanged) return;
      history.note({
        ...{
          code: known && keepOthers ? 'batch.merged' : 'batch.started',
          by: request.by ?? 'engine',
          at: ports.clock.now(),
        },
        ...{ projectId: batch.projectId, batchId: batch.id },
        facts: { batch: batch.name, newTakes: takes.newTakes },
      });
    });
    // So that takes show what they wait for even while nothing is sent. The list may have other waits now.
    await lookAtWaits(steps, { batchId: batch.id });
    return { batch, plan, ...takes };
  }
}

function newBatch({ batches, settings, ports }: StepContext, request: StartBatch): Batch {
  const taken = new Set(batches.list(request.project.id).map((batch) => foldName(batch.folder)));
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
    nameTemplate: settings.nameTemplate,
    order: request.order ?? 'list',
    createdAt: ports.clock.now(),
    changedAt: ports.clock.now(),
  };
}

function cancelUnsent({ jobs, ports }: StepContext, changed: Set<string>, batch: Batch, keys: readonly string[]): void {
  const now = ports.clock.now();
  const gone = new Set(keys);
  if (gone.size === 0) return;
  jobs.inOneCommit(() => {
    for (const job of jobs.unsentOf(batch.id)) {
      if (!gone.has(job.shotKey)) continue;
      jobs.advance(job, { type: 'cancel', at: now }, now);
      changed.add(job.id);
    }
  });
}

async function addMissingTakes(
  { batches, jobs, windows, ports }: StepContext,
  changed: Set<string>,
  batch: Batch,
  { shots, round }: { readonly shots: readonly StoredShot[]; readonly round: number },
  request: StartBatch,
): Promise<Pick<StartedBatch, 'newTakes' | 'waiting'>> {
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
      const now = ports.clock.now();
      batches.takes.add(batch, {
        id,
        shotId: shot.id,
        take,
        spec: shot.spec,
        state: firstState(needsAssets(shot.spec, batch.listFolder), now),
        round,
        createdAt: now,
      });
      if (request.tonight) {
        jobs.setPaused(id, 'user', now);
        windows.holdForTonight(id, request.tonight);
      }
      changed.add(id);
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
  );
}
