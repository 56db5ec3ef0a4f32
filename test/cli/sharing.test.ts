import { os } from '@orpc/server';
import { RPCHandler } from '@orpc/server/message-port';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startDemoService, type DemoService } from '../../src/demo/service.ts';
import { lockDataFolder } from '../../src/engine/instance-lock.ts';
import type { Clock } from '../../src/engine/ports.ts';
import { hostEngine, type ArrivedPort, type ParentPort } from '../../src/main/engine-host.ts';
import type { FromEngine } from '../../src/main/engine-messages.ts';
import { runCli } from '../../src/cli/main.ts';
import { Desk, fastClock, Page, typed } from './support.ts';

const LIST = `shot,kind,model,prompt
001,image,image-demo,A red door
002,image,image-demo,A blue door
003,music,music-demo,Slow piano
`;

/** Two terminals of one person: one serves, the other works beside it in the same folders. */
class Office {
  readonly serving = new Desk();
  readonly desk = new Desk();
  readonly service: DemoService;
  #served: Promise<number> | null = null;

  private constructor(clock: Clock, service: DemoService) {
    this.service = service;
    for (const desk of [this.serving, this.desk]) {
      desk.clock = clock;
      desk.env['DAILIES_DATA'] = this.serving.dataFolder;
      desk.env['DAILIES_BASE_URL'] = service.url;
      desk.env['DAILIES_API_KEY'] = service.apiKey;
    }
    onTestFinished(async () => {
      await this.stopServing();
      await service.stop();
    });
  }

  static async open(): Promise<Office> {
    const clock = fastClock(20);
    return new Office(clock, await startDemoService({ clock, media: 'tiny', control: true }));
  }

  get dataFolder(): string {
    return this.serving.dataFolder;
  }

  /** Starts `dailies serve` and waits until it can be reached. */
  async serve(): Promise<string> {
    this.#served = this.serving.run('serve', '--port', '0');
    await until(() => this.serving.stdout.text.includes('token='));
    return new URL(this.serving.stdout.text.trim().split(' ').at(-1) ?? '').searchParams.get('token') ?? '';
  }

  async stopServing(): Promise<void> {
    this.serving.interrupt();
    await this.#served;
    this.#served = null;
  }

  /** Runs a command beside it. */
  run(...args: string[]): Promise<number> {
    return this.desk.run(...args);
  }

  list(text = LIST, name = 'night.csv'): string {
    writeFileSync(this.desk.path(name), text);
    return name;
  }

  get commits(): number {
    return this.service.ledger.commits;
  }
}

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; !condition(); tries += 1) {
    if (tries > 2000) throw new Error('it does not come to pass');
    await wait(5);
  }
}

/** Pauses the queue, as a person does in the window. */
async function pause({ dataFolder }: Office, token: string): Promise<void> {
  const { address } = JSON.parse(readFileSync(join(dataFolder, 'engine.json'), 'utf8')) as { address: string };
  const headers = { authorization: `Bearer ${token}`, 'x-dailies': '1', 'content-type': 'application/json' };
  await fetch(`${address}/rpc/queue/pause`, { method: 'POST', headers, body: '{}' });
}

const typesOf = (desk: Desk) => desk.stdout.objects.map(({ type }) => type);

describe('beside dailies serve', () => {
  it('a list is run by the engine at work, told as by one of its own, and that engine goes on', async () => {
    const office = await Office.open();
    await office.serve();
    expect(await office.run('run', office.list(), '--project', 'film')).toBe(0);
    const { stdout, stderr } = office.desk;
    expect(stdout.text).toContain('Batch night: 3 new, 0 changed, 0 unchanged, 0 removed shots; 3 new takes to make.');
    expect(stdout.text).toMatch(/^saved +001 take 1: /m);
    expect(stdout.text).toMatch(/^all +3 +0 +0 +0 +0$/m);
    expect(stderr.text).toBe('');
    expect(readdirSync(office.desk.path('film', 'night')).sort()).toEqual([
      '001_t1.png',
      '002_t1.png',
      '003_t1.wav',
      'manifest.csv',
    ]);
    const manifest = readFileSync(office.desk.path('film', 'night', 'manifest.csv'), 'utf8');
    expect(manifest.match(/,saved,/g)).toHaveLength(3);
    expect(office.commits).toBe(3);
    expect(existsSync(join(office.dataFolder, 'engine.json'))).toBe(true);
    expect(await office.run('run', 'night.csv', '--project', 'film')).toBe(0);
    expect(office.commits).toBe(3);
    expect(await office.run('run', 'night.csv', '--project', 'film', '--again')).toBe(0);
    expect(office.commits).toBe(6);
  });

  it('--json says the same, line by line, as without it', async () => {
    const shared = await Office.open();
    await shared.serve();
    expect(await shared.run('run', shared.list(), '--project', 'film', '--json')).toBe(0);
    const alone = await Office.open();
    expect(await alone.run('run', alone.list(), '--project', 'film', '--json')).toBe(0);
    const story = (desk: Desk, shot: string) =>
      desk.stdout.objects.filter((line) => line['shot'] === shot).map((line) => [line['type'], line['state']]);
    for (const shot of ['001', '002', '003']) expect(story(shared.desk, shot)).toEqual(story(alone.desk, shot));
    const shapes = (desk: Desk) => desk.stdout.objects.map((line) => Object.keys(line).join()).sort();
    expect(new Set(shapes(shared.desk))).toEqual(new Set(shapes(alone.desk)));
    const once = (desk: Desk) => desk.stdout.lines.filter((line) => !/"type":"(job|gates)"/.test(line));
    expect(once(shared.desk)).toEqual(once(alone.desk));
    expect(typesOf(shared.desk).at(-1)).toBe('summary');
  });

  it('one list is run by three at once, and each of its takes is made once', async () => {
    const office = await Office.open();
    await office.serve();
    const list = office.list();
    const rows = Array.from({ length: 40 }, (_, index) => `S${index},image,image-demo,Still ${index}`);
    writeFileSync(office.desk.path(list), ['shot,kind,model,prompt', ...rows].join('\n'));
    const shell = office.desk.shell();
    const runs = [1, 2, 3].map(() => runCli(['run', list, '--project', 'film'], { ...shell, stdout: new Page() }));
    expect(await Promise.all(runs)).toEqual([0, 0, 0]);
    expect(office.commits).toBe(40);
  });

  it('a list out of a pipe and local files beside a list are found from where the command stands', async () => {
    const office = await Office.open();
    mkdirSync(office.desk.path('lists'));
    writeFileSync(office.desk.path('lists', 'face.png'), await onePng());
    await office.serve();
    const text = 'shot,kind,model,prompt,first_frame\n1,video,vgen-2.0-cl-fast,A face,face.png\n';
    writeFileSync(office.desk.path('lists', 'night.csv'), text);
    expect(await office.run('run', join('lists', 'night.csv'), '--project', 'film')).toBe(0);
    expect(existsSync(office.desk.path('film', 'night', '1_t1.mp4'))).toBe(true);
    office.desk.stdin = typed(text.replace('face.png', join('lists', 'face.png')));
    expect(await office.run('run', '-', '--project', 'film')).toBe(0);
    expect(existsSync(office.desk.path('film', 'batch', '1_t1.mp4'))).toBe(true);
  });

  it('a list with errors is refused in the same words, and dry runs send nothing', async () => {
    const office = await Office.open();
    const bad = office.list('shot,kind,model,prompt,duration\n1,video,vgen-2.0-cl-fast,A pier,40\n', 'bad.csv');
    expect(await office.run('run', bad, '--project', 'film')).toBe(2);
    const alone = office.desk.said;
    await office.serve();
    expect(await office.run('run', bad, '--project', 'film')).toBe(2);
    expect(office.desk.said).toBe(alone);
    expect(await office.run('run', office.list(), '--project', 'film', '--dry-run')).toBe(0);
    expect(office.desk.stdout.text).toContain('3 requests would be sent');
    expect(office.service.ledger.posts()).toEqual([]);
  });

  it('a failed take is told with what to do, and jobs retry, cancel and resolve reach the engine at work', async () => {
    const office = await Office.open();
    office.service.faults.add({ match: { method: 'POST', prompt: 'red door' }, do: { fault: 'reset', commit: true } });
    await office.serve();
    expect(await office.run('run', office.list(), '--project', 'film')).toBe(4);
    expect(office.desk.stdout.text).toContain('may have been charged');
    expect(await office.run('jobs', 'list', '--standing', 'unknown', '--json')).toBe(0);
    const id = String(office.desk.stdout.objects[0]?.['id']);
    expect(await office.run('jobs', 'retry', id)).toBe(3);
    expect(office.desk.stderr.text).not.toBe('');
    expect(await office.run('jobs', 'resolve', id, '--resubmit', '--yes')).toBe(0);
    expect(office.desk.stdout.text).toContain('will be sent again.');
    expect(office.desk.stdout.text).toContain('goes on with it.');
    expect(await office.run('resume')).toBe(0);
    expect(office.commits).toBe(4);
  });

  it('what somebody paused in the window stays paused for run, and goes on with resume', async () => {
    const office = await Office.open();
    const token = await office.serve();
    await pause(office, token);
    const running = office.run('run', office.list(), '--project', 'film');
    await until(() => office.desk.stdout.text.includes('Let it go on in the window'));
    office.desk.interrupt();
    expect(await running).toBe(130);
    expect(office.desk.stdout.text).toMatch(/3 takes to go: process \d+ \(dailies serve\) goes on with them/);
    expect(office.commits).toBe(0);
    expect(await office.run('resume', '--project', 'film')).toBe(0);
    expect(office.commits).toBe(3);
  });

  it('a wrong key stops the run with 3, as it does alone', async () => {
    const office = await Office.open();
    for (const desk of [office.serving, office.desk]) desk.env['DAILIES_API_KEY'] = 'wrong';
    await office.serve();
    expect(await office.run('run', office.list(), '--project', 'film')).toBe(3);
    expect(office.desk.stdout.text).toContain('does not accept the key');
    expect(office.commits).toBe(0);
  });

  it('files reach the library once, and are shown, waited for and hidden as without it', async () => {
    const office = await Office.open();
    const picture = office.desk.path('face.png');
    writeFileSync(picture, await onePng());
    await office.serve();
    expect(await office.run('assets', 'upload', 'face.png', '--group', 'Cast')).toBe(0);
    expect(office.desk.stdout.text).toMatch(/^uploaded .*face\.png -> Asset:\/\//m);
    expect(await office.run('assets', 'upload', 'face.png', '--group', 'Cast', '--json')).toBe(0);
    const [report] = office.desk.stdout.objects;
    expect(report).toMatchObject({ type: 'upload', ok: true, sent: false, readiness: 'ready', source: picture });
    const id = String(report?.['assetId']);
    expect(await office.run('assets', 'list', '--group', 'Cast', '--json')).toBe(0);
    expect(office.desk.stdout.objects[0]).toMatchObject({ type: 'asset', id });
    expect(await office.run('assets', 'show', id)).toBe(0);
    expect(office.desk.stdout.text).toContain(picture);
    expect(await office.run('assets', 'show', 'nobody')).toBe(2);
    expect(await office.run('assets', 'hide', id)).toBe(0);
    expect(await office.run('assets', 'group', 'rename', 'Cast', 'Players')).toBe(0);
    expect(await office.run('assets', 'groups')).toBe(0);
    expect(office.desk.stdout.text).toContain('Players');
    expect(await office.run('assets', 'sync', '--json')).toBe(0);
    expect(office.desk.stdout.objects[0]).toMatchObject({ type: 'sync', problems: [] });
  });
});

describe('beside the desktop app', () => {
  it('a list is run by its engine, and a command never fights it for the folder', async () => {
    const office = await Office.open();
    const app = await startAppEngine(office);
    expect(await office.run('run', office.list(), '--project', 'film')).toBe(0);
    expect(office.desk.stdout.text).toMatch(/The engine at work makes these takes: process \d+ \(Dailies\)/);
    expect(await office.run('resume', '--json')).toBe(0);
    expect(office.commits).toBe(3);
    await app.stop();
    expect(existsSync(join(office.dataFolder, 'engine.json'))).toBe(false);
  });
});

/** The process of the app's engine, as its main process starts it. */
async function startAppEngine({ desk, dataFolder }: Office): Promise<{ stop(): Promise<number> }> {
  const ended = Promise.withResolvers<number>();
  const running = Promise.withResolvers<FromEngine>();
  let tell: Parameters<ParentPort['on']>[1] = () => undefined;
  const parent: ParentPort = { on: (_event, listener) => void (tell = listener), postMessage: running.resolve };
  const host = hostEngine(parent, desk.shell(), ended.resolve);
  const { port1, port2 } = new MessageChannel();
  // All that main is asked for here.
  new RPCHandler({ keepsAwake: os.handler(() => false) }).upgrade(port1);
  const toMain = port2 as unknown as ArrivedPort;
  tell({ data: { type: 'start', dataFolder }, ports: [toMain] });
  expect((await running.promise).type).toBe('running');
  const stop = (): Promise<number> => {
    host.stop();
    port1.close();
    return ended.promise;
  };
  onTestFinished(async () => void (await stop()));
  return { stop };
}

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

  it('that goes away while a command asks it ends the command with 3 and a way to see what was done', async () => {
    const office = await Office.open();
    await office.serve();
    office.service.faults.add({ match: { method: 'GET', path: '/v1/*' }, do: { fault: 'hang' } });
    const syncing = office.run('assets', 'sync');
    await until(() => office.service.ledger.received > 0);
    await office.stopServing();
    expect(await syncing).toBe(3);
    expect(office.desk.stderr.text).toMatch(/ended while it was asked\.\nSee how things stand with/);
  });

  it('is left to itself by Ctrl-C: following ends with 130, the takes go on', async () => {
    const office = await Office.open();
    await office.serve();
    const running = office.run('run', office.list(), '--project', 'film', '--json');
    await until(() => office.commits > 0);
    office.desk.interrupt();
    expect(await running).toBe(130);
    expect(office.desk.stdout.objects.at(-1)).toMatchObject({ type: 'summary' });
    await until(() => existsSync(office.desk.path('film', 'night', '003_t1.wav')));
    expect(office.commits).toBe(3);
  });

  it('is followed by an engine of the command when it is stopped in the middle, and nothing is sent twice', async () => {
    const office = await Office.open();
    await office.serve();
    const running = office.run('run', office.list(), '--project', 'film');
    await until(() => office.commits > 0);
    await office.stopServing();
    expect(await running).toBe(0);
    expect(office.desk.stderr.text).toMatch(/process \d+ \(dailies serve\) ended while it was asked/);
    expect(office.commits).toBe(3);
    expect(existsSync(join(office.dataFolder, 'engine.json'))).toBe(false);
  });

  it('is waited for when it is lost and somebody else works in the folder; stopped then, the counts are told', async () => {
    const office = await Office.open();
    const token = await office.serve();
    await pause(office, token);
    const running = office.run('run', office.list(), '--project', 'film', '--json');
    await until(() => office.desk.stdout.text.includes('"type":"gates"'));
    await office.stopServing();
    const lock = lockDataFolder(office.dataFolder, 'dailies run', 0);
    onTestFinished(() => lock.release());
    await until(() => office.desk.stderr.text.includes('which still works in the data folder'));
    expect(office.desk.stderr.text).toMatch(/Waiting for process \d+ \(dailies run\)/);
    office.desk.interrupt();
    expect(await running).toBe(130);
    expect(office.desk.stdout.objects.at(-1)).toMatchObject({ type: 'summary', saved: 0, unfinished: 3 });
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

async function onePng(): Promise<Buffer> {
  const { default: sharp } = await import('sharp');
  return sharp({ create: { width: 320, height: 320, channels: 3, background: '#357' } })
    .png()
    .toBuffer();
}
