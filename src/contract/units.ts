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
export const MAX_NAME = 200;

/**
 * Of any name from elsewhere that things are looked up by, characters: ids, keys, models, columns. V8 hashes texts of
 * more than 16,383 characters by their length alone, so that each would be compared with all others of its length.
 */
export const MAX_KEY = 1000;
/** Of a path, characters: no system opens a longer one by its name. */
export const MAX_PATH = 4096;
