import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Thumbs } from '../../src/server/media/thumbs.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { MemoryLog } from '../support/world.ts';

const DAY = 86_400_000;
const MOST = 20_000;

let folder: string;
let clock: FakeClock;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dailies-thumbs-'));
  clock = new FakeClock();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = () => new Thumbs(folder, { clock, logger: new MemoryLog() }, MOST);
const hash = (number: number) => String(number).padStart(64, '0');
const peaks = Array.from({ length: 400 }, (_, index) => index / 1000);
const files = () =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
const bytes = () => files().reduce((sum, path) => sum + statSync(path).size, 0);

/** Waveforms of so many sounds, the first one the oldest. */
async function fill(count: number): Promise<void> {
  const thumbs = open();
  for (let number = 0; number < count; number += 1) await thumbs.keepPeaks(hash(number), peaks);
  await thumbs.bounds.settled();
  for (const path of files()) {
    const age = count - Number(/0*(\d+)-peaks/.exec(path)?.[1]);
    utimesSync(path, new Date(clock.now() - age * DAY), new Date(clock.now() - age * DAY));
  }
}

describe('the store of small pictures', () => {
  it('keeps what was made last when it grows beyond its bounds', async () => {
    await fill(30);
    expect(bytes()).toBeGreaterThan(MOST);
    const thumbs = open();
    await thumbs.keepPeaks(hash(99), peaks);
    await thumbs.bounds.settled();
    expect(bytes()).toBeLessThanOrEqual(MOST);
    expect(await thumbs.peaks(hash(99))).not.toBeNull();
    expect(await thumbs.peaks(hash(29))).not.toBeNull();
    expect(await thumbs.peaks(hash(3))).toBeNull();
  });

  it('takes nothing away while there is room', async () => {
    await fill(5);
    const thumbs = open();
    await thumbs.keepPeaks(hash(99), peaks);
    await thumbs.bounds.settled();
    expect(files()).toHaveLength(6);
  });

  it('clears away what a process left half written, and leaves what another is writing', async () => {
    await fill(1);
    const [kept = ''] = files();
    const [old, young] = [`${kept}.0a.tmp`, `${kept}.0b.tmp`];
    for (const path of [old, young]) writeFileSync(path, 'half');
    utimesSync(old, new Date(clock.now() - DAY), new Date(clock.now() - DAY));
    utimesSync(young, new Date(clock.now()), new Date(clock.now()));
    const thumbs = open();
    await thumbs.keepPeaks(hash(99), peaks);
    await thumbs.bounds.settled();
    expect(files()).not.toContain(old);
    expect(files()).toEqual(expect.arrayContaining([kept, young]));
  });
});
