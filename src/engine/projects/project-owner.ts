import { messageFor, type Message } from '../../contract/messages/message.ts';
import { hostname } from 'node:os';
import { isAbsolute } from 'node:path';
import * as z from 'zod';
import { DailiesError } from '../base/errors.ts';
import { lockHolder, processOf, type Holder } from '../base/instance-lock.ts';
import { placeIn, type Place } from '../files/place.ts';
import { look, readFile, replaceFile } from '../files/project-files.ts';
import { realPath } from '../files/real-path.ts';

/** `.dailies/worked-from.json`: the engine that works in the project, or the one that did so last. */
const WorkedFrom = z.object({
  host: z.string(),
  dataFolder: z.string(),
  project: z.string(),
  /** The folder itself: the same however its path is written, another one in a copy. */
  folder: z.string().optional(),
  /** One start of that engine. */
  run: z.string().optional(),
});
type WorkedFrom = z.infer<typeof WorkedFrom>;
const MAX_BYTES = 64 * 1024;

/** The engine that asks. */
export interface Claimant {
  readonly dataFolder: string;
  readonly run: string;
}

/** An engine of another data folder works in the project: each would make, and pay for, what the other makes. */
export class ProjectInUseError extends DailiesError {
  readonly code = 'project_in_use';
  readonly remedy = messageFor('remedy.waitOrItsDataFolder');
  /** Who works where. */
  readonly whoWorks: Message;

  constructor(project: string, dataFolder: string, holder: Holder | null) {
    const facts = { project, dataFolder, ...processOf(holder, 'common.process') };
    const whoWorks = messageFor('failure.projectInUse', facts);
    super(messageFor('failure.projectInUseTwice', { reason: whoWorks }));
    this.whoWorks = whoWorks;
  }
}

/**
 * Takes a project for one run of an engine; false when that run has it already. Throws ProjectInUseError while the engine
 * that has it is at work. Of another machine that cannot be told: there, asking `isClaimedBy` before each request has to do.
 */
export async function claimProject(path: string, { dataFolder, run }: Claimant): Promise<boolean> {
  const own: Required<WorkedFrom> = {
    host: hostname(),
    dataFolder: await realPath(dataFolder),
    project: await realPath(path),
    folder: await identityOf(path),
    run,
  };
  const last = await readNote(path);
  if (last?.run === run) return false;
  if (last && isAboutSameFolder(last, own)) {
    const holder = workingHolder(last, own);
    if (holder !== undefined) throw new ProjectInUseError(path, last.dataFolder, holder);
  }
  await replaceFile(noteFile(path), `${JSON.stringify(own, null, 2)}\n`);
  return true;
}

/** Whether nobody has taken the project since this run of an engine did. */
export async function isClaimedBy(path: string, run: string): Promise<boolean> {
  return (await readNote(path))?.run === run;
}

const noteFile = (path: string): Place => placeIn(path, '.dailies', 'worked-from.json');

/** A bind mount or a link is the same folder; a copy, which carries the note of its original, is not. */
async function identityOf(path: string): Promise<string> {
  const found = await look(placeIn(path, '.dailies'));
  return found ? `${found.dev}:${found.ino}` : '';
}

const isAboutSameFolder = (last: WorkedFrom, own: WorkedFrom): boolean =>
  last.host === own.host && (last.folder === own.folder || last.project === own.project);

/** Who works with the claim; undefined when nobody does, null when it cannot be said who. */
function workingHolder(last: WorkedFrom, own: WorkedFrom): Holder | null | undefined {
  if (last.dataFolder === own.dataFolder) return undefined;
  const held = holderOf(last.dataFolder);
  if (!held) return undefined;
  // Its engine was started again since, and has not taken the project; or it is this very engine under another path.
  const isOver = held.holder?.run !== undefined && last.run !== undefined && held.holder.run !== last.run;
  return isOver ? undefined : held.holder;
}

/** The note lies where others can write: it is asked about a folder of this machine alone, and about a lock alone. */
function holderOf(dataFolder: string): ReturnType<typeof lockHolder> {
  if (!isAbsolute(dataFolder) || /^[\\/]{2}/.test(dataFolder)) return null;
  try {
    return lockHolder(dataFolder);
  } catch {
    return null;
  }
}

async function readNote(path: string): Promise<WorkedFrom | null> {
  try {
    return WorkedFrom.parse(JSON.parse((await readFile(noteFile(path), MAX_BYTES)).toString('utf8')));
  } catch {
    return null;
  }
}
