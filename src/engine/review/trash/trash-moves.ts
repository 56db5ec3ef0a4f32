import { messageFor, type Text } from '../../../contract/messages/message.ts';
import { refused, type RefusedError } from '../../base/errors.ts';
import { numberedName, placeWithoutLinks } from '../../downloads/publish.ts';
import { toFolder, notOurs, toPath, placeIn, ProjectFileError, type Place } from '../../files/place.ts';
import { isOwnFile, look, makeFolder, removeFile } from '../../files/project-files.ts';
import type { TrashPhase } from '../../../contract/trash.ts';
import type { Job } from '../../db/job-store.ts';
import { shotOfName } from '../../jobs/planning.ts';
import { shotReferences } from '../../kinds/shot-reference.ts';
import type { StepContext } from '../../jobs/step-context.ts';

const MAX_NAMES = 10_000;

export interface TwoPlaces {
  readonly number: number;
  readonly home: Place;
  readonly trash: Place;
}

/** Size of our file at a place, bytes; null if there is none. Throws ProjectFileError for anything else. */
async function bytesAt(place: Place): Promise<number | null> {
  const found = await look(place);
  if (found === null) return null;
  if (!isOwnFile(found)) throw notOurs(place, found, 'file');
  // An empty file only reserves the name: a killed move left it there.
  return found.size === 0 ? null : found.size;
}

/** Moves a file and never replaces another. Returns its size, bytes; null if it is in neither place. */
async function move(from: Place, to: Place): Promise<number | null> {
  const bytes = await bytesAt(from);
  if (bytes === null) return bytesAt(to);
  await makeFolder(toFolder(to));
  if (!(await placeWithoutLinks(from, to))) throw nameTaken(to);
  return bytes;
}

const nameTaken = (place: Place): RefusedError =>
  refused('name_taken', messageFor('trash.nameTaken', { path: toPath(place) }), 'trash.moveItAway');

/**
 * Moves a file into the trash by renaming it, so that it is always in exactly one place. `repeats`: a kill interrupted
 * the move and the file may be in the trash already; a file with its old name is then another one. Returns its size,
 * bytes; null if it is in neither place.
 */
export async function moveIn({ home, trash }: TwoPlaces, { repeats = false } = {}): Promise<number | null> {
  return (repeats ? await bytesAt(trash) : null) ?? move(home, trash);
}

/** Restores a file to its own place, which was free when it was chosen; see `freeHome`. */
export const moveOut = ({ home, trash }: TwoPlaces): Promise<number | null> => move(trash, home);

export async function moveBack({ home, trash }: TwoPlaces, to: 'home' | 'trash'): Promise<void> {
  // A place that is not part of the project contains nothing of ours.
  const isInTrash = await bytesAt(trash).then(
    (bytes) => bytes !== null,
    (error: unknown) => {
      if (error instanceof ProjectFileError) return false;
      throw error;
    },
  );
  if (isInTrash && to === 'home') await move(trash, home);
  if (!isInTrash && to === 'trash') await move(home, trash);
}

export async function freeHome({ home, trash }: TwoPlaces): Promise<Place> {
  if ((await bytesAt(trash)) === null) return home;
  const name = home.names.at(-1) ?? '';
  const dot = name.lastIndexOf('.');
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot + 1)] : [name, ''];
  for (let attempt = 1; attempt <= MAX_NAMES; attempt += 1) {
    const numbered = numberedName(stem, extension, attempt).replace(/\.$/, '');
    const place = { ...home, names: [...home.names.slice(0, -1), attempt === 1 ? name : numbered] };
    const found = await look(place);
    if (found === null || (isOwnFile(found) && found.size === 0)) return place;
  }
  throw nameTaken(home);
}

/** Deletes a file from the trash. Returns the bytes freed; null if there was none. */
export async function removeForGood({ trash }: TwoPlaces): Promise<number | null> {
  const found = await look(trash);
  if (found === null) return null;
  await removeFile(trash);
  return isOwnFile(found) ? found.size : 0;
}

/** What happens to the files of takes. Each word is also the phase of a take in progress. */
export type TrashMove = Extract<TrashPhase, 'trashing' | 'restoring' | 'emptying'>;

/** Says why files of takes must stay. Reads once per batch, so use one instance for one question about many takes. */
export class Needs {
  readonly #context: StepContext;
  readonly #awaitedIn = new Map<string, ReadonlySet<string>>();

  constructor(context: StepContext) {
    this.#context = context;
  }

  /** Why the files of a take cannot be moved or removed; null if they can. `project` is its folder. */
  whyNot(move: TrashMove, job: Job, project: string): Text | null {
    const { batches } = this.#context;
    if (batches.isArchived(job.batchId)) {
      return messageFor('trash.keptArchived', { batch: batches.get(job.batchId)?.name ?? '' });
    }
    if (move === 'trashing') return this.#whyNotTrashed(job, project);
    return whyNotThere(job) ?? (move === 'emptying' ? this.#whyNeeded(job, project) : null);
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
    const isAwaited = this.#awaitedShots(job.projectId).has(nameOf(job.batchId, job.shotKey));
    if (isAwaited && sources.resultsOf(job.batchId, job.shotKey).best?.takeId === job.id) {
      return messageFor('trash.keptForShot', { shot: job.shotKey });
    }
    const isRead = outputs
      .outputs(job.id)
      .some(({ file }) => jobs.trash.isBeingUploaded(toPath(placeIn(project, file))));
    return isRead ? messageFor('trash.keptForUpload') : null;
  }

  /** Shots of any batch of the project that a row which is not sent yet names. */
  #awaitedShots(projectId: string): ReadonlySet<string> {
    const known = this.#awaitedIn.get(projectId);
    if (known) return known;
    const awaited = new Set<string>();
    for (const { batchId, spec } of this.#context.jobs.trash.waitingShots(projectId)) {
      for (const { name } of shotReferences(spec)) {
        const shot = shotOfName(this.#context, { projectId, batchId }, name);
        if (shot) awaited.add(nameOf(shot.batchId, shot.key));
      }
    }
    this.#awaitedIn.set(projectId, awaited);
    return awaited;
  }
}

const nameOf = (batchId: string, key: string): string => `${batchId} ${key}`;

/** Why the trash has no files of a take; null if it has. */
function whyNotThere({ trash }: Job): Text | null {
  // A full disk may have prevented writing the recipe, but the files are in the trash.
  if (trash === 'trashed' || trash === 'trashing') return null;
  return messageFor(trash === 'emptied' ? 'trash.keptEmptied' : 'trash.keptNotInTrash');
}
