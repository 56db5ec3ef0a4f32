import { formats, type OutputFormat } from '../../../../contract/formats.ts';
import type { JobView } from '../../../../contract/job.ts';
import type { ShownTake } from '../../../lib/media/take-media.ts';
import { countedTakes } from './shot-jobs.ts';

export interface StripTake {
  readonly id: string;
  readonly take: number;
  readonly isPick: boolean;
  readonly isRejected: boolean;
  readonly shown: ShownTake;
}

/** The takes of a shot that can be looked at, oldest first. Those in the trash, or without a file, are left out. Pure. */
export function stripOf(jobs: readonly JobView[]): readonly StripTake[] {
  return countedTakes(jobs).flatMap((job): StripTake[] => {
    const format = formatOf(job.files[0]);
    if (job.standing !== 'saved' || job.trash !== undefined || format === null) return [];
    const { id, take, kind, flag } = job;
    const shown: ShownTake = { id, kind, outputs: [{ number: 1, format }] };
    return [{ id, take, isPick: flag === 'pick', isRejected: flag === 'reject', shown }];
  });
}

/** So many of the takes, in their order: picks before any other, then the newest. Pure. */
export function fewOf(takes: readonly StripTake[], most: number): readonly StripTake[] {
  const picksLast = [...takes.filter(({ isPick }) => !isPick), ...takes.filter(({ isPick }) => isPick)];
  const few = new Set(picksLast.slice(-most));
  return takes.filter((take) => few.has(take));
}

/** The take of a shot to show first: its pick, else its newest that was not rejected. Pure. */
export function firstToSee(takes: readonly StripTake[]): StripTake | null {
  const pick = takes.findLast(({ isPick }) => isPick);
  return pick ?? takes.findLast(({ isRejected }) => !isRejected) ?? takes.at(-1) ?? null;
}

/** Files are named by their format. */
function formatOf(file = ''): OutputFormat | null {
  const extension = file.slice(file.lastIndexOf('.') + 1).toLowerCase();
  return Object.hasOwn(formats, extension) ? (extension as OutputFormat) : null;
}
