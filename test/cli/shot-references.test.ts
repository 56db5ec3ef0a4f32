import { t } from '../../src/contract/messages/words.ts';
import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { deskWithService } from './support.ts';

const LIST =
  'shot,kind,model,prompt,first_frame,image,operation\n' +
  '010,image,image-demo,A lighthouse,,,\n' +
  '020,video,vgen-2.0-nt,The light comes on,Shot://010,,\n' +
  '030,image,image-demo,Make it night,,Shot://010,edit\n';

it('a dry run shows which shots wait for others, and a run says so when they wait for a decision', async () => {
  const scene = await deskWithService();
  writeFileSync(scene.path('night.csv'), LIST);
  const run = ['run', 'night.csv', '--project', 'film'];
  expect(await scene.run(...run, '--dry-run')).toBe(0);
  expect(scene.stdout.text.match(/^ {2}waits for: Shot:\/\/010$/gm)).toHaveLength(2);
  const requests = (await scene.lists(...run, '--dry-run')).filter(({ type }) => type === 'request');
  expect(requests.map(({ waitsFor }) => waitsFor)).toEqual([[], ['Shot://010'], ['Shot://010']]);
  expect(scene.service.ledger.posts()).toEqual([]);

  scene.fault({ method: 'POST', prompt: 'A lighthouse' }, { fault: 'reset', commit: true });
  expect(await scene.run(...run)).toBe(4);
  expect(scene.stdout.text).toContain(t('cli.waitForShot', { count: 2, cell: '010' }));
  expect(await scene.says('jobs', 'list', '--project', 'film')).toMatch(/020 .*waits for: 010/);
});
