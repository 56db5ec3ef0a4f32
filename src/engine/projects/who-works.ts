import { hostname } from 'node:os';
import { isAbsolute } from 'node:path';
import * as z from 'zod';
import { DailiesError } from '../errors.ts';
import { whoHolds, type Holder } from '../instance-lock.ts';
import { placeIn, type Place } from './place.ts';
import { readFile, replaceFile } from './project-files.ts';
import { realPath } from './real-path.ts';

/** `.dailies/worked-from.json`: the data folder that has opened the project last, and where both lay then. */
const WorkedFrom = z.object({ host: z.string(), dataFolder: z.string(), project: z.string() });
type WorkedFrom = z.infer<typeof WorkedFrom>;
const MAX_BYTES = 64 * 1024;

/** An engine of another data folder works in the project: each would make, and pay for, what the other makes. */
export class ProjectInUseError extends DailiesError {
  readonly code = 'project_in_use';
  readonly remedy = 'Wait for it, stop it, or work with its data folder.';

  constructor(project: string, dataFolder: string, holder: Holder | null) {
    const who = holder ? `process ${holder.pid} (${holder.command})` : 'another Dailies';
    super(
      `The project ${project} is worked on from another data folder, ${dataFolder}, where ${who} is at work: ` +
        'both would make, and pay for, the same takes. Nothing was sent.',
    );
  }
}

/**
 * Takes a project for a data folder. Throws ProjectInUseError while an engine works in the one that had it before. Of
 * another machine that cannot be told, and a copy is a project that nobody works in.
 */
export async function claimProject(path: string, dataFolder: string): Promise<void> {
  const file = placeIn(path, '.dailies', 'worked-from.json');
  const own: WorkedFrom = { host: hostname(), dataFolder: await realPath(dataFolder), project: await realPath(path) };
  const last = await readNote(file);
  if (last?.host === own.host && last.project === own.project) {
    if (last.dataFolder === own.dataFolder) return;
    const held = holderOf(last.dataFolder);
    if (held) throw new ProjectInUseError(path, last.dataFolder, held.holder);
  }
  await replaceFile(file, `${JSON.stringify(own, null, 2)}\n`);
}

/** The note lies where others can write: it is asked about a folder of this machine alone, and about a lock alone. */
function holderOf(dataFolder: string): ReturnType<typeof whoHolds> {
  if (!isAbsolute(dataFolder) || /^[\\/]{2}/.test(dataFolder)) return null;
  try {
    return whoHolds(dataFolder);
  } catch {
    return null;
  }
}

async function readNote(file: Place): Promise<WorkedFrom | null> {
  try {
    return WorkedFrom.parse(JSON.parse((await readFile(file, MAX_BYTES)).toString('utf8')));
  } catch {
    return null;
  }
}
