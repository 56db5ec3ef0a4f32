import { messageFor } from '../../contract/messages/message.ts';
import type { StepReport } from '../machine/job-facts.ts';
import { bytesForPeople } from '../../contract/units.ts';
import type { Disk } from '../base/ports.ts';
import type { Job } from '../db/job-store.ts';
import { DISK_CLOSED, systemCode } from '../base/errors.ts';
import { look } from '../files/project-files.ts';
import { ownFolders } from '../files/project-folder.ts';
import { projectFor } from './planning.ts';
import type { StepContext } from './step-context.ts';

/** Kept free on the disk with the database, bytes, so that whatever was paid for can always be recorded. */
const DATA_RESERVE = 64 * 1000 ** 2;

export type DiskReport = Extract<StepReport, { saw: 'disk_low' }>;

export async function diskTrouble(context: StepContext, job: Job): Promise<DiskReport | null> {
  const { ports, settings, dataFolder } = context;
  const reserve = Math.min(DATA_RESERVE, settings.minFreeBytes);
  const freeForData = await ports.disk.freeBytes(dataFolder);
  if (freeForData < reserve && !(await makesRoom(ports.disk, dataFolder, reserve))) {
    const message = messageFor('waiting.diskLowData', { folder: dataFolder, ...sizes(freeForData, reserve) });
    return { saw: 'disk_low', disk: 'data', message };
  }
  const { name, path } = projectFor(context, job);
  const free = await ports.disk.freeBytes(path);
  if (free >= settings.minFreeBytes || (await makesRoom(ports.disk, path, settings.minFreeBytes))) return null;
  const facts = { project: name, folder: path, ...sizes(free, settings.minFreeBytes) };
  return { saw: 'disk_low', disk: 'project', message: messageFor('waiting.diskLowProject', facts) };
}

const makesRoom = async (disk: Disk, folder: string, bytes: number): Promise<boolean> =>
  (await disk.makeRoom?.(folder, bytes)) === true;

/** The project's disk refused to write: it is full or read-only. */
export function diskFull(context: StepContext, job: Job): DiskReport {
  const { name, path } = projectFor(context, job);
  const message = messageFor('waiting.diskClosed', { project: name, folder: path });
  return { saw: 'disk_low', disk: 'project', message };
}

const sizes = (free: number, reserve: number) => ({ free: bytesForPeople(free), reserve: bytesForPeople(reserve) });

/** A disk becomes read-only when it is mounted so, locked by a switch, or after an error. It can recover. */
export const isDiskFull = (error: unknown): boolean => DISK_CLOSED.has(systemCode(error) ?? '');

/** How soon to look again at a job that something on this machine delayed, ms. */
export const LOCAL_RETRY_MS = 30_000;

/**
 * The project folder cannot be seen now, for example because its disk is unplugged. We look for our own folder in it:
 * an empty mount point stays behind, and creating a new project there by mistake would hide the real one.
 */
export async function projectIsAway(context: StepContext, job: Job): Promise<boolean> {
  const found = await look(ownFolders(projectFor(context, job).path).own).catch(() => null);
  return found === null;
}
