import { DailiesError, messageOf, NewerDatabaseError } from '../engine/base/errors.ts';
import { DataFolderInUseError, type Holder } from '../engine/base/instance-lock.ts';
import { diskTroubleOf } from '../engine/base/disk-trouble.ts';
import { IN_USE, type EngineTrouble } from './engine-messages.ts';

/** Why an engine could not start on a data folder, in words for somebody who has no terminal. Pure. */
export function engineTroubleOf(error: unknown, dataFolder: string): EngineTrouble {
  if (error instanceof DataFolderInUseError) return inUse(error.holder, dataFolder);
  if (error instanceof NewerDatabaseError) {
    return { code: error.code, message: error.message, remedy: 'Install the newer Dailies again; nothing is lost.' };
  }
  // What the database or the settings failed of may be the disk beneath them.
  const disk = diskTroubleOf(error) ?? (error instanceof Error ? diskTroubleOf(error.cause) : null);
  if (disk) {
    const message = `Dailies keeps its data in ${dataFolder}, and that cannot be used. ${disk.message}`;
    return { code: disk.code, message, remedy: disk.remedy };
  }
  if (error instanceof DailiesError) {
    const { code, message, remedy } = error;
    return { code, message, remedy };
  }
  return {
    code: 'internal',
    message: `The queue could not be started: ${messageOf(error)}.`,
    remedy: 'Try again. If it stays like this, report it with the log; nothing was sent.',
  };
}

function inUse(holder: Holder | null, dataFolder: string): EngineTrouble {
  const who = holder ? `“${holder.command}” (process ${holder.pid} on ${holder.host})` : 'Another program';
  return {
    code: IN_USE,
    message: `${who} is working with the same data just now, in ${dataFolder}.`,
    remedy: 'Dailies opens by itself as soon as it has ended. To open at once, stop it.',
  };
}
