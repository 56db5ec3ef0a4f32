import { isAbsolute, relative, sep } from 'node:path';
import { isUnsent } from '../contract/job.ts';
import type { Json } from '../contract/json.ts';
import { lowerCap } from '../contract/ledger.ts';
import type { ShotSpec } from '../contract/shot.ts';
import { messageFor } from '../contract/messages/message.ts';
import { KeyMissingError, refused } from '../engine/base/errors.ts';
import { toPriceFacts } from '../engine/batches/price.ts';
import { realPath } from '../engine/files/existing-paths.ts';
import { openProjectFolder } from '../engine/files/project-folder.ts';
import type { StudioDesk } from '../engine/jobs/studio-ports.ts';
import { rulesFor } from '../engine/kinds/index.ts';
import { readMediaReference } from '../engine/kinds/media-reference.ts';
import { cancelWaiting } from '../engine/projects/adopt.ts';
import { staysInside } from '../engine/projects/foreign-files.ts';
import { StudioError } from './errors.ts';
import type { Member, MemberOptions } from './member.ts';
import { namesLocalFiles, toLimit, toPriority, toStudioAccount } from './take-facts.ts';
import type { NewStudioTake, StudioProject } from './types.ts';

/**
 * Hands the takes of a list to the studio. They are rows of this data folder first, on hold there as takes of others,
 * then rows of the studio, all in one transaction. What is cut off in between is handed over by starting the list again:
 * a take has the same id everywhere, so none is there twice.
 */
export function createDesk(
  member: Pick<Member, 'ask' | 'openProject' | 'readProject' | 'rows' | 'specOf' | 'stopped'>,
  { engine, database, roots, clock, logger }: MemberOptions,
): StudioDesk {
  const { jobs, batches, projects, ledger, queries } = engine.stores;
  const { studio } = jobs;

  async function begin(folder: string, account?: string): Promise<void> {
    const place = await placeOf(folder);
    if (place === null) {
      throw refused('studio_no_root', messageFor('failure.studioNoRoot', { project: folder }), 'remedy.studioRoot');
    }
    const status = await member.ask(() => database.status());
    const stopped = member.stopped();
    if (stopped) throw refused('studio_stopped', stopped);
    const { id, name } = await openProjectFolder(folder, clock);
    // A copy of a folder has the id of its original, whose place it must not take.
    const known = status?.projects.find((each) => each.id === id);
    if (known && (known.root !== place.root || known.path !== place.path))
      throw new StudioError('studio_project_moved', { name: `${known.root}/${known.path}` });
    const project = { id, name, ...place };
    await member.openProject(project, () => member.rows.project(project, { account }));
    // Takes are numbered after those of other people, and what others make is not made again.
    if (!(await member.readProject(id))) throw new StudioError('studio_away');
  }

  async function placeOf(folder: string): Promise<Pick<StudioProject, 'root' | 'path'> | null> {
    const real = await realPath(folder);
    for (const [root, path] of roots) {
      const way = relative(await realPath(path), real)
        .split(sep)
        .join('/');
      if (way !== '' && !isAbsolute(way) && staysInside(way)) return { root, path: way };
    }
    return null;
  }

  const handOver: StudioDesk['handOver'] = async (batchId, cap) => {
    const batch = batches.get(batchId);
    const place = batch && studio.placeOf(batch.projectId);
    const project = place && projects.get(place.projectId);
    const account = batch && engine.studio.account(batch.projectId);
    if (!account) throw new KeyMissingError();
    if (!batch || !project) throw new Error(`Batch ${batchId} is of no project of the studio.`);
    const waiting = jobs.unsentOf(batchId).filter(({ id }) => isNew(id));
    const takes: NewStudioTake[] = [];
    for (const job of waiting) {
      const spec = member.specOf(job.id);
      if (!spec) continue;
      requireBelowRoot(spec.shot, spec.batch.listFolder);
      takes.push({
        ...{ id: job.id, shotKey: job.shotKey, account: toStudioAccount(account), model: job.model },
        priceMicros: engine.studio.priceOf(job.projectId, toPriceFacts(spec.shot)),
        ...{ priority: toPriority(spec.shot), isHeld: job.paused === 'user', waits: engine.studio.lookAtWait(job) },
        spec: spec as Json,
      });
    }
    const now = clock.now();
    jobs.inOneCommit(() => {
      const { keyFingerprint, origin } = account;
      for (const { id, paused } of waiting) {
        const queuedAs = { keyFingerprint, origin, isOnHold: paused === 'user' };
        studio.place(id, { worker: null, epoch: 0, isHere: false }, queuedAs);
        jobs.setPaused(id, 'elsewhere', now);
      }
    });
    const { root, path } = place;
    const { id, name, order, source } = batch;
    const ofFolder = ledger.capOf({ scope: 'batch', batchId }, 0)?.cap;
    const given = cap && { money: cap.money ?? null, takes: cap.takes ?? null };
    const limit = given && toLimit(ofFolder ? lowerCap(given, ofFolder) : given);
    // Of rows that were changed or removed; the studio knows nothing of that yet.
    const unwanted = queries
      .list({ batchId, state: 'cancelled' })
      .flatMap(({ id: takeId, paused }) => (paused === 'elsewhere' ? [takeId] : []));
    try {
      if (unwanted.length > 0) await database.command(unwanted, { kind: 'cancel' });
      const told = { id, name, project: { id: project.id, name: project.name, root, path }, list: { order, source } };
      const { queued, leftOut = [] } = await database.enqueue(told, takes, limit);
      if (leftOut.length > 0) {
        leaveOut(leftOut);
        await member.readProject(project.id);
      }
      logger.info('Takes were handed to the studio', { batch: name, takes: takes.length, queued });
      return queued;
    } finally {
      const ids = waiting.map(({ id: takeId }) => takeId);
      engine.studio.changed(batch.projectId, ids);
    }
  };

  /** Another person handed over the same takes a moment before: theirs are made. */
  function leaveOut(ids: readonly string[]): void {
    const now = clock.now();
    jobs.inOneCommit(() => {
      for (const id of ids) {
        const job = jobs.get(id);
        if (!job || !isUnsent(job.state)) continue;
        studio.forget(id);
        cancelWaiting(engine.stores, job, now);
        jobs.setPaused(id, null, now);
      }
    });
  }

  /** Not in the studio's queue, as far as this data folder knows: the studio says whose a take is. */
  const isNew = (jobId: string): boolean => {
    const take = studio.take(jobId);
    return take === null || (take.person === null && take.worker === null && take.epoch === 0 && !take.isHere);
  };

  return { begin, handOver };
}

/** Other machines have the root, and what lies below it, under another path. */
function requireBelowRoot(shot: ShotSpec, listFolder: string | null): void {
  const isAway = rulesFor(shot.kind)
    .mediaOf(shot.params)
    .some(({ cell }) => {
      const reference = readMediaReference(cell);
      return reference.at === 'local' && isAbsolute(reference.path);
    });
  if (!isAway && (listFolder !== null || !namesLocalFiles(shot))) return;
  throw refused(
    'studio_files_outside',
    messageFor('failure.studioFilesOutside', { shot: shot.key }),
    'remedy.studioFiles',
  );
}
