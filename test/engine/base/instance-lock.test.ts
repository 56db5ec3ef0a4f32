import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DataFolderInUseError, engineIn, lockDataFolder, lockHolder } from '../../../src/engine/base/instance-lock.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dailies-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const lockFile = () => join(folder, 'engine.lock');

/** The note of an engine of another process, whose lock file someone deleted. */
function withoutLock(pid: number, host?: string): void {
  lockDataFolder(folder, 'dailies serve', 1).abandon();
  const note = join(folder, 'engine.json');
  const written = JSON.parse(readFileSync(note, 'utf8')) as { pid: number; host: string };
  writeFileSync(note, JSON.stringify({ ...written, pid, ...(host && { host }) }));
  rmSync(lockFile());
}

describe('the lock of a data folder', () => {
  it('lets no second engine in when its file is deleted', () => {
    withoutLock(process.ppid);
    expect(engineIn(folder)).toMatchObject({ holder: { pid: process.ppid, command: 'dailies serve' } });
    expect(() => lockDataFolder(folder, 'dailies run', 2)).toThrow(DataFolderInUseError);
    expect(existsSync(lockFile()), 'looking leaves no lock behind').toBe(false);
    expect(() => lockDataFolder(folder, 'dailies run', 3)).toThrow(DataFolderInUseError);
  });

  it.each([
    { what: 'whose process has ended', pid: 2 ** 22 + 1 },
    { what: 'of a process with our own number, before a restart of the machine', pid: process.pid },
    { what: 'of another machine, which nobody can ask', pid: process.ppid, host: 'elsewhere' },
  ])('is free after an engine $what', ({ pid, host }) => {
    withoutLock(pid, host);
    expect(engineIn(folder)).toBeNull();
    lockDataFolder(folder, 'dailies run', 2).release();
  });

  it('is not believed to be held for the note of a folder that a project names', () => {
    withoutLock(process.ppid);
    expect(lockHolder(folder)).toBeNull();
  });

  it('is free after an engine that was killed, whatever process has its number since', () => {
    withoutLock(process.ppid);
    writeFileSync(lockFile(), '');
    expect(engineIn(folder)).toBeNull();
    lockDataFolder(folder, 'dailies run', 2).release();
  });
});
