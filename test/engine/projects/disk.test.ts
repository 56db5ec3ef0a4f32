import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemDisk } from '../../../src/host/hosted-engine.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { mountSmallDisk } from '../../support/small-disk.ts';
import { temporaryFolder } from '../downloads/support.ts';

const MINUTE = 60_000;

describe('room on a disk', () => {
  it.each(['linux', 'win32'] as const)('is what the system says on %s', (platform) => {
    expect(systemDisk(platform, new FakeClock()).makeRoom).toBeUndefined();
  });

  it('is tried on macOS, which frees some for a program that writes, and nothing is left behind', async () => {
    const folder = temporaryFolder();
    const disk = systemDisk('darwin', new FakeClock());
    expect(await disk.makeRoom?.(folder, 9_000_000)).toBe(true);
    expect(await disk.makeRoom?.(join(folder, 'away'), 1)).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is not made on a disk that is full, which is asked again some minutes later', async ({ skip }) => {
    const folder = join(temporaryFolder(), 'disk');
    const small = mountSmallDisk(folder, 8_000_000);
    if ('reason' in small) return skip(small.reason);
    onTestFinished(() => small.unmount());
    const clock = new FakeClock();
    const disk = systemDisk('darwin', clock);
    small.fill();
    expect(await disk.makeRoom?.(folder, 5_000_000)).toBe(false);
    small.free();
    clock.advance(4 * MINUTE);
    expect(await disk.makeRoom?.(folder, 5_000_000)).toBe(false);
    clock.advance(2 * MINUTE);
    expect(await disk.makeRoom?.(folder, 5_000_000)).toBe(true);
    expect(await disk.makeRoom?.(folder, 9_000_000), 'more than was asked for before').toBe(false);
  });
});
