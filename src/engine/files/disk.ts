import type { Clock, Disk } from '../base/ports.ts';
import { freeBytes } from './existing-paths.ts';
import { tryRoom } from './project-files.ts';

/** A disk that was asked for room is not asked again for this long, ms: each try writes as much as is needed. */
const ASK_AGAIN_MS = 5 * 60_000;

/**
 * The disks of this machine. macOS leaves what it would delete for a program that writes ("purgeable") out of the bytes
 * that are free, so that a disk may only seem full: there, as many bytes as are needed are written first.
 */
export function systemDisk(platform: NodeJS.Platform, clock: Clock): Disk {
  if (platform !== 'darwin') return { freeBytes };
  const asked = new Map<string, { readonly at: number; readonly bytes: number; readonly fits: Promise<boolean> }>();
  return {
    freeBytes,
    makeRoom(folder, bytes) {
      const now = clock.now();
      const last = asked.get(folder);
      if (last && bytes <= last.bytes && now - last.at < ASK_AGAIN_MS) return last.fits;
      const fits = tryRoom(folder, bytes);
      asked.set(folder, { at: now, bytes, fits });
      return fits;
    },
  };
}
