import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { closeToOthers } from '../../../src/engine/db/private-folder.ts';
import { MemoryLog, World } from '../../support/world.ts';
import { temporaryFolder } from '../downloads/support.ts';

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

  it('is left alone where it is closed, where it belongs to everyone, and behind links', () => {
    const folder = temporaryFolder();
    const elsewhere = join(temporaryFolder(), 'shared');
    writeFileSync(elsewhere, '', { mode: 0o644 });
    symlinkSync(elsewhere, join(folder, 'settings.json'));
    const log = new MemoryLog();
    closeToOthers(folder, log);
    chmodSync(folder, 0o1777);
    closeToOthers(folder, log);
    expect(rightsOf(folder)).toBe('777');
    expect(rightsOf(elsewhere)).toBe('644');
    expect(log.lines).toEqual([]);
  });
});
