/** Bytes: a MB is 1000 × 1000 of them, everywhere. */
export const MB = 1000 ** 2;
export const GB = 1000 ** 3;

const units = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/** Bytes for people, in steps of 1000 as disks are sold: `0 B`, `12.4 MB`. */
export function bytesForPeople(bytes: number): string {
  let value = bytes;
  let step = 0;
  while (value >= 999.5 && step < units.length - 1) {
    value /= 1000;
    step += 1;
  }
  const digits = step === 0 || value >= 99.95 ? 0 : 1;
  return `${value.toFixed(digits)} ${units[step] ?? 'TB'}`;
}

/** Of the name of a project or a batch, characters. */
export const LONGEST_NAME = 200;
