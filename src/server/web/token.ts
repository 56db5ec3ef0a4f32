import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SHAPE = /^[\w-]{43}$/;

const tokenFile = (dataFolder: string): string => join(dataFolder, 'web-token');

/**
 * The secret of one run of the web host: 256 bits of chance, in a file that only its owner may read, for our own
 * commands. A run that was killed left its token behind, and it is taken over: windows that are still open go on.
 */
export function takeToken(dataFolder: string): string {
  const left = readToken(dataFolder);
  if (left !== null) return left;
  const token = randomBytes(32).toString('base64url');
  const file = tokenFile(dataFolder);
  rmSync(file, { force: true });
  writeFileSync(file, token, { flag: 'wx', mode: 0o600 });
  chmodSync(file, 0o600);
  return token;
}

/** The token of the run that is at work; null when there is none, or others could have read it. */
export function readToken(dataFolder: string): string | null {
  try {
    const file = tokenFile(dataFolder);
    // Windows has no such bits; there the user's own folder keeps others out.
    if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) return null;
    const token = readFileSync(file, 'utf8').trim();
    return SHAPE.test(token) ? token : null;
  } catch {
    return null;
  }
}

/** The run is over: its token opens nothing any more. */
export function dropToken(dataFolder: string): void {
  rmSync(tokenFile(dataFolder), { force: true });
}

/** Whether two texts are the same, in a time that does not tell how much of them is. */
export function isSame(given: string, secret: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}
