import type { Text } from '../../src/contract/messages/message.ts';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { browserDesktop, openerFor, type RunOpener } from '../../src/server/web/browser-desktop.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { Served } from './support.ts';

describe('showing what lies in a project', () => {
  let served: Served;
  let projectId: string;

  beforeEach(async () => {
    served = await Served.open();
    projectId = await served.saveImages(1);
    return () => served.close();
  });

  const takeId = () => served.world.job('0001').id;
  const file = () => join(served.world.projectPath, 'Stills', '0001_t1.png');

  it('refuses a file that is gone', async () => {
    rmSync(file());
    const refused = served.inProcess().desktop.reveal({ takeId: takeId() });
    await expect(refused).rejects.toMatchObject({ code: 'REFUSED', data: { code: 'file_gone' } });
    expect(served.shown).toEqual([]);
  });

  it('refuses a file that a link leads out of its project', async () => {
    const elsewhere = join(served.world.folder, 'elsewhere.png');
    renameSync(file(), elsewhere);
    symlinkSync(elsewhere, file());
    const refused = served.inProcess().desktop.reveal({ takeId: takeId() });
    await expect(refused).rejects.toMatchObject({ data: { code: 'file_gone' } });
    await expect(served.inProcess().desktop.prepareDrag({ ids: [takeId()] })).rejects.toMatchObject({
      data: { code: 'file_gone' },
    });
  });

  it('refuses a number that the take has no file of', async () => {
    const refused = served.inProcess().desktop.reveal({ takeId: takeId(), output: 7 });
    await expect(refused).rejects.toMatchObject({
      code: 'REFUSED',
      data: { text: expect.saying('The file was not found.') as Text },
    });
  });

  it('shows the project where the folder of a batch leads out of it', async () => {
    const folder = join(served.world.projectPath, 'Stills');
    renameSync(folder, join(served.world.folder, 'Stills'));
    symlinkSync(join(served.world.folder, 'Stills'), folder);
    const batchId = served.world.job('0001').batchId;
    await served.inProcess().desktop.revealFolder({ projectId, batchId });
    expect(served.shown).toEqual([{ command: 'xdg-open', args: [served.world.projectPath] }]);
  });

  it('refuses the folder of a project whose disk is away', async () => {
    renameSync(served.world.projectPath, join(served.world.folder, 'away'));
    const refused = served.inProcess().desktop.revealFolder({ projectId });
    await expect(refused).rejects.toMatchObject({ code: 'REFUSED', data: { code: 'no_folder' } });
    mkdirSync(served.world.projectPath);
  });
});

describe('the opener of the system', () => {
  const here = import.meta.filename;
  const desktop = (run: RunOpener, clock = new FakeClock()) => browserDesktop('linux', clock, run);

  it('gets the path as one argument, whatever characters it has', () => {
    const path = '/Films/a "b" $(c); d,e/010.mp4';
    expect(openerFor('darwin', path, false)).toEqual({ command: 'open', args: ['-R', path] });
    expect(openerFor('linux', path, false)).toEqual({ command: 'xdg-open', args: ['/Films/a "b" $(c); d,e'] });
    expect(openerFor('linux', '/Films', true)).toEqual({ command: 'xdg-open', args: ['/Films'] });
    expect(openerFor('win32', 'C:\\Films, all\\010.mp4', false)).toMatchObject({
      command: 'C:\\Windows\\explorer.exe',
      args: ['/select,"C:\\Films, all\\010.mp4"'],
      verbatim: true,
    });
  });

  it('is told of in words when there is none, or it fails', async () => {
    for (const run of [() => Promise.resolve(3), () => Promise.reject(new Error('ENOENT'))]) {
      await expect(desktop(run).reveal({ path: here })).rejects.toMatchObject({ code: 'no_file_manager' });
    }
  });

  it('is not waited for when it stays for as long as its window', async () => {
    const clock = new FakeClock();
    const shown = desktop(() => new Promise(() => undefined), clock).reveal({ path: here });
    await vi.waitUntil(() => clock.nextWakeAt() !== null);
    clock.advance(3000);
    await expect(shown).resolves.toBeUndefined();
  });
});

it.skipIf(process.platform === 'win32')('a file manager is started without the key', async () => {
  const bin = mkdtempSync(join(tmpdir(), 'dailies-bin-'));
  onTestFinished(() => rmSync(bin, { recursive: true }));
  writeFileSync(join(bin, 'xdg-open'), '#!/bin/sh\nenv > "$1/seen"\n', { mode: 0o755 });
  vi.stubEnv('PATH', `${bin}:/usr/bin:/bin`);
  vi.stubEnv('DAILIES_API_KEY', 'the-key');
  onTestFinished(() => void vi.unstubAllEnvs());
  await browserDesktop('linux', new FakeClock()).reveal({ path: bin });
  const seen = readFileSync(join(bin, 'seen'), 'utf8');
  expect(seen).toContain(`PATH=${bin}`);
  expect(seen).not.toContain('the-key');
});
