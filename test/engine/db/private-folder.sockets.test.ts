import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { closeToOthers } from '../../../src/engine/db/private-folder.ts';
import { MemoryLog, World } from '../../support/world.ts';
import { folderOfTest } from '../../support/folders.ts';

const rightsOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe.skipIf(process.platform === 'win32')('a data folder that others can open', () => {
  it('is closed to them when the engine starts, with everything of ours in it, and the log says so', async () => {
    const world = await World.open();
    onTestFinished(() => world.close());
    await world.start();
    await world.stop();
    mkdirSync(join(world.dataFolder, 'logs'));
    for (const name of ['settings.json', 'api-key', 'logs/dailies.log', 'notes.txt']) {
      writeFileSync(join(world.dataFolder, name), '{}');
    }
    for (const name of readdirSync(world.dataFolder, { recursive: true, encoding: 'utf8' })) {
      chmodSync(join(world.dataFolder, name), 0o755);
    }
    chmodSync(world.dataFolder, 0o755);
    await world.start();
    expect(rightsOf(world.dataFolder)).toBe('700');
    for (const name of ['dailies.db', 'engine.lock', 'settings.json', 'api-key', 'logs', 'logs/dailies.log']) {
      expect(Number.parseInt(rightsOf(join(world.dataFolder, name)), 8) & 0o077, name).toBe(0);
    }
    expect(rightsOf(join(world.dataFolder, 'notes.txt'))).toBe('755');
    const told = world.log.lines.filter((line) => line.includes('could open the data folder'));
    expect(told).toHaveLength(1);
    expect(told[0]).toContain(join(world.dataFolder, 'api-key'));
  });

  it('is left alone where it is closed, where it belongs to everyone, and behind links', async () => {
    const folder = folderOfTest();
    const elsewhere = join(folderOfTest(), 'shared');
    writeFileSync(elsewhere, '', { mode: 0o644 });
    symlinkSync(elsewhere, join(folder, 'settings.json'));
    const log = new MemoryLog();
    await closeToOthers(folder, log);
    chmodSync(folder, 0o1777);
    await closeToOthers(folder, log);
    expect(rightsOf(folder)).toBe('777');
    expect(rightsOf(elsewhere)).toBe('644');
    expect(log.lines).toEqual([]);
  });
});

describe('a data folder on Windows', () => {
  const USER = 'S-1-5-21-1-2-3-1001';
  const INHERITED = `takes\nD:(A;OICIID;FA;;;BA)(A;OICIID;0x1301bf;;;AU)(A;ID;FA;;;${USER})(A;OICIIOID;GA;;;CO)`;
  const CLOSED = `takes\nD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;${USER})`;

  /** A Windows whose folder has these rights in turn, each time that they are asked for. */
  async function close(...rights: string[]): Promise<{ log: MemoryLog; asked: string[] }> {
    const log = new MemoryLog();
    const asked: string[] = [];
    const run = (program: string, args: readonly string[]): Promise<string> => {
      if (args.includes('/save')) writeFileSync(args.at(-1) ?? '', rights.shift() ?? '', 'utf16le');
      else asked.push([program, ...args].join(' '));
      return Promise.resolve(program.endsWith('whoami.exe') ? `"studio\\anna","${USER}"\r\n` : '');
    };
    await closeToOthers(String.raw`D:\dailies`, log, { platform: 'win32', run });
    return { log, asked };
  }

  it('that inherits the rights of its disk is left to its user, the system and its administrators', async () => {
    const { log, asked } = await close(INHERITED, CLOSED);
    expect(asked[1]).toBe(
      String.raw`C:\Windows\System32\icacls.exe D:\dailies /inheritance:r /grant:r` +
        ` *${USER}:(OI)(CI)F *S-1-5-18:(OI)(CI)F *S-1-5-32-544:(OI)(CI)F`,
    );
    expect(log.lines).toEqual([expect.stringContaining('from now on only you can')]);
  });

  it('that is closed is left alone', async () => {
    const { log, asked } = await close(CLOSED);
    expect(asked).toHaveLength(1);
    expect(log.lines).toEqual([]);
  });

  it.each([
    ['to which a person let others in', [INHERITED, `${CLOSED}(A;OICI;FA;;;WD)`], 'WD'],
    ['on a disk that keeps no rights', ['takes\nD:NO_ACCESS_CONTROL'], 'keeps no rights'],
  ])('%s may be open, and the log says so', async (_, rights, reason) => {
    const { log } = await close(...rights);
    expect(log.lines).toEqual([expect.stringContaining('may be able to open this')]);
    expect(log.lines[0]).toContain(reason);
  });
});
