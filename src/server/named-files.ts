import { RefusedError } from '../engine/errors.ts';
import type { Services } from './services.ts';

/**
 * Commands and the app name files of this machine by their paths: a person has typed or chosen them there. A page in a
 * browser is given the files themselves, and has no reason to name any. Throws RefusedError.
 */
export function assureMayNameFiles({ servesBrowsers }: Pick<Services, 'servesBrowsers'>): void {
  if (servesBrowsers !== true) return;
  throw new RefusedError(
    'only_in_the_app',
    'A browser cannot name files of this computer by their paths.',
    'Choose the file in the window, or use the desktop app.',
  );
}
