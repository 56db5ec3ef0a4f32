import { t } from '../../src/contract/messages/words.ts';
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { viewDataFolder } from '../../src/cli/look.ts';
import { sumOf } from '../../src/contract/batch.ts';
import type { Counts } from '../../src/contract/job.ts';
import { TakeCounter } from '../../src/engine/db/job-queries.ts';
import { deskWithService, typed, type Desk } from './support.ts';

/** A project whose shots 002 and 003 were sent without a clear answer, and whose 004 failed at the service. */
async function afterABadNight(): Promise<Desk> {
  const scene = await deskWithService();
  const { faults } = scene.service;
  faults.add({ match: { method: 'POST', prompt: 'second' }, do: { fault: 'reset', commit: true } });
  faults.add({ match: { method: 'POST', prompt: 'third' }, do: { fault: 'reset', commit: false } });
  faults.add({
    match: { method: 'POST', prompt: 'fourth' },
    do: { fault: 'outcome', end: 'failed', message: 'too dark' },
  });
  const rows = ['first', 'second', 'third', 'fourth'].map(
    (word, index) => `00${index + 1},music,music-demo,the ${word}`,
  );
  writeFileSync(scene.path('night.csv'), ['shot,kind,model,prompt', ...rows].join('\n'));
  expect(await scene.run('run', 'night.csv', '--project', 'film')).toBe(4);
  return scene;
}

async function idOf(scene: Desk, shot: string): Promise<string> {
  const job = (await scene.lists('jobs', 'list')).find((line) => line['type'] === 'job' && line['shot'] === shot);
  return String(job?.['id']).slice(-8);
}

/** The task the service made for a prompt. Submits overlap, so their order says nothing. */
function taskOf({ service }: Desk, prompt: string): string {
  const commit = service.ledger.billableCommits().find(({ body }) => (body as { prompt?: string }).prompt === prompt);
  return commit?.taskId ?? '';
}

async function standings(scene: Desk): Promise<unknown> {
  const { type: _type, ...counts } = (await scene.lists('jobs', 'list')).at(-1) ?? {};
  return counts;
}

/** What the projects of a window come to. */
function windowCounts({ dataFolder }: Desk): Counts {
  return viewDataFolder(dataFolder, (view) => {
    const tally = view && new TakeCounter(view.db);
    return sumOf(tally ? view.projects.list().map(({ id }) => tally.counts({ projectId: id })) : []);
  });
}

it('a run with submits of unknown fate ends with 4 and names, for each, what happened, what it may cost and what to type', async () => {
  const scene = await afterABadNight();
  const id = await idOf(scene, '002');
  expect(await scene.run('resume')).toBe(4);
  expect(scene.stdout.text).toContain('1 failed, 2 need a decision:');
  expect(scene.stdout.text).toMatch(/002 take 1: .*charged/);
  expect(scene.stdout.text).toContain(`\`dailies jobs resolve ${id} --attach TASK\``);
  expect(scene.stdout.text).toContain('too dark');
  expect(scene.service.ledger.posts()).toHaveLength(4);
});

describe('dailies jobs', () => {
  it('lists by state, standing and batch', async () => {
    const scene = await afterABadNight();
    await scene.run('jobs', 'list', '--standing', 'unknown', '--batch', 'night', '--project', 'film');
    expect(scene.stdout.text).toContain('2 takes');
    await scene.run('jobs', 'list', '--state', 'remote_failed');
    expect(scene.stdout.text).toMatch(/night +004 +1 +music +remote failed .*too dark/);
    expect(await scene.run('jobs', 'list', '--batch', 'day')).toBe(2);
    expect(await scene.run('jobs', 'list', '--project', 'elsewhere')).toBe(2);
  });

  it('attaches a task that was found at the service, without another POST', async () => {
    const scene = await afterABadNight();
    const task = taskOf(scene, 'the second');
    expect(await scene.run('jobs', 'resolve', await idOf(scene, '002'), '--attach', task)).toBe(0);
    await scene.run('resume');
    expect(scene.service.ledger.posts()).toHaveLength(4);
    expect(existsSync(scene.path('film', 'night', '002_t1.mp3'))).toBe(true);
  });

  it('writes a submit off without sending anything', async () => {
    const scene = await afterABadNight();
    expect(await scene.run('jobs', 'resolve', await idOf(scene, '003'), '--lost')).toBe(0);
    expect(await standings(scene)).toEqual({ ...sumOf([]), waiting: 0, saved: 1, failed: 2, unknown: 1 });
    await scene.run('resume');
    expect(scene.service.ledger.posts()).toHaveLength(4);
  });

  it('sends again only when the second charge was agreed to', async () => {
    const scene = await afterABadNight();
    const id = await idOf(scene, '003');
    expect(await scene.refuses('jobs', 'resolve', id, '--resubmit')).toContain('second charge');
    scene.stdout = Object.assign(scene.stdout, { isTTY: true });
    scene.stdin = { ...typed(), isTTY: true };
    scene.questions = { ...scene.questions, confirm: () => Promise.resolve(false) };
    expect(await scene.run('jobs', 'resolve', id, '--resubmit')).toBe(2);
    expect(await standings(scene)).toMatchObject({ unknown: 2 });
    expect(await scene.run('jobs', 'resolve', id, '--resubmit', '--yes')).toBe(0);
    await scene.run('resume');
    expect(scene.service.ledger.posts()).toHaveLength(5);
    expect(await standings(scene)).toMatchObject({ saved: 2, unknown: 1 });
  });

  it('retries a failed task only when the new charge was agreed to', async () => {
    const scene = await afterABadNight();
    expect(await scene.refuses('jobs', 'retry', '--all-failed')).toContain('charged again');
    expect(await scene.run('jobs', 'retry', '--all-failed', '--yes')).toBe(0);
    await scene.run('resume');
    expect(scene.service.ledger.posts()).toHaveLength(5);
    expect(await standings(scene)).toEqual({ ...sumOf([]), waiting: 0, saved: 2, unknown: 2 });
  });

  it('says why a command does not fit, and ends with 3', async () => {
    const scene = await afterABadNight();
    expect(await scene.run('jobs', 'retry', await idOf(scene, '002'))).toBe(3);
    expect(scene.stderr.text).toContain('dailies jobs resolve');
    expect(await scene.run('jobs', 'cancel', await idOf(scene, '001'))).toBe(3);
    expect(await scene.run('jobs', 'resolve', await idOf(scene, '001'), '--lost')).toBe(3);
    expect(await standings(scene)).toEqual({ ...sumOf([]), waiting: 0, saved: 1, failed: 1, unknown: 2 });
  });

  it('cancels what is unfinished and says that the service charges it all the same', async () => {
    const scene = await afterABadNight();
    const task = taskOf(scene, 'the second');
    await scene.run('jobs', 'resolve', await idOf(scene, '002'), '--attach', task);
    expect(await scene.says('jobs', 'cancel', '--all-unfinished')).toContain('charged all the same');
    expect(await standings(scene)).toMatchObject({ cancelled: 1 });
  });

  it.each([[[]], [['2979fe09', '--all-failed']], [['zz']], [['ffffffff']]])(
    'refuses %j: no job is named so',
    async (args) => {
      const scene = await afterABadNight();
      expect(await scene.run('jobs', 'cancel', ...args)).toBe(2);
    },
  );
});

it('a take that was cancelled after its answer had come is shown with what it takes to save it, which costs nothing', async () => {
  const scene = await deskWithService({ asyncImages: false, speed: { imageMs: 20_000, jitter: 0 } });
  writeFileSync(scene.path('night.csv'), 'shot,kind,model,prompt\n001,image,image-demo,A door\n');
  const running = scene.run('run', 'night.csv', '--project', 'film');
  await expect.poll(() => scene.service.ledger.posts('/v1/images/generations').length).toBe(1);
  renameSync(scene.path('film'), scene.path('away'));
  await expect
    .poll(() => readdirSync(scene.path('data', 'answers')).filter((name) => /answer$/.test(name)).length)
    .toBe(1);
  scene.interrupt();
  expect(await running).toBe(130);
  expect(await scene.run('jobs', 'cancel', '--all-unfinished')).toBe(0);
  renameSync(scene.path('away'), scene.path('film'));
  const id = await idOf(scene, '001');
  expect(await scene.run('jobs', 'list')).toBe(0);
  expect(scene.stdout.text).toContain(t('cli.cancelledAnswered', { count: 1, command: `dailies jobs retry ${id}` }));
  expect(await scene.run('jobs', 'retry', id)).toBe(0);
  expect(await scene.run('resume')).toBe(0);
  expect(existsSync(scene.path('film', 'night', '001_t1.png'))).toBe(true);
  expect(scene.service.ledger.commits).toBe(1);
});

describe('dailies status', () => {
  it('counts every batch, for people and for programs', async () => {
    const scene = await afterABadNight();
    expect(await scene.says('status')).toContain(t('cli.noEngine'));
    expect(scene.stdout.text).toMatch(/^film +night +1 +1 +2 +0 +0$/m);
    await scene.run('status', '--json', '--project', 'film');
    expect(scene.stdout.objects).toMatchObject([
      { type: 'engine', running: false },
      { type: 'batch', batch: 'night', saved: 1, failed: 1, unknown: 2 },
      { type: 'summary', saved: 1, failed: 1, unknown: 2 },
    ]);
  });

  it('counts the takes that the window counts, those of an earlier wording too', async () => {
    const scene = await afterABadNight();
    const list = scene.path('night.csv');
    writeFileSync(
      list,
      readFileSync(list, 'utf8').replace('the first', 'the very first').replace('the fourth', 'no one'),
    );
    await scene.run('run', 'night.csv', '--project', 'film');
    await scene.run('status', '--json');
    // The failed take was corrected: its newer one stands for it.
    const counted = { ...sumOf([]), saved: 3, unknown: 2 };
    expect(scene.stdout.objects.at(-1)).toEqual({ type: 'summary', waiting: 0, ...counted });
    expect(windowCounts(scene)).toEqual(counted);
  });

  it('names the data folder and the address that were given in what it says to type', async () => {
    const scene = await afterABadNight();
    const { service } = scene;
    await scene.run('status', '--data', scene.dataFolder, '--base-url', service.url);
    const command = `dailies --data ${scene.dataFolder} --base-url ${service.url}`;
    expect(scene.stdout.text).toContain(`Decisions are needed: \`${command} jobs list --standing unknown\`.`);
    await scene.run('jobs', 'resolve', await idOf(scene, '002'), '--resubmit', '--yes');
    await scene.run('status', '--data', scene.dataFolder, '--base-url', service.url);
    expect(scene.stdout.text).toContain(t('cli.continueWith', { command: `${command} resume` }));
  });

  it('watches until it is stopped, which is a good end', async () => {
    const scene = await deskWithService();
    const watching = scene.run('status', '--watch');
    const { stdout } = scene;
    await expect.poll(() => stdout.text.split('Nothing was run yet').length).toBeGreaterThan(2);
    scene.interrupt();
    expect(await watching).toBe(0);
  });
});
