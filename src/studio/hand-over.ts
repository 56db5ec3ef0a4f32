import { isAbsolute, relative, sep } from 'node:path';
import type { Json } from '../contract/json.ts';
import type { ShotSpec } from '../contract/shot.ts';
import { messageFor } from '../contract/messages/message.ts';
import { KeyMissingError, refused } from '../engine/base/errors.ts';
import { toPriceFacts } from '../engine/batches/price.ts';
import { MICROS } from '../engine/db/ledger-store.ts';
import { realPath } from '../engine/files/existing-paths.ts';
import { openProjectFolder } from '../engine/files/project-folder.ts';
import type { StudioDesk } from '../engine/jobs/studio-ports.ts';
import { rulesFor } from '../engine/kinds/index.ts';
import { readMediaReference } from '../engine/kinds/media-reference.ts';
import { staysInside } from '../engine/projects/foreign-files.ts';
import type { Member, MemberOptions } from './member.ts';
import { namesLocalFiles, toStudioAccount } from './take-facts.ts';
import type { NewStudioTake, StudioProject } from './types.ts';

/**
 * Hands the takes of a list to the studio. They are rows of this data folder first, on hold there as takes of others,
 * then rows of the studio, all in one transaction. What is cut off in between is handed over by starting the list again:
 * a take has the same id everywhere, so none is there twice.
 */
export function createDesk(
  member: Pick<Member, 'ask' | 'openProject' | 'pull' | 'specOf' | 'stopped'>,
  { engine, database, roots, clock, logger }: MemberOptions,
): StudioDesk {
  const { jobs, batches, projects } = engine.stores;
  const { studio } = jobs;

  async function begin(folder: string): Promise<void> {
    const place = await placeOf(folder);
    if (place === null) {
      throw refused('studio_no_root', messageFor('failure.studioNoRoot', { project: folder }), 'remedy.studioRoot');
    }
    await member.ask(() => database.greet());
    const stopped = member.stopped();
    if (stopped) throw refused('studio_stopped', stopped);
    const { id, name } = await openProjectFolder(folder, clock);
    await member.openProject({ id, name, ...place });
    // Takes are numbered after those of other people.
    await member.pull();
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
    const account = engine.studio.account();
    if (account === null) throw new KeyMissingError();
    if (!batch || !project) throw new Error(`Batch ${batchId} is of no project of the studio.`);
    const waiting = jobs.unsentOf(batchId).filter(({ id }) => isNew(id));
    const takes: NewStudioTake[] = [];
    for (const job of waiting) {
      const spec = member.specOf(job.id);
      if (!spec) continue;
      requireBelowRoot(spec.shot, spec.batch.listFolder);
      takes.push({
        ...{ id: job.id, shotKey: job.shotKey, account: toStudioAccount(account), model: job.model },
        priceMicros: engine.studio.priceOf(toPriceFacts(spec.shot)),
        ...{ priority: spec.shot.priority, isHeld: job.paused === 'user', spec: spec as Json },
      });
    }
    const now = clock.now();
    jobs.inOneCommit(() => {
      for (const { id } of waiting) {
        studio.place(id, { worker: null, epoch: 0, isHere: false });
        jobs.setPaused(id, 'elsewhere', now);
      }
    });
    const { root, path } = place;
    const { id, name, order, source } = batch;
    const budget = cap && { takes: cap.takes ?? null, micros: cap.money == null ? null : cap.money * MICROS };
    try {
      const told = { id, name, project: { id: project.id, name: project.name, root, path }, list: { order, source } };
      const { queued } = await database.enqueue(told, takes, budget);
      logger.info('Takes were handed to the studio', { batch: name, takes: takes.length, queued });
      return queued;
    } finally {
      const ids = waiting.map(({ id: takeId }) => takeId);
      engine.studio.changed(batch.projectId, ids);
    }
  };

  /** Not in the studio's queue, as far as this data folder knows. */
  const isNew = (jobId: string): boolean => {
    const take = studio.take(jobId);
    return take === null || (take.worker === null && take.epoch === 0 && !take.isHere);
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
