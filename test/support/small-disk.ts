import { execFileSync } from 'node:child_process';
import { openSync, closeSync, mkdirSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A real file system of a few megabytes, in memory. */
export interface SmallDisk {
  /** Leaves not a byte. Throws nothing: running out is what it is for. */
  fill(): void;
  /** Takes away what `fill` put there. */
  free(): void;
  setWritable(writable: boolean): void;
  unmount(): void;
}

/** Mounts a small disk at `path`, or says why this machine does not allow it: that takes root on Linux. */
export function mountSmallDisk(path: string, bytes: number): SmallDisk | { readonly reason: string } {
  mkdirSync(path, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${String(bytes)}`, 'tmpfs', path], { stdio: 'pipe' });
  } catch (error) {
    return { reason: `no small disk can be mounted here: ${(error as Error).message}` };
  }
  const filler = join(path, 'filler');
  return {
    fill() {
      const file = openSync(filler, 'w');
      try {
        for (;;) writeSync(file, Buffer.alloc(4096));
      } catch {
        // Full, as wanted.
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(filler),
    setWritable: (writable) =>
      void execFileSync('mount', ['-o', `remount,${writable ? 'rw' : 'ro'}`, path], { stdio: 'pipe' }),
    unmount: () => void execFileSync('umount', [path], { stdio: 'pipe' }),
  };
}
