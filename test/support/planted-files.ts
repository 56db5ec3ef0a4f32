import { execFileSync } from 'node:child_process';
import { linkSync, symlinkSync } from 'node:fs';

/** What someone may put in the place of a file of a project, with a victim elsewhere. A device takes root. */
export const plants: Readonly<Record<string, (path: string, victim: string) => void>> = {
  'a link': (path, victim) => symlinkSync(victim, path),
  'a hard link': (path, victim) => linkSync(victim, path),
  'a pipe': (path) => execFileSync('mkfifo', [path]),
  ...(process.getuid?.() === 0 && {
    'a device': (path: string) => execFileSync('mknod', [path, 'c', '1', '5']),
  }),
};
