import { say } from '../../src/contract/messages/words.ts';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { deskWithService } from './support.ts';

it('a status says what was on its way when the engine was killed, which may have been charged', async () => {
  const desk = await deskWithService();
  desk.service.faults.add({ match: { method: 'POST' }, do: { fault: 'hang', commit: true } });
  writeFileSync(desk.path('night.csv'), 'shot,kind,model,prompt\n1,image,image-demo,A door\n');
  const running = desk.run('run', 'night.csv', '--project', 'film');
  await expect.poll(() => desk.service.ledger.commits).toBe(1);
  const found = desk.path('found');
  cpSync(desk.dataFolder, found, { recursive: true });
  rmSync(desk.path('found', 'engine.json'));
  await desk.run('--data', found, 'status');
  expect(desk.stdout.text).toContain(say('cli.cutOff', { count: 1, command: `dailies --data ${found} resume` }));
  await desk.run('status');
  expect(desk.stdout.text).not.toContain('may have been charged');
  await desk.service.stop();
  await running;
});
