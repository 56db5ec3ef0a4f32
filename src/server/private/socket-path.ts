import { randomBytes } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir, hostname } from 'node:os';
import { join } from 'node:path';
import type { Holder } from '../../engine/base/instance-lock.ts';

/** Longer paths of sockets are cut off or refused: macOS has 104 bytes with the zero at the end, Linux 108. */
const LONGEST_PATH_BYTES = 103;
const PIPES = String.raw`\\.\pipe\dailies-`;
const NAME = 'engine.sock';

/** Where an engine may listen for programs of its own user, and what is to be removed when it has ended. */
export interface SocketPlace {
  readonly path: string;
  remove(): void;
}

/**
 * Places for the socket of a data folder, the best first. Each is a folder that only its owner may enter, made before the
 * socket is, so that there is no moment at which others could connect. Windows has pipes: others cannot write to one, and
 * nobody can take a name by chance before us.
 */
export function* socketPlaces(dataFolder: string): Generator<SocketPlace, void, void> {
  if (process.platform === 'win32') {
    yield { path: `${PIPES}${randomBytes(16).toString('hex')}`, remove: () => undefined };
    return;
  }
  const own = join(dataFolder, 'run');
  const path = join(own, NAME);
  if (Buffer.byteLength(path) <= LONGEST_PATH_BYTES) {
    mkdirSync(own, { recursive: true, mode: 0o700 });
    chmodSync(own, 0o700);
    const remove = () => rmSync(path, { force: true });
    // What an engine that was killed left behind. Only the one that holds the folder gets here.
    remove();
    yield { path, remove };
  }
  // The data folder's path is too long, or its disk has no sockets.
  const temporary = mkdtempSync(join(tmpdir(), 'dailies-'));
  yield { path: join(temporary, NAME), remove: () => rmSync(temporary, { recursive: true, force: true }) };
}

/** Whether a path that a note names is a socket of this very user: nothing is said to any other. */
function isOwnSocket(path: string): boolean {
  if (process.platform === 'win32') return path.startsWith(PIPES);
  try {
    const found = lstatSync(path);
    return found.isSocket() && found.uid === process.getuid?.();
  } catch {
    return false;
  }
}

/** Where an engine answers this command; null when it shares itself with nobody, or not with this user and machine. */
export function socketOf(holder: Holder | null): string | null {
  const { socket, host } = holder ?? {};
  return socket !== undefined && host === hostname() && isOwnSocket(socket) ? socket : null;
}
