import { it } from 'vitest';

/** Windows ends a process at once, whatever the signal. */
export const hasSignals = process.platform !== 'win32';

/** Declares a test that needs what not every system has. Where that is missing, the run says what it leaves out. */
export const itWhere =
  (isThere: boolean, lacking: string) =>
  (name: string, test: () => Promise<void>): void => {
    if (!isThere) process.stdout.write(`left out on ${process.platform}, ${lacking}: ${name}\n`);
    it.skipIf(!isThere)(name, test);
  };

export const itWithSignals = itWhere(hasSignals, 'without signals');
/** Windows deletes no file that is open. */
export const itWhereOpenFilesGo = itWhere(hasSignals, 'where no open file is deleted');
