import fsPromises from 'node:fs/promises';
import fs, { readlinkSync, type BigIntStats, type Stats } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** A call that fails: the system's code for a call on a path, or null where it does its work. */
export type Refusal = (call: string, path: string) => string | null;

export interface Odd {
  /** Which calls fail, and how. */
  readonly refuse?: Refusal;
  /** What a call waits for, before it does its work. */
  readonly hold?: (call: string, path: string) => Promise<unknown> | null;
  /** The id that the system gives a file, in place of its own. NTFS has some above 2^53. */
  readonly inode?: (path: string, own: bigint) => bigint | undefined;
}

/**
 * A disk of a project as other systems have them: without syncs of folders, with ids above 2^53, some without hard links,
 * and with another program that holds a file now and then: for a few tries, or with `holdsLong` for longer than we wait.
 */
export function diskOfOthers(random: () => number, { holdsLong = false } = {}): Odd {
  const hasLinks = random() < 0.5;
  const held = new Map<string, number>();
  return {
    inode: (path, own) => (IN_PROJECT.test(path) ? 2n ** 53n + own : undefined),
    refuse(call, path) {
      if (call === 'fsync') return 'EPERM';
      if (!IN_PROJECT.test(path) || call === 'lstat') return null;
      if (call === 'link' && !hasLinks) return 'EISDIR';
      const tries = held.get(path) ?? (random() < 0.05 ? 1 + Math.floor(random() * (holdsLong ? 12 : 3)) : 0);
      held.set(path, tries - 1);
      if (tries > 0) return 'EBUSY';
      held.delete(path);
      return null;
    },
  };
}

/** Crash stories name their projects so. */
const IN_PROJECT = /[\\/]film(?: \d+)?[\\/]/;

type Act = (...args: unknown[]) => Promise<unknown>;
const CALLS = ['link', 'rename', 'unlink', 'open', 'lstat'] as const;

/**
 * A layer under the door to files that fails as NTFS, exFAT, a virus scanner or a sync client does, in this process and
 * until it is lifted. Waits before another try are over at once.
 */
export function oddDisk({ refuse = () => null, hold = () => null, inode = () => undefined }: Odd): {
  lift: () => void;
} {
  const functions = fsPromises as unknown as Record<string, Act>;
  const own = Object.fromEntries(CALLS.map((call) => [call, functions[call] as Act]));
  const { fsync } = fs;
  const wait = globalThis.setTimeout;
  for (const call of CALLS) {
    functions[call] = async (...args) => {
      const paths = args.filter((each) => typeof each === 'string').map(named);
      requireNone(paths.map((path) => refuse(call, path)).find((code) => code !== null) ?? null, call, paths[0] ?? '');
      await paths.map((path) => hold(call, path)).find((held) => held !== null);
      const result = await own[call]?.(...args);
      return call === 'lstat' ? withId(result as Stats | BigIntStats, inode, paths[0] ?? '') : result;
    };
  }
  fs.fsync = Object.assign(
    (fd: number, done: (error: NodeJS.ErrnoException | null) => void): void => {
      const path = named(`/proc/self/fd/${fd}`);
      const code = refuse('fsync', path);
      if (code === null) fsync(fd, done);
      else done(failure(code, 'fsync', path));
    },
    { __promisify__: fsync.__promisify__ },
  );
  globalThis.setTimeout = ((...[act, ms, ...args]: Parameters<typeof wait>) =>
    wait(act, isRetry() ? 0 : ms, ...args)) as typeof wait;
  syncBuiltinESMExports();
  return {
    lift: () => {
      Object.assign(functions, own);
      fs.fsync = fsync;
      globalThis.setTimeout = wait;
      syncBuiltinESMExports();
    },
  };
}

const isRetry = (): boolean => /p-retry/.test(new Error().stack ?? '');

function requireNone(code: string | null, call: string, path: string): void {
  if (code !== null) throw failure(code, call, path);
}

const failure = (code: string, syscall: string, path: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${code}: as another system says it, ${syscall} '${path}'`), { code, syscall, path });

/** As the system counts: a number cannot hold an id above 2^53. */
function withId<Found extends Stats | BigIntStats>(found: Found, idOf: NonNullable<Odd['inode']>, path: string): Found {
  const id = idOf(path, BigInt(found.ino));
  if (id === undefined) return found;
  return Object.assign(found, { ino: typeof found.ino === 'bigint' ? id : Number(id) });
}

/** A path by way of an open folder, as it is written without one. */
function named(path: string): string {
  try {
    return path.replace(/^\/proc\/self\/fd\/\d+/, (folder) => readlinkSync(folder));
  } catch {
    return path;
  }
}
