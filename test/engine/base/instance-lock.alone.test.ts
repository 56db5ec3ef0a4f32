import fs, { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as os from 'node:os';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  DataFolderInUseError,
  DataFolderUnusableError,
  engineIn,
  lockDataFolder,
  lockHolder,
} from '../../../src/engine/base/instance-lock.ts';
import * as paths from '../../../src/engine/files/existing-paths.ts';
import { claimProject, ProjectInUseError } from '../../../src/engine/projects/project-owner.ts';

vi.mock('../../../src/engine/files/existing-paths.ts', { spy: true });
const network = vi.hoisted(() => ({ name: 'mac.office.lan' }));
vi.mock('node:os', async (actual) => ({ ...(await actual<typeof os>()), hostname: () => network.name }));

let folder = '';
beforeEach(() => {
  network.name = 'mac.office.lan';
  folder = mkdtempSync(join(tmpdir(), 'dailies-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const lockFile = () => join(folder, 'engine.lock');

/** The note of an engine of another process, whose lock file someone deleted. */
function withoutLock(pid: number, host?: string, machine?: string): void {
  lockDataFolder(folder, 'dailies serve', 1, machine).abandon();
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

  it('is that of the same machine after its network has given it another name', () => {
    withoutLock(process.ppid, undefined, 'this one');
    network.name = 'mac.local';
    expect(() => lockDataFolder(folder, 'dailies run', 2, 'this one')).toThrow(DataFolderInUseError);
    expect(engineIn(folder, 'another')).toBeNull();
  });

  it('keeps its projects for it too: another data folder of that machine does not take them', async () => {
    const project = join(folder, 'film');
    mkdirSync(join(project, '.dailies'), { recursive: true });
    const lock = lockDataFolder(folder, 'dailies serve', 1, 'this one');
    const other = { dataFolder: join(folder, 'other'), run: 'other' };
    await claimProject(project, { dataFolder: folder, run: lock.run, machine: 'this one' });
    network.name = 'mac.local';
    await expect(claimProject(project, { ...other, machine: 'this one' })).rejects.toThrow(ProjectInUseError);
    expect(await claimProject(project, { ...other, machine: 'another' })).toBe(true);
    lock.release();
  });

  it('is found on a mapped drive, which Windows resolves to the machine that it is on', async () => {
    const project = join(folder, 'film');
    mkdirSync(join(project, '.dailies'), { recursive: true });
    const drive = join(folder, 'drive');
    const lock = lockDataFolder(drive, 'dailies serve', 1);
    const real = vi.spyOn(paths, 'realPath');
    real.mockImplementation((path) => Promise.resolve(path === drive ? String.raw`\\server\data` : path));
    await claimProject(project, { dataFolder: drive, run: lock.run });
    await expect(claimProject(project, { dataFolder: folder, run: 'other' })).rejects.toThrow(ProjectInUseError);
    real.mockRestore();
    lock.release();
  });

  it('is free again after a start that could not write its note, and after an end that could not remove it', () => {
    const note = join(folder, 'engine.json');
    const held = vi.spyOn(fs, 'renameSync').mockImplementation(() => {
      throw Object.assign(new Error('held'), { code: 'EBUSY' });
    });
    syncBuiltinESMExports();
    expect(() => lockDataFolder(folder, 'dailies run', 1)).toThrow(DataFolderUnusableError);
    held.mockRestore();
    syncBuiltinESMExports();
    const lock = lockDataFolder(folder, 'dailies run', 2);
    const open = vi.spyOn(fs, 'rmSync').mockImplementation(() => {
      throw Object.assign(new Error('held'), { code: 'EPERM' });
    });
    syncBuiltinESMExports();
    lock.release();
    open.mockRestore();
    syncBuiltinESMExports();
    expect(existsSync(note)).toBe(true);
    lockDataFolder(folder, 'dailies run', 3).release();
  });
});
