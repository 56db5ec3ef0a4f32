import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lockDataFolder } from '../../src/engine/base/instance-lock.ts';
import { holdTasks } from '../support/held-tasks.ts';
import { SharedTerminals, pause, until } from './shared-terminals.ts';

describe('an engine that is shared', () => {
  it('that goes away while a command asks it ends the command with 3 and a way to see what was done', async () => {
    const office = await SharedTerminals.open();
    await office.serve();
    office.service.faults.add({ match: { method: 'GET', path: '/v1/*' }, do: { fault: 'hang' } });
    const syncing = office.run('assets', 'sync');
    await until(() => office.service.ledger.received > 0);
    await office.stopServing();
    expect(await syncing).toBe(3);
    expect(office.scene.stderr.text).toMatch(/ended before it responded\.\nCheck with `dailies status`/);
  });

  it('is left to itself by Ctrl-C: following ends with 130, the takes go on', async () => {
    const office = await SharedTerminals.open();
    await office.serve();
    const release = holdTasks(office.service);
    const running = office.run('run', office.list(), '--project', 'film', '--json');
    await until(() => office.commits > 0);
    office.scene.interrupt();
    expect(await running).toBe(130);
    release();
    expect(office.scene.stdout.objects.at(-1)).toMatchObject({ type: 'summary' });
    await until(() => existsSync(office.scene.path('film', 'night', '003_t1.mp3')));
    expect(office.commits).toBe(3);
  });

  it('is followed by an engine of the command when it is stopped in the middle, and nothing is sent twice', async () => {
    const office = await SharedTerminals.open();
    await office.serve();
    const release = holdTasks(office.service);
    const running = office.run('run', office.list(), '--project', 'film');
    await until(() => office.commits > 0);
    await office.stopServing();
    release();
    expect(await running).toBe(0);
    expect(office.scene.stderr.text).toMatch(/process \d+ \(dailies serve\) ended before it responded/);
    expect(office.commits).toBe(3);
    expect(existsSync(join(office.dataFolder, 'engine.json'))).toBe(false);
  });

  it('is waited for when it is lost and another process uses the folder; a stop then prints the counts', async () => {
    const office = await SharedTerminals.open();
    await office.serve();
    await pause(office);
    const running = office.run('run', office.list(), '--project', 'film', '--json');
    await until(() => office.scene.stdout.text.includes('"type":"gates"'));
    await office.stopServing();
    const lock = lockDataFolder(office.dataFolder, 'dailies run', 0);
    onTestFinished(() => lock.release());
    await until(() => office.scene.stderr.text.includes('which is still working in the data folder'));
    expect(office.scene.stderr.text).toMatch(/Waiting for process \d+ \(dailies run\)/);
    office.scene.interrupt();
    expect(await running).toBe(130);
    expect(office.scene.stdout.objects.at(-1)).toMatchObject({ type: 'summary', saved: 0, unfinished: 3 });
  });
});
