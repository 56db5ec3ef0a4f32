import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { isNightly } from '../support/chance.ts';
import { holdTasks } from '../support/held-tasks.ts';
import { command, ensureBuilt } from './support/command.ts';
import { itWhereOpenFilesGo, itWithSignals } from './support/left-out.ts';
import { ended, CommandProcesses, summaryOf } from './support/command-processes.ts';

beforeAll(ensureBuilt);

const commits = (house: CommandProcesses) => house.service.ledger.commits;

describe('the built command', () => {
  it('answers --help without loading what only other commands need', () => {
    const watch = `import { registerHooks } from 'node:module';
      registerHooks({ load(url, context, next) {
        if (!url.startsWith('node:') && !url.startsWith('data:')) process.stderr.write(url + '\\n');
        return next(url, context);
      } });`;
    const hook = `data:text/javascript,${encodeURIComponent(watch)}`;
    const help = spawnSync(process.execPath, ['--import', hook, command, '--help'], { encoding: 'utf8' });
    expect(help.status).toBe(0);
    expect(help.stdout).toContain('Usage: dailies');
    const files = [...new Set(help.stderr.trim().split('\n'))].map((url) => fileURLToPath(url));
    expect(files.every((file) => file.includes(join('out', 'main')))).toBe(true);
    // The texts in two languages and what reads them; a database, a network library or schemas would be ten times as much.
    expect(files.reduce((bytes, file) => bytes + statSync(file).size, 0)).toBeLessThan(1_000_000);
  });

  it('runs from any folder, with its log in the data folder and nothing on standard error', async () => {
    const house = await CommandProcesses.open();
    const end = await house.run('run', house.list('night', 3), '--project', 'film', '--json');
    expect(end).toMatchObject({ status: 0, stderr: '' });
    expect(summaryOf(end)).toEqual({
      type: 'summary',
      saved: 3,
      failed: 0,
      unknown: 0,
      cancelled: 0,
      unfinished: 0,
      waiting: 0,
    });
    expect(readFileSync(join(house.data, 'logs', 'dailies.log'), 'utf8')).toContain('A task was accepted');
    expect(readFileSync(join(house.data, 'logs', 'dailies.log'), 'utf8')).not.toContain(house.service.apiKey);
  });

  it('continues when the reader of its output goes away @night', async () => {
    const house = await CommandProcesses.open();
    const child = house.start('run', house.list('night', 5), '--project', 'film', '--json');
    child.stdout?.once('data', () => child.stdout?.destroy());
    expect(await ended(child)).toMatchObject({ status: 0, stderr: '' });
    expect(house.savedIn('night')).toBe(5);
  });

  itWithSignals('drains at SIGTERM with 130, and a resumed run pays for nothing twice', async () => {
    const house = await CommandProcesses.open();
    const release = holdTasks(house.service);
    const child = house.start('run', house.list('night', 12), '--project', 'film', '--json');
    const ending = ended(child);
    await expect.poll(() => commits(house)).toBeGreaterThan(2);
    child.kill('SIGTERM');
    const interrupted = await ending;
    release();
    expect(interrupted.status).toBe(130);
    expect(summaryOf(interrupted)).toMatchObject({ unknown: 0 });
    expect(await house.run('resume')).toMatchObject({ status: 0 });
    expect(commits(house)).toBe(12);
  });

  itWhereOpenFilesGo('lets no second one into its data folder when the lock is deleted @night', async () => {
    const house = await CommandProcesses.open();
    const release = holdTasks(house.service);
    const running = ended(house.start('run', house.list('night', 3), '--project', 'film', '--json'));
    await expect.poll(() => commits(house)).toBe(3);
    rmSync(join(house.data, 'engine.lock'));
    const second = await house.run('run', house.list('day', 3), '--project', 'film');
    expect(second).toMatchObject({ status: 2 });
    expect(second.stderr).toContain('(dailies run)');
    release();
    expect(await running).toMatchObject({ status: 0 });
    expect(commits(house)).toBe(3);
    expect(await house.run('run', house.list('day', 3), '--project', 'film')).toMatchObject({ status: 0 });
  });

  itWithSignals('ends at once at the second SIGINT, and lists running requests as undecided @night', async () => {
    const house = await CommandProcesses.open();
    house.service.faults.add({ match: { method: 'POST', prompt: 'number 0' }, do: { fault: 'hang', commit: true } });
    const child = house.start('run', house.list('night', 1), '--project', 'film');
    const ending = ended(child);
    await expect.poll(() => commits(house)).toBe(1);
    child.kill('SIGINT');
    await new Promise((heard) => child.stderr?.on('data', (text: Buffer) => text.includes('under way') && heard(null)));
    // Within a second, a second signal counts as the first one again.
    const impatience = setInterval(() => child.kill('SIGINT'), 300);
    const { status } = await ending;
    clearInterval(impatience);
    expect(status).toBe(130);
    const resumed = await house.run('resume');
    expect(resumed.status).toBe(4);
    expect(resumed.stdout).toContain('jobs resolve');
    expect(commits(house)).toBe(1);
  });

  it('is killed and run again: nothing is lost, and no request is sent twice', async () => {
    const house = await CommandProcesses.open();
    const release = holdTasks(house.service);
    const list = house.list('night', 12);
    const child = house.start('run', list, '--project', 'film');
    const ending = ended(child);
    await expect.poll(() => commits(house)).toBeGreaterThan(4);
    child.kill('SIGKILL');
    await ending;
    release();
    const again = await house.run('run', list, '--project', 'film', '--json');
    expect([0, 4]).toContain(again.status);
    expect(summaryOf(again)).toMatchObject({ failed: 0, unfinished: 0 });
    const prompts = house.service.ledger.posts().map(({ body }) => (body as { prompt: string }).prompt);
    expect(new Set(prompts).size).toBe(prompts.length);
  });

  it.runIf(isNightly)('shows the demo from its own files', async () => {
    const house = await CommandProcesses.open();
    const end = await house.run('demo', '--shots', '2', '--out', 'show', '--data', 'elsewhere');
    expect(end).toMatchObject({ status: 0, stderr: '' });
    expect(end.stdout).toContain('Open this folder');
    expect(existsSync(join(house.folder, 'elsewhere', 'dailies.db'))).toBe(true);
    // The demo speaks with its own service, whatever address and key are set.
    expect(house.service.ledger.received).toBe(0);
  });
});
