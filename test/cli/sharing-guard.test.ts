import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startDemoService } from '../../src/demo/service.ts';
import { socketIn } from '../support/entry.ts';
import { asOther, isRoot, OTHER_USER } from '../support/other-user.ts';
import { SharedTerminals } from './shared-terminals.ts';

describe('an engine that is shared', () => {
  it('tells the trouble of the service as an engine of the command does, with the same status', async () => {
    const office = await SharedTerminals.open();
    for (const scene of [office.serving, office.scene]) scene.env['DAILIES_API_KEY'] = 'wrong';
    const alone = await office.run('assets', 'group', 'create', 'Cast');
    const said = office.scene.said;
    await office.serve();
    expect(await office.run('assets', 'group', 'create', 'Cast')).toBe(alone);
    expect(alone).toBe(3);
    expect(office.scene.said).toBe(said);
  });

  it('is asked for nothing by a command that names another address, and its settings stay as they are', async () => {
    const office = await SharedTerminals.open();
    await office.serve();
    const other = await startDemoService({ media: 'tiny' });
    onTestFinished(() => other.stop());
    office.scene.env['DAILIES_BASE_URL'] = other.url;
    for (const words of [['run', office.list(), '--project', 'film'], ['resume'], ['assets', 'groups']]) {
      expect(await office.run(...words)).toBe(2);
      expect(office.scene.stderr.text).toContain(`for ${office.service.url}, not for ${other.url}: nothing was sent`);
    }
    expect([other.ledger.received, office.service.ledger.received]).toEqual([0, 0]);
    expect(existsSync(office.scene.path('film'))).toBe(false);
  });

  it('is asked for nothing by a command with another key, which it is never told', async () => {
    const office = await SharedTerminals.open();
    await office.serve();
    office.scene.env['DAILIES_API_KEY'] = 'another-key';
    expect(await office.run('run', office.list(), '--project', 'film')).toBe(2);
    expect(office.scene.stderr.text).toContain('another key than the one from DAILIES_API_KEY');
    expect(office.service.ledger.received).toBe(0);
    delete office.scene.env['DAILIES_API_KEY'];
    expect(await office.run('run', 'night.csv', '--project', 'film')).toBe(0);
    expect(readFileSync(join(office.dataFolder, 'logs', 'dailies.log'), 'utf8')).not.toContain('another-key');
  });

  it('answers at a socket that no other user of the machine can connect to', async () => {
    const office = await SharedTerminals.open();
    await office.serve();
    const socket = socketIn(office.dataFolder);
    for (const folder of [office.serving.folder, office.dataFolder]) chmodSync(folder, 0o755);
    expect(socket).toBe(join(office.dataFolder, 'run', 'engine.sock'));
    expect(statSync(join(office.dataFolder, 'run')).mode & 0o777).toBe(0o700);
    if (isRoot) expect(await asOther(connecting(socket))).toBe('EACCES');
  });

  it('has its socket elsewhere, and as private, where the path of the data folder is too long for one', async () => {
    const office = await SharedTerminals.open();
    const long = join(office.serving.folder, 'd'.repeat(60), 'e'.repeat(60));
    for (const scene of [office.serving, office.scene]) scene.env['DAILIES_DATA'] = long;
    await office.serve();
    const socket = socketIn(long);
    expect(socket.startsWith(tmpdir())).toBe(true);
    if (isRoot) expect(await asOther(connecting(socket))).toBe('EACCES');
    expect(await office.run('run', office.list(), '--project', 'film')).toBe(0);
    await office.stopServing();
    expect(existsSync(dirname(socket))).toBe(false);
  });

  it('takes the place of one that was killed and left its socket behind', async () => {
    const office = await SharedTerminals.open();
    mkdirSync(join(office.dataFolder, 'run'), { recursive: true, mode: 0o755 });
    writeFileSync(join(office.dataFolder, 'run', 'engine.sock'), '');
    await office.serve();
    expect(await office.run('resume')).toBe(0);
    expect(statSync(join(office.dataFolder, 'run')).mode & 0o777).toBe(0o700);
  });

  it('is looked for at a socket of this user on this machine alone, whatever the note in the folder says', async () => {
    const office = await SharedTerminals.open();
    await office.serve();
    const heard: string[] = [];
    const stranger = createServer((request, answer) => {
      heard.push(request.url ?? '');
      answer.end();
    });
    const path = office.scene.path('stranger.sock');
    await new Promise<void>((listening) => stranger.listen(path, listening));
    onTestFinished(() => void stranger.close());
    symlinkSync(path, office.scene.path('linked.sock'));
    if (isRoot) chownSync(path, OTHER_USER, OTHER_USER);
    const note = join(office.dataFolder, 'engine.json');
    const holder = JSON.parse(readFileSync(note, 'utf8')) as Record<string, unknown>;
    for (const change of [
      ...(isRoot ? [{ socket: path }] : []),
      { socket: office.scene.path('linked.sock') },
      { socket: note },
      { socket: undefined, address: 'http://127.0.0.1:4680' },
      { host: 'another-machine', machine: 'another' },
    ]) {
      writeFileSync(note, JSON.stringify({ ...holder, startedAt: 0, ...change }));
      expect(await office.run('resume')).toBe(2);
      expect(office.scene.stderr.text).toContain('is in use by process');
    }
    expect(heard).toEqual([]);
    writeFileSync(note, JSON.stringify(holder));
  });
});

/** Tries a socket; prints the code of the error. */
const connecting = (path: string): string =>
  `require('node:net').connect(${JSON.stringify(path)})
    .on('connect', () => { console.log('connected'); process.exit(); })
    .on('error', ({ code }) => console.log(code));`;
