import { os } from '@orpc/server';
import { RPCHandler } from '@orpc/server/message-port';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hostEngine, type ArrivedPort, type ParentPort } from '../../src/main/engine-host.ts';
import type { FromEngine } from '../../src/main/engine-messages.ts';
import { runCli } from '../../src/cli/main.ts';
import { isNightly } from '../support/chance.ts';
import { SharedTerminals, onePng, pause, until } from './shared-terminals.ts';
import { Page, typed, type CliScene } from './support.ts';

const typesOf = (scene: CliScene) => scene.stdout.objects.map(({ type }) => type);

describe('beside dailies serve', () => {
  it('a list is run by the engine at work, told as by one of its own, and that engine goes on', async () => {
    const office = await SharedTerminals.open();
    await office.serve();
    expect(await office.run('run', office.list(), '--project', 'film')).toBe(0);
    const { stdout, stderr } = office.scene;
    expect(stdout.text).toContain(
      'Batch night: 3 new, 0 changed, 0 unchanged, 0 removed shots; 3 new takes to generate.',
    );
    expect(stdout.text).toMatch(/^saved +001 take 1: /m);
    expect(stdout.text).toMatch(/^all +3 +0 +0 +0 +0$/m);
    expect(stderr.text).toBe('');
    expect(readdirSync(office.scene.path('film', 'night')).sort()).toEqual([
      '001_t1.png',
      '002_t1.png',
      '003_t1.mp3',
      'manifest.csv',
    ]);
    const manifest = readFileSync(office.scene.path('film', 'night', 'manifest.csv'), 'utf8');
    expect(manifest.match(/,saved,/g)).toHaveLength(3);
    expect(office.commits).toBe(3);
    expect(existsSync(join(office.dataFolder, 'engine.json'))).toBe(true);
    expect(await office.run('run', 'night.csv', '--project', 'film')).toBe(0);
    expect(office.commits).toBe(3);
    expect(await office.run('run', 'night.csv', '--project', 'film', '--again')).toBe(0);
    expect(office.commits).toBe(6);
  });

  it('--json says the same, line by line, as without it', async () => {
    const shared = await SharedTerminals.open();
    await shared.serve();
    expect(await shared.run('run', shared.list(), '--project', 'film', '--json')).toBe(0);
    const alone = await SharedTerminals.open();
    expect(await alone.run('run', alone.list(), '--project', 'film', '--json')).toBe(0);
    // A task may be over at the first look or a few looks later: how often it was polled is left out.
    const lines = (scene: CliScene) => scene.stdout.objects.filter((line) => line['state'] !== 'polling');
    const story = (scene: CliScene, shot: string) =>
      lines(scene)
        .filter((line) => line['shot'] === shot)
        .map((line) => [line['type'], line['state']]);
    for (const shot of ['001', '002', '003']) expect(story(shared.scene, shot)).toEqual(story(alone.scene, shot));
    const shapes = (scene: CliScene) => lines(scene).map((line) => Object.keys(line).join());
    expect(new Set(shapes(shared.scene))).toEqual(new Set(shapes(alone.scene)));
    const once = (scene: CliScene) => scene.stdout.lines.filter((line) => !/"type":"(job|gates)"/.test(line));
    expect(once(shared.scene)).toEqual(once(alone.scene));
    expect(typesOf(shared.scene).at(-1)).toBe('summary');
  });

  it('one list is run by three at once, and each of its takes is made once', async () => {
    const office = await SharedTerminals.open();
    await office.serve();
    const list = office.list();
    const rows = Array.from({ length: isNightly ? 40 : 8 }, (_, index) => `S${index},image,image-demo,Still ${index}`);
    writeFileSync(office.scene.path(list), ['shot,kind,model,prompt', ...rows].join('\n'));
    const shell = office.scene.shell();
    const runs = [1, 2, 3].map(() => runCli(['run', list, '--project', 'film'], { ...shell, stdout: new Page() }));
    expect(await Promise.all(runs)).toEqual([0, 0, 0]);
    expect(office.commits).toBe(rows.length);
  });

  it('a list out of a pipe and local files beside a list are found from where the command stands', async () => {
    const office = await SharedTerminals.open();
    mkdirSync(office.scene.path('lists'));
    writeFileSync(office.scene.path('lists', 'face.png'), await onePng());
    await office.serve();
    const text = 'shot,kind,model,prompt,first_frame\n1,video,vgen-2.0-cl-fast,A face,face.png\n';
    writeFileSync(office.scene.path('lists', 'night.csv'), text);
    expect(await office.run('run', join('lists', 'night.csv'), '--project', 'film')).toBe(0);
    expect(existsSync(office.scene.path('film', 'night', '1_t1.mp4'))).toBe(true);
    office.scene.stdin = typed(text.replace('face.png', join('lists', 'face.png')));
    expect(await office.run('run', '-', '--project', 'film')).toBe(0);
    expect(existsSync(office.scene.path('film', 'batch', '1_t1.mp4'))).toBe(true);
  });

  it('a list with errors is refused in the same words, and dry runs send nothing', async () => {
    const office = await SharedTerminals.open();
    const bad = office.list('shot,kind,model,prompt,duration\n1,video,vgen-2.0-cl-fast,A pier,40\n', 'bad.csv');
    expect(await office.run('run', bad, '--project', 'film')).toBe(2);
    const alone = office.scene.said;
    await office.serve();
    expect(await office.run('run', bad, '--project', 'film')).toBe(2);
    expect(office.scene.said).toBe(alone);
    expect(await office.run('run', office.list(), '--project', 'film', '--dry-run')).toBe(0);
    expect(office.scene.stdout.text).toContain('3 requests would be sent');
    expect(office.service.ledger.posts()).toEqual([]);
  });

  it('a failed take is told with what to do, and jobs retry, cancel and resolve reach the engine at work', async () => {
    const office = await SharedTerminals.open();
    office.service.faults.add({ match: { method: 'POST', prompt: 'red door' }, do: { fault: 'reset', commit: true } });
    await office.serve();
    expect(await office.run('run', office.list(), '--project', 'film')).toBe(4);
    expect(office.scene.stdout.text).toContain('may have been charged');
    expect(await office.run('jobs', 'list', '--standing', 'unknown', '--json')).toBe(0);
    const id = String(office.scene.stdout.objects[0]?.['id']);
    expect(await office.run('jobs', 'retry', id)).toBe(3);
    expect(office.scene.stderr.text).not.toBe('');
    expect(await office.run('jobs', 'resolve', id, '--resubmit', '--yes')).toBe(0);
    expect(office.scene.stdout.text).toContain('will be sent again.');
    expect(office.scene.stdout.text).toContain('continues with it.');
    expect(await office.run('resume')).toBe(0);
    expect(office.commits).toBe(4);
  });

  it('a pause in the window holds for run and ends with resume', async () => {
    const office = await SharedTerminals.open();
    await office.serve();
    await pause(office);
    const running = office.run('run', office.list(), '--project', 'film');
    await until(() => office.scene.stdout.text.includes('Resume it in the window'));
    office.scene.interrupt();
    expect(await running).toBe(130);
    expect(office.scene.stdout.text).toMatch(/3 takes unfinished: process \d+ \(dailies serve\) continues/);
    expect(office.commits).toBe(0);
    expect(await office.run('resume', '--project', 'film')).toBe(0);
    expect(office.commits).toBe(3);
  });

  it('a wrong key stops the run with 3, as it does alone', async () => {
    const office = await SharedTerminals.open();
    for (const scene of [office.serving, office.scene]) scene.env['DAILIES_API_KEY'] = 'wrong';
    await office.serve();
    expect(await office.run('run', office.list(), '--project', 'film')).toBe(3);
    expect(office.scene.stdout.text).toContain('rejected the key');
    expect(office.commits).toBe(0);
  });

  it('files reach the library once, and are shown, waited for and hidden as without it', async () => {
    const office = await SharedTerminals.open();
    const picture = office.scene.path('face.png');
    writeFileSync(picture, await onePng());
    await office.serve();
    expect(await office.run('assets', 'upload', 'face.png', '--group', 'Cast')).toBe(0);
    expect(office.scene.stdout.text).toMatch(/^uploaded .*face\.png -> Asset:\/\//m);
    expect(await office.run('assets', 'upload', 'face.png', '--group', 'Cast', '--json')).toBe(0);
    const [report] = office.scene.stdout.objects;
    expect(report).toMatchObject({ type: 'upload', ok: true, sent: false, readiness: 'ready', source: picture });
    const id = String(report?.['assetId']);
    expect(await office.run('assets', 'list', '--group', 'Cast', '--json')).toBe(0);
    expect(office.scene.stdout.objects[0]).toMatchObject({ type: 'asset', id });
    expect(await office.run('assets', 'show', id)).toBe(0);
    expect(office.scene.stdout.text).toContain(picture);
    expect(await office.run('assets', 'show', 'nobody')).toBe(2);
    expect(await office.run('assets', 'hide', id)).toBe(0);
    expect(await office.run('assets', 'group', 'rename', 'Cast', 'Players')).toBe(0);
    expect(await office.run('assets', 'groups')).toBe(0);
    expect(office.scene.stdout.text).toContain('Players');
    expect(await office.run('assets', 'sync', '--json')).toBe(0);
    expect(office.scene.stdout.objects[0]).toMatchObject({ type: 'sync', problems: [] });
  });
});

it('beside the desktop app a list is run by its engine, and a command never fights it for the folder', async () => {
  const office = await SharedTerminals.open();
  const app = await startAppEngine(office);
  expect(await office.run('run', office.list(), '--project', 'film')).toBe(0);
  expect(office.scene.stdout.text).toMatch(/The running engine generates these takes: process \d+ \(Dailies\)/);
  expect(await office.run('resume', '--json')).toBe(0);
  expect(office.commits).toBe(3);
  await app.stop();
  expect(existsSync(join(office.dataFolder, 'engine.json'))).toBe(false);
});

/** The process of the app's engine, as its main process starts it. */
async function startAppEngine({ scene, dataFolder }: SharedTerminals): Promise<{ stop(): Promise<number> }> {
  const ended = Promise.withResolvers<number>();
  const running = Promise.withResolvers<FromEngine>();
  let tell: Parameters<ParentPort['on']>[1] = () => undefined;
  const parent: ParentPort = { on: (_event, listener) => void (tell = listener), postMessage: running.resolve };
  const host = hostEngine(parent, scene.shell(), ended.resolve);
  const { port1, port2 } = new MessageChannel();
  // All that main is asked for here.
  new RPCHandler({ powerState: os.handler(() => ({ keepsAwake: false, onBattery: false })) }).upgrade(port1);
  const toMain = port2 as unknown as ArrivedPort;
  tell({ data: { type: 'start', dataFolder, systemLanguage: 'en' }, ports: [toMain] });
  expect((await running.promise).type).toBe('running');
  const stop = (): Promise<number> => {
    host.stop();
    port1.close();
    return ended.promise;
  };
  onTestFinished(async () => void (await stop()));
  return { stop };
}
