import { toPath, placeIn } from '../../files/place.ts';
import { messageFor, type Text } from '../../../contract/messages/message.ts';
import type { TrashPhase } from '../../../contract/trash.ts';
import { keyFinder } from '../../batches/shot-graph.ts';
import type { Job } from '../../db/job-store.ts';
import { shotNamed, shotReferences } from '../../kinds/shot-reference.ts';
import type { StepContext } from '../../jobs/step-context.ts';

/** What happens to the files of takes. Each word is also the phase of a take in progress. */
export type TrashMove = Extract<TrashPhase, 'trashing' | 'restoring' | 'emptying'>;

/** Says why files of takes must stay. Reads once per batch, so use one instance for one question about many takes. */
export class Needs {
  readonly #context: StepContext;
  readonly #keysByBatch = new Map<string, ReadonlySet<string>>();

  constructor(context: StepContext) {
    this.#context = context;
  }

  /** Why the files of a take cannot be moved or removed; null if they can. `project` is its folder. */
  whyNot(move: TrashMove, job: Job, project: string): Text | null {
    const { batches } = this.#context;
    if (batches.isArchived(job.batchId)) {
      return messageFor('trash.keptArchived', { batch: batches.get(job.batchId)?.name ?? '' });
    }
    switch (move) {
      case 'trashing':
        return this.#whyNotTrashed(job, project);
      case 'emptying':
        return whyNotThere(job) ?? this.#whyNeeded(job, project);
      case 'restoring':
        return whyNotThere(job);
    }
  }

  #whyNotTrashed(job: Job, project: string): Text | null {
    if (job.trash !== null) return messageFor('trash.keptInTrash');
    if (job.state.state !== 'saved') return messageFor('trash.keptNotSaved');
    if (this.#context.jobs.trash.isShared(job.id, job.projectId)) return messageFor('trash.keptShared');
    return this.#whyNeeded(job, project);
  }

  #whyNeeded(job: Job, project: string): Text | null {
    const { jobs, outputs, sources } = this.#context;
    const needing = jobs.trash.needing(job.id);
    if (needing) return messageFor('trash.keptForTake', { shot: needing.shot, take: needing.take });
    const isAwaited = this.#awaitedKeys(job.batchId).has(job.shotKey);
    if (isAwaited && sources.resultsOf(job.batchId, job.shotKey).best?.takeId === job.id) {
      return messageFor('trash.keptForShot', { shot: job.shotKey });
    }
    const isRead = outputs
      .outputs(job.id)
      .some(({ file }) => jobs.trash.isBeingUploaded(toPath(placeIn(project, file))));
    return isRead ? messageFor('trash.keptForUpload') : null;
  }

  #awaitedKeys(batchId: string): ReadonlySet<string> {
    const known = this.#keysByBatch.get(batchId);
    if (known) return known;
    const { batches, jobs } = this.#context;
    const find = keyFinder(
      (text) => batches.takes.last(batchId, text) > 0,
      () => batches.currentKeys(batchId),
    );
    const names = jobs.trash.waitingShots(batchId).flatMap((spec) => shotReferences(spec).map(({ name }) => name));
    const keys = new Set([...new Set(names)].flatMap((name) => shotNamed(name, find)?.key ?? []));
    this.#keysByBatch.set(batchId, keys);
    return keys;
  }
}

/** Why the trash has no files of a take; null if it has. */
function whyNotThere({ trash }: Job): Text | null {
  // A full disk may have prevented writing the recipe, but the files are in the trash.
  if (trash === 'trashed' || trash === 'trashing') return null;
  return messageFor(trash === 'emptied' ? 'trash.keptEmptied' : 'trash.keptNotInTrash');
}
