import { messageFor, type Message } from '../../contract/messages/message.ts';
import { isAbsolute, resolve } from 'node:path';
import { parseBoundedJson } from '../../contract/json.ts';
import * as z from 'zod';
import { DailiesError, isFileHeld } from '../base/errors.ts';
import { lockHolder, processFor, type Holder } from '../base/instance-lock.ts';
import { isSameMachine, thisMachine } from '../base/machine.ts';
import { placeIn, type Place } from '../files/place.ts';
import { identityFor, readFile, replaceFile } from '../files/project-files.ts';
import { realPath } from '../files/existing-paths.ts';

/** `.dailies/worked-from.json`: the engine that works in the project, or the last one that did. */
const WorkedFrom = z.object({
  host: z.string(),
  machine: z.string().optional(),
  dataFolder: z.string(),
  project: z.string(),
  /** Identifies the folder: the same however its path is written, different in a copy. */
  folder: z.string().optional(),
  run: z.string().optional(),
  /** The studio whose machines work in it together, in place of one run. */
  studio: z.string().optional(),
});
type WorkedFrom = z.infer<typeof WorkedFrom>;
const MAX_BYTES = 64 * 1024;

export interface Claimant {
  readonly dataFolder: string;
  readonly run: string;
  readonly machine?: string | undefined;
  /** Of a project of a studio: its id. All machines of the studio have the project, and each its takes. */
  readonly studio?: string | undefined;
}

/** An engine of another data folder, or a studio, works in the project. Each would make and pay for the same takes. */
export class ProjectInUseError extends DailiesError {
  readonly code = 'project_in_use';
  readonly remedy = messageFor('remedy.waitOrOtherDataFolder');
  readonly whoWorks: Message;

  constructor(whoWorks: Message) {
    super(messageFor('failure.projectInUseTwice', { reason: whoWorks }));
    this.whoWorks = whoWorks;
  }
}

/**
 * Takes a project for one run of an engine; false if that run has it already. Throws ProjectInUseError while the engine
 * that has it is running. For an engine on another machine we cannot know that, so checking `isClaimedBy` before each
 * request must be enough.
 */
export async function claimProject(path: string, claimant: Claimant): Promise<boolean> {
  const { dataFolder, run, machine, studio } = claimant;
  const own: WorkedFrom = {
    ...thisMachine(machine),
    dataFolder: await whereLockIs(dataFolder),
    project: await realPath(path),
    folder: await folderIdFor(path),
    ...(studio === undefined ? { run } : { studio }),
  };
  const last = await readNote(path);
  if (isOf(last, claimant)) return false;
  if (last?.studio !== undefined && (!isSameMachine(last, own) || isAboutSameFolder(last, own)))
    throw new ProjectInUseError(messageFor('failure.projectOfStudio', { project: path, studio: last.studio }));
  if (last && isAboutSameFolder(last, own)) {
    const holder = workingHolder(last, own);
    const facts = { project: path, dataFolder: last.dataFolder, ...processFor(holder ?? null, 'common.process') };
    if (holder !== undefined) throw new ProjectInUseError(messageFor('failure.projectInUse', facts));
  }
  await replaceFile(noteFile(path), `${JSON.stringify(own, null, 2)}\n`);
  return true;
}

/** Whether this run of an engine, or its studio, is still the last one that took the project. */
export async function isClaimedBy(path: string, claimant: Claimant): Promise<boolean> {
  return isOf(await readNote(path).catch(() => null), claimant);
}

const isOf = (last: WorkedFrom | null, { run, studio }: Claimant): boolean =>
  studio === undefined ? last?.run === run && last.studio === undefined : last?.studio === studio;

const noteFile = (path: string): Place => placeIn(path, '.dailies', 'worked-from.json');

/** A bind mount or a link is the same folder. A copy, which contains the note of its original, is not. */
const folderIdFor = async (path: string): Promise<string> => (await identityFor(placeIn(path, '.dailies'))) ?? '';

const isAboutSameFolder = (last: WorkedFrom, own: WorkedFrom): boolean =>
  isSameMachine(last, own) && (last.folder === own.folder || last.project === own.project);

/** Who works under the claim; undefined if nobody does, null if unknown. */
function workingHolder(last: WorkedFrom, own: WorkedFrom): Holder | null | undefined {
  if (last.dataFolder === own.dataFolder) return undefined;
  const held = toHolder(last.dataFolder);
  if (!held) return undefined;
  // That engine was restarted and has not taken the project again, or it is this engine under another path.
  const isOver = held.holder?.run !== undefined && last.run !== undefined && held.holder.run !== last.run;
  return isOver ? undefined : held.holder;
}

/**
 * The path by which others find the lock of a data folder. Windows resolves a mapped drive to the machine that it is on,
 * where no lock is looked for; by its letter it is.
 */
async function whereLockIs(dataFolder: string): Promise<string> {
  const real = await realPath(dataFolder);
  return isOnOtherMachine(real) && !isOnOtherMachine(dataFolder) ? resolve(dataFolder) : real;
}

const isOnOtherMachine = (path: string): boolean => /^[\\/]{2}/.test(path);

/** Others may be able to write the note, so only a lock on this machine or on one of its drives is checked. */
function toHolder(dataFolder: string): ReturnType<typeof lockHolder> {
  if (!isAbsolute(dataFolder) || isOnOtherMachine(dataFolder)) return null;
  try {
    return lockHolder(dataFolder);
  } catch {
    return null;
  }
}

/** The note; null if there is none, or what is there is none. Rejects while it cannot be read. */
async function readNote(path: string): Promise<WorkedFrom | null> {
  try {
    return WorkedFrom.parse(parseBoundedJson((await readFile(noteFile(path), MAX_BYTES)).toString('utf8')));
  } catch (error) {
    if (isFileHeld(error)) throw error;
    return null;
  }
}
