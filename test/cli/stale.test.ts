import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { deskWithService } from './support.ts';

const LIST =
  'shot,kind,model,prompt,first_frame,wait_for,takes\n' +
  '010,image,image-demo,A lighthouse,,,2\n' +
  '020,video,vgen-2.0-nt,The light comes on,Shot://010,pick,1\n';

it('makes stale takes again once the price is agreed to, and only those', async () => {
  const scene = await deskWithService();
  await scene.run('config', 'set', 'prices', JSON.stringify([{ model: 'vgen*', per: 'take', price: 10 }]));
  writeFileSync(scene.path('night.csv'), LIST);
  await scene.run('run', 'night.csv', '--project', 'film');
  await scene.run('takes', 'pick', '--where', 'shot:010 take:1');
  expect(await scene.run('resume')).toBe(0);
  expect(await scene.says('takes', 'refresh', '--dry-run')).toContain('Nothing to make again');

  await scene.run('takes', 'pick', '--where', 'shot:010 take:2');
  const stale = { why: 'picked', shot: '010', take: 1, now: 2 };
  expect(await scene.lists('takes', 'list', '--where', 'is:stale')).toMatchObject([{ shot: '020', take: 1, stale }]);
  const facts = { takes: 1, left: 0, price: 10, unpriced: 0 };
  expect(await scene.lists('takes', 'refresh', '--dry-run')).toMatchObject([{ type: 'would_refresh', ...facts }]);
  expect(await scene.run('takes', 'refresh')).toBe(2);
  expect(await scene.run('takes', 'refresh', '--where', 'shot:010', '--yes')).toBe(0);
  expect(scene.service.ledger.commits).toBe(3);
  expect(await scene.says('takes', 'refresh', '--yes')).toContain('1 new take queued.');
  expect(await scene.says('takes', 'refresh', '--yes')).toContain('Nothing to make again');
  expect(await scene.run('resume')).toBe(0);
  expect(scene.service.ledger.commits).toBe(4);
  expect(await scene.run('takes', 'list', '--where', 'is:old')).toBe(2);
});
