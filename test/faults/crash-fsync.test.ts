import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DemoService } from '../support/demo/service.ts';
import { readRows } from './support/crash-rows.ts';
import { itWhere } from './support/left-out.ts';
import { inOneFile } from './support/one-file.ts';
import { filmShots, shotNamed } from './support/sample-film.ts';
import { crashChild, runProcess, Scene, startQuickService } from './support/scene.ts';

let service: DemoService;
let scene: Scene;
beforeEach(async () => {
  service = await startQuickService();
  scene = new Scene(service);
});
afterEach(async () => {
  scene.remove();
  await service.stop();
});

describe('the intent of a billable request', () => {
  it('is committed with a sync, for any other process to see, before the first byte @night', async () => {
    const child = await inOneFile(join(import.meta.dirname, 'support', 'intent-child.ts'), 'intent-child');
    const said = await runProcess(process.execPath, [child, JSON.stringify({ place: scene.place })]);
    const intents = said
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    const synced = { isStored: true, isCommitted: true, synchronous: 2, journalMode: 'wal' };
    expect(intents).toEqual(scene.posts().map(({ path }) => ({ path, ...synced })));
    expect(intents.length).toBeGreaterThanOrEqual(filmShots.length);
  });

  const strace = spawnSync('strace', ['-V']);
  const canTrace = strace.status === 0 && spawnSync('strace', ['-qq', '-e', 'trace=none', 'true']).status === 0;
  const itTraced = itWhere(canTrace, 'without a strace that may trace');
  itTraced('is fsynced between its write and the first byte, as the system sees it', async () => {
    const trace = join(scene.folder, 'trace');
    const what = ['-f', '-qq', '-y', '-s', '6000', '-e', 'trace=fsync,fdatasync,pwrite64,write,writev,sendto,sendmsg'];
    const child = [process.execPath, await crashChild(), JSON.stringify({ place: scene.place, killAt: null })];
    await runProcess('strace', [...what, '-o', trace, ...child]);
    const calls = readFileSync(trace, 'latin1').split('\n');

    const posts = calls.flatMap((call, index) =>
      / (write|writev|sendto|sendmsg)\(.*"POST \//.test(call) ? [index] : [],
    );
    expect(posts).toHaveLength(scene.posts().length);
    for (const { key } of filmShots) {
      const ofShot = posts.filter((index) => shotNamed(calls[index] ?? '') === key);
      const intents = intentsOf(key);
      expect(intents).toHaveLength(ofShot.length);
      for (const [number, post] of ofShot.entries()) {
        const written = calls.findIndex((call) => isWalCall(call, 'pwrite64') && call.includes(intents[number] ?? '?'));
        const synced = calls.findIndex((call, index) => index > written && isWalCall(call, 'f(data)?sync'));
        expect(written, `the intent of shot ${key} is written`).toBeGreaterThan(0);
        expect(synced, `the intent of shot ${key} is synced before its request leaves`).toBeLessThan(post);
        expect(synced).toBeGreaterThan(written);
      }
    }
  });
});

const isWalCall = (call: string, name: string): boolean =>
  new RegExp(`^\\d+ +${name}\\(\\d+<[^>]*dailies\\.db-wal>`).test(call);

/** Ids of the attempts of a shot, in order. */
function intentsOf(key: string): string[] {
  const rows = readRows(scene.place.dataFolder);
  const job = rows?.jobs.find((each) => each.shot_key === key);
  return rows?.attempts.filter((attempt) => attempt.job_id === job?.id).map(({ id }) => id) ?? [];
}
