import { t } from '../../src/contract/messages/words.ts';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { deskWithService } from './support.ts';

it('a status says what was on its way when the engine was killed, which may have been charged', async () => {
  const scene = await deskWithService();
  scene.fault({ method: 'POST' }, { fault: 'hang', commit: true });
  writeFileSync(scene.path('night.csv'), 'shot,kind,model,prompt\n1,image,image-demo,A door\n');
  const running = scene.run('run', 'night.csv', '--project', 'film');
  await expect.poll(() => scene.service.ledger.commits).toBe(1);
  const found = scene.path('found');
  cpSync(scene.dataFolder, found, { recursive: true });
  rmSync(scene.path('found', 'engine.json'));
  await scene.run('--data', found, 'status');
  expect(scene.stdout.text).toContain(t('cli.cutOff', { count: 1, command: `dailies --data ${found} resume` }));
  expect(await scene.says('status')).not.toContain('may have been charged');
  await scene.service.stop();
  await running;
});
