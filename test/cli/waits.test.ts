import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { deskWithService } from './support.ts';

const LIST =
  'shot,kind,model,prompt,first_frame,wait_for\n' +
  '010,image,image-demo,A lighthouse,,\n' +
  '020,video,vgen-2.0-nt,The light comes on,Shot://010,pick\n' +
  '030,image,image-demo,A harbour,,release\n' +
  '040,image,image-demo,A boat,,release\n';

it('a run ends with 5 while rows wait for a person, and a pick and a release let them go', async () => {
  const scene = await deskWithService();
  writeFileSync(scene.path('night.csv'), LIST);
  const run = ['run', 'night.csv', '--project', 'film'];
  expect(await scene.run(...run)).toBe(5);
  expect(scene.stdout.text).toContain('1 take waits for your pick of a take of 010.');
  expect(scene.stdout.text).toContain('2 takes wait for your release: `dailies jobs release`');
  expect(scene.service.ledger.posts().filter(({ path }) => path.startsWith('/v1/videos'))).toEqual([]);
  expect((await scene.lists('jobs', 'list')).at(-1)).toMatchObject({ unfinished: 3, waiting: 3 });
  expect((await scene.lists('status')).at(-1)).toMatchObject({ type: 'summary', unfinished: 3, waiting: 3 });
  expect(await scene.says('jobs', 'list')).toMatch(/020 .*Waiting for your pick of 010/);

  expect(await scene.run('takes', 'pick', '--where', 'shot:010')).toBe(0);
  expect(await scene.run('jobs', 'release', '--where', 'shot:030')).toBe(0);
  expect(scene.stdout.text).toMatch(/030 take 1 is released\./);
  expect(await scene.run('jobs', 'release', '--where', 'shot:010')).toBe(0);
  expect(await scene.run('resume')).toBe(5);
  expect((await scene.lists('jobs', 'list')).at(-1)).toMatchObject({ saved: 3, unfinished: 1, waiting: 1 });
  expect(await scene.run('jobs', 'release')).toBe(0);
  expect(await scene.run('resume')).toBe(0);
  expect(scene.service.ledger.commits).toBe(4);
});

it('a bad value is one defect with its row and column', async () => {
  const scene = await deskWithService();
  writeFileSync(scene.path('night.csv'), LIST.replace(',pick', ',forever').replace('wait_for', '等待'));
  expect(await scene.run('run', 'night.csv', '--project', 'film')).toBe(2);
  const defects = scene.stdout.text.split('\n').filter((line) => line.startsWith('error'));
  expect(defects).toEqual([expect.stringMatching(/row 3, column 等待 \(value “forever”\).*pick.*release/)]);
});

it('shows what goes tonight, what follows picks and what it comes to at most, before and after the start', async () => {
  const scene = await deskWithService();
  const prices = [
    { model: 'image-demo', per: 'take', price: 1.5 },
    { model: 'vgen*', per: 'take', price: 10 },
  ];
  expect(await scene.run('config', 'set', 'prices', JSON.stringify(prices))).toBe(0);
  // 050 waits for nothing itself, but refers to a row that does.
  writeFileSync(scene.path('night.csv'), `${LIST}050,video,vgen-2.0-nt,A wave,Shot://040,\n`);
  const run = ['run', 'night.csv', '--project', 'film'];
  const sums = {
    tonight: { takes: 1, price: 1.5, unpriced: 0 },
    afterPicks: { takes: 4, price: 23, unpriced: 0 },
    atMost: { takes: 5, price: 24.5, unpriced: 0 },
  };
  const estimate = (await scene.lists(...run, '--dry-run')).find(({ type }) => type === 'estimate');
  expect(estimate).toMatchObject(sums);
  expect(await scene.says(...run, '--dry-run')).toMatch(/Tonight for certain: 1 take, .*1\.50.* At most: 5 takes/);
  expect(await scene.run(...run)).toBe(5);
  const batch = (await scene.lists('status')).find(({ type }) => type === 'batch');
  expect(batch).toMatchObject({ tonight: { takes: 0 }, afterPicks: sums.afterPicks, atMost: { takes: 4, price: 23 } });
  const status = await scene.says('status');
  expect(status).toContain('After picks and releases: 4 takes');
  expect(status).toContain('  Image 3: 1 saved, 2 wait for your release\n  Video 2: 1 waits for your pick\n');
  await scene.run('takes', 'pick', '--where', 'shot:010');
  const picked = (await scene.lists('status')).find(({ type }) => type === 'batch');
  expect(picked).toMatchObject({ tonight: { takes: 1, price: 10 }, afterPicks: { takes: 3, price: 13 } });
  await scene.run('jobs', 'release');
  expect(await scene.run('resume')).toBe(0);
  expect(await scene.says('spend', '--project', 'film')).toMatch(/image-demo +3 +4\.50[^]*vgen-2\.0-nt +2 +20\.00/);
});
