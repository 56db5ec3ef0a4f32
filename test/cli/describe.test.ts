import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { aPicture } from '../support/billable-posts.ts';
import { deskWithService } from './support.ts';

it('dailies describe puts a picture into words, a file by typography and a take by the job-style family', async () => {
  const scene = await deskWithService();
  writeFileSync(scene.path('day.png'), aPicture);
  expect(await scene.says('describe', 'day.png', '--with', 'typo')).toMatch(/\w+ \w+/);
  writeFileSync(scene.path('stills.csv'), 'shot,kind,model,prompt\nP01,image,image-demo,A harbour\n');
  expect(await scene.run('run', 'stills.csv', '--project', 'film')).toBe(0);
  const id = String((await scene.lists('jobs', 'list'))[0]?.['id']);
  expect(await scene.run('describe', id, '--with', 'job', '--json')).toBe(0);
  expect(scene.stdout.objects).toMatchObject([{ type: 'description', text: expect.stringMatching(/\w+/) as string }]);
  expect(await scene.refuses('describe', 'none.png', '--with', 'typo')).toContain('Nothing was sent');
  expect(scene.service.ledger.commits).toBe(3);
});
