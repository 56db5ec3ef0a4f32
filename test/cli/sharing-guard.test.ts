import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startDemoService } from '../../src/demo/service.ts';
import { Office } from './office.ts';

describe('an engine that is shared', () => {
  it('tells the trouble of the service as an engine of the command does, with the same status', async () => {
    const office = await Office.open();
    for (const desk of [office.serving, office.desk]) desk.env['DAILIES_API_KEY'] = 'wrong';
    const alone = await office.run('assets', 'group', 'create', 'Cast');
    const said = office.desk.said;
    await office.serve();
    expect(await office.run('assets', 'group', 'create', 'Cast')).toBe(alone);
    expect(alone).toBe(3);
    expect(office.desk.said).toBe(said);
  });

  it('is asked for nothing by a command that names another address, and its settings stay as they are', async () => {
    const office = await Office.open();
    await office.serve();
    const other = await startDemoService({ media: 'tiny' });
    onTestFinished(() => other.stop());
    office.desk.env['DAILIES_BASE_URL'] = other.url;
    for (const words of [['run', office.list(), '--project', 'film'], ['resume'], ['assets', 'groups']]) {
      expect(await office.run(...words)).toBe(2);
      expect(office.desk.stderr.text).toContain(`for ${office.service.url}, not for ${other.url}: nothing was sent`);
    }
    expect([other.ledger.received, office.service.ledger.received]).toEqual([0, 0]);
    expect(existsSync(office.desk.path('film'))).toBe(false);
  });

  it('is asked for nothing by a command with another key, which it is never told', async () => {
    const office = await Office.open();
    await office.serve();
    office.desk.env['DAILIES_API_KEY'] = 'another-key';
    expect(await office.run('run', office.list(), '--project', 'film')).toBe(2);
    expect(office.desk.stderr.text).toContain('another key than the one from DAILIES_API_KEY');
    expect(office.service.ledger.received).toBe(0);
    delete office.desk.env['DAILIES_API_KEY'];
    expect(await office.run('run', 'night.csv', '--project', 'film')).toBe(0);
    expect(readFileSync(join(office.dataFolder, 'logs', 'dailies.log'), 'utf8')).not.toContain('another-key');
  });

  it('is never reached with a token that others could have read, or one that is not its own', async () => {
    const office = await Office.open();
    const token = await office.serve();
    const file = join(office.dataFolder, 'web-token');
    chmodSync(file, 0o644);
    expect(await office.run('resume')).toBe(2);
    expect(office.desk.stderr.text).toContain('can be read by other users of this machine, so it is not used');
    rmSync(file);
    writeFileSync(file, 'A'.repeat(43), { mode: 0o600 });
    expect(await office.run('resume')).toBe(2);
    expect(office.desk.stderr.text).toContain('does not take the token');
    expect(office.desk.said).not.toContain(token);
    expect(office.desk.said).not.toContain('A'.repeat(43));
  });

  it('is looked for on this machine alone, whatever the note in the folder says', async () => {
    const office = await Office.open();
    await office.serve();
    const heard: string[] = [];
    const stranger = createServer((request, answer) => {
      heard.push(`${request.url ?? ''} ${request.headers.authorization ?? ''}`);
      answer.end();
    });
    await new Promise<void>((listening) => stranger.listen(0, '127.0.0.2', listening));
    onTestFinished(() => void stranger.close());
    const { port } = stranger.address() as AddressInfo;
    const note = join(office.dataFolder, 'engine.json');
    const holder = JSON.parse(readFileSync(note, 'utf8')) as Record<string, unknown>;
    for (const change of [
      { address: `http://127.0.0.2:${port}` },
      { address: `http://127.0.0.1:1@127.0.0.2:${port}` },
      { host: 'another-machine' },
    ]) {
      writeFileSync(note, JSON.stringify({ ...holder, startedAt: 0, ...change }));
      expect(await office.run('resume')).toBe(2);
      expect(office.desk.stderr.text).toContain('is in use by process');
    }
    expect(heard).toEqual([]);
    writeFileSync(note, JSON.stringify(holder));
  });

  it('never shows its token in what these commands print', async () => {
    const office = await Office.open();
    const token = await office.serve();
    for (const words of [
      ['run', office.list(), '--project', 'film'],
      ['resume'],
      ['status'],
      ['jobs', 'list'],
      ['doctor'],
    ]) {
      await office.run(...words);
      expect(office.desk.said).not.toContain(token);
    }
    expect(readFileSync(join(office.dataFolder, 'logs', 'dailies.log'), 'utf8')).not.toContain(token);
  });
});
