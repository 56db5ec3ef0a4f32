import { writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { deskWithService, fastClock } from './support.ts';

const LIST = `shot,kind,model,prompt\n${[1, 2, 3].map((shot) => `0${String(shot)}0,image,image-demo,Red door ${String(shot)}\n`).join('')}`;

/** A fast clock that begins at a time of day in UTC, and can be put forward. */
async function deskAt(time: string) {
  const clock = fastClock(50);
  const ahead = Date.parse(`2026-01-05T${time}Z`) - clock.now();
  let jump = (): number => 0;
  const scene = await deskWithService();
  scene.clock = { ...clock, now: () => clock.now() + ahead + jump() };
  writeFileSync(scene.path('night.csv'), LIST);
  return Object.assign(scene, {
    jumps: (ms: () => number) => {
      jump = ms;
    },
  });
}
const ZONE = ['--time-zone', 'UTC'];
const HOUR = 3_600_000;

describe('dailies run --window', () => {
  it('ends with 5 when the window closes, says what is left and when it opens, and goes on when asked to', async () => {
    const scene = await deskAt('20:30:00');
    await scene.run('config', 'set', 'concurrency.submit', '1');
    scene.jumps(() => (scene.service.ledger.commits > 0 ? HOUR : 0));
    const run = ['run', 'night.csv', '--project', 'film', '--window', '20:00-21:00', ...ZONE];
    expect(await scene.run(...run)).toBe(5);
    expect(scene.said).toMatch(
      /The window closed at 21:00\. 2 takes are left\. `dailies resume` sends them from Tue 20:00/,
    );
    expect(scene.service.ledger.commits).toBe(1);
    expect(await scene.says('window', '--project', 'film', '--start-now')).toMatch(
      /Night window of batch “night”: 20:00–21:00, every day \(UTC\)\. Started early: open until Tue 21:00\./,
    );
    expect(await scene.run('resume')).toBe(0);
    expect(scene.service.ledger.commits).toBe(3);
  });

  it.each([
    [['--window', '22-7'], '“22-7” is not a time range. Write one like this: 22:00-07:00.'],
    [
      ['--window', '22:00-07:00', '--days', 'funday'],
      '“funday” is not a list of days. Write one like this: mon-fri, or sat,sun.',
    ],
    [
      ['--window', '22:00-07:00', '--time-zone', 'Mars'],
      '“Mars” is not a time zone. Write one like this: Europe/Berlin.',
    ],
    [['--days', 'mon'], 'Days need hours. Write them like this: 22:00-07:00.'],
  ])('is refused before anything is stored: %j', async (options, complaint) => {
    const scene = await deskAt('20:00:00');
    expect(await scene.run('run', 'night.csv', '--project', 'film', ...options)).toBe(2);
    expect(scene.stderr.text.replace(/\s+/g, ' ')).toContain(complaint);
    expect(await scene.run('window', '--project', 'film')).toBe(2);
  });
});

describe('dailies run --tonight', () => {
  const TONIGHT = ['run', 'night.csv', '--project', 'film', '--tonight'];

  it('sends in the window of the project, though that was started early', async () => {
    const scene = await deskAt('20:00:00');
    expect(await scene.run('run', 'night.csv', '--project', 'film', '--batch', 'day')).toBe(0);
    expect(await scene.run('window', '22:00-07:00', '--project', 'film', ...ZONE)).toBe(0);
    expect(await scene.run('window', '--project', 'film', '--start-now')).toBe(0);
    const tonight = scene.run(...TONIGHT, '--batch', 'night');
    while (!scene.said.includes('sends nothing outside its night window')) await wait(20);
    expect(scene.service.ledger.commits).toBe(3);
    scene.interrupt();
    expect(await tonight).toBe(130);
    expect(await scene.says('window', '--project', 'film')).toContain(
      'Night window of batch “night”: 22:00–07:00, every day (UTC). Closed until Mon 22:00.',
    );
    expect(scene.service.ledger.commits).toBe(3);
  });

  it('is refused where the project has no window, and beside other hours', async () => {
    const scene = await deskAt('20:00:00');
    expect(await scene.run(...TONIGHT)).toBe(2);
    expect(scene.stderr.text.replace(/\s+/g, ' ')).toContain('`dailies window 22:00-07:00 --project film`');
    expect(await scene.run(...TONIGHT, '--window', '22:00-07:00')).toBe(2);
    expect(await scene.run('window', '--project', 'film')).toBe(2);
    expect(scene.service.ledger.commits).toBe(0);
  });
});

describe('dailies window', () => {
  it('sets, shows and removes the window of a project', async () => {
    const scene = await deskAt('20:00:00');
    await scene.run('run', 'night.csv', '--project', 'film');
    expect(await scene.says('window', '22:00-07:00', '--project', 'film', '--days', 'mon-fri', ...ZONE)).toMatch(
      /Night window of project “film”: 22:00–07:00, Mon–Fri \(UTC\)\. Closed until Mon 22:00\./,
    );
    expect(await scene.run('window', '--project', 'film', '--json')).toBe(0);
    const window = { opens: '22:00', closes: '07:00', days: ['mon', 'tue', 'wed', 'thu', 'fri'], timeZone: 'UTC' };
    expect(scene.stdout.objects).toMatchObject([{ type: 'window', name: 'film', isOpen: false, window }]);
    expect(await scene.run('window', '--project', 'film', '--remove', '--start-now')).toBe(2);
    expect(await scene.says('window', '--project', 'film', '--remove')).toContain('No night window is set.');
  });

  it('of a resume holds for the batches that it goes on with', async () => {
    const scene = await deskAt('20:00:00');
    expect(await scene.run('run', 'night.csv', '--project', 'film', '--max-takes', '1')).toBe(5);
    const resumed = scene.run('resume', '--window', '22:00-07:00', ...ZONE);
    while (!scene.said.includes('sends nothing outside its night window')) await wait(20);
    scene.interrupt();
    expect(await resumed).toBe(130);
    expect(await scene.run('window', '--project', 'film')).toBe(0);
    expect(scene.said).toContain('Night window of batch “night”: 22:00–07:00, every day (UTC).');
    expect(scene.service.ledger.commits).toBe(1);
    expect(await scene.run('resume', '--window', 'late')).toBe(2);
  });
});
