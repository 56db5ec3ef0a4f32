import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { machineId } from '../../src/host/data-folder.ts';
import { temporaryFolder } from '../engine/downloads/support.ts';

const machine = (platform: NodeJS.Platform, homeFolder: string) => ({ platform, homeFolder, env: {} });

describe('the id of a machine', () => {
  it.each(['darwin', 'win32', 'linux'] as const)('is made once on %s, and another for another user', (platform) => {
    const home = temporaryFolder();
    const id = machineId(machine(platform, home));
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(machineId(machine(platform, home))).toBe(id);
    expect(machineId(machine(platform, temporaryFolder()))).not.toBe(id);
  });

  it('is none where it cannot be kept, or what is kept is none', () => {
    const home = temporaryFolder();
    const folder = join(home, '.local', 'share', 'dailies');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'machine-id'), 'half of');
    expect(machineId(machine('linux', home))).toBeUndefined();
    rmSync(folder, { recursive: true });
    writeFileSync(folder, 'a file');
    expect(machineId(machine('linux', home))).toBeUndefined();
  });
});
