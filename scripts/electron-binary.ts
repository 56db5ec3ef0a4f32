import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Whether the tests of the window run in the desktop app (`npm run test:app`) and not in a browser. */
export const isDesktop = process.env['DAILIES_TEST_HOST'] === 'desktop';

const electron = resolve(import.meta.dirname, '../node_modules/electron');

/**
 * Path of Electron's program, or null where it was not downloaded. Looks on the disk only: asking the package would
 * start a download of a hundred megabytes, and fail with a stack trace offline.
 */
export function electronBinary(env: Readonly<Record<string, string | undefined>> = process.env): string | null {
  const named = env['ELECTRON_OVERRIDE_DIST_PATH'];
  const binary = join(named ?? join(electron, 'dist'), pathWithin());
  return existsSync(binary) ? binary : null;
}

/** Where the program is in a folder of Electron's, as the package wrote it down when it downloaded. */
function pathWithin(): string {
  try {
    return readFileSync(join(electron, 'path.txt'), 'utf8').trim();
  } catch {
    const usual: Partial<Record<NodeJS.Platform, string>> = {
      darwin: 'Electron.app/Contents/MacOS/Electron',
      win32: 'electron.exe',
    };
    return usual[process.platform] ?? 'electron';
  }
}
