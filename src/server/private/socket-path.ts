import { randomBytes } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Holder } from '../../engine/base/instance-lock.ts';
import { isSameMachine, thisMachine } from '../../engine/base/machine.ts';

/** Longer paths of sockets are cut off or refused: macOS has 104 bytes with the zero at the end, Linux 108. */
const MAX_PATH_BYTES = 103;
const PIPES = String.raw`\\.\pipe\dailies-`;
const NAME = 'engine.sock';

/** The place of an engine's socket for programs of its own user, and what to remove when the engine has ended. */
export interface SocketPlace {
  readonly path: string;
  remove(): void;
}

/**
 * Places for the socket of a data folder, the best first. Each is a folder that only its owner may enter, made before
 * the socket is, so that others can never connect. Windows has pipes: others cannot write to one, and cannot take its
 * random name first.
 */
export function* socketPlaces(dataFolder: string): Generator<SocketPlace, void, void> {
  if (process.platform === 'win32') {
    yield { path: `${PIPES}${randomBytes(16).toString('hex')}`, remove: () => undefined };
    return;
  }
  const own = join(dataFolder, 'run');
  const path = join(own, NAME);
  if (Buffer.byteLength(path) <= MAX_PATH_BYTES) {
    mkdirSync(own, { recursive: true, mode: 0o700 });
    chmodSync(own, 0o700);
    const remove = () => rmSync(path, { force: true });
    // Files of an engine that was killed. Only the holder of the folder gets here.
    remove();
    yield { path, remove };
  }
  // The data folder's path is too long, or its disk has no sockets.
  const temporary = mkdtempSync(join(tmpdir(), 'dailies-'));
  yield { path: join(temporary, NAME), remove: () => rmSync(temporary, { recursive: true, force: true }) };
}

function isOwnSocket(path: string): boolean {
  if (process.platform === 'win32') return path.startsWith(PIPES);
  try {
    const found = lstatSync(path);
    return found.isSocket() && found.uid === process.getuid?.();
  } catch {
    return false;
  }
}

/**
 * The socket of the engine for this command; null when it shares itself with no one, or not with this user and machine.
 */
export function socketFor(holder: Holder | null, machine: string | undefined): string | null {
  if (holder?.socket === undefined || !isSameMachine(holder, thisMachine(machine))) return null;
  return isOwnSocket(holder.socket) ? holder.socket : null;
}
