import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { proxyTo } from '../support/proxy.ts';
import { CliScene, deskWithService } from './support.ts';

const HOUR = 3_600_000;

async function checked(scene: CliScene, ...args: string[]): Promise<{ status: number; text: string }> {
  scene.clock = { ...scene.clock, now: () => Date.now() };
  const status = await scene.run('doctor', ...args);
  return { status, text: scene.stdout.text };
}

describe('dailies doctor', () => {
  it('finds nothing wrong where nothing is, and makes no request that is charged', async () => {
    const scene = await deskWithService();
    mkdirSync(scene.path('tools'));
    writeFileSync(scene.path('tools', 'ffmpeg'), '', { mode: 0o755 });
    scene.env['PATH'] = scene.path('tools');
    const { status, text } = await checked(scene, '--project', 'film');
    expect(status).toBe(0);
    expect(text).not.toMatch(/^(warn|fail) /m);
    for (const name of [
      'address',
      'proxy',
      'key',
      'clock',
      'data',
      'disk',
      'database',
      'engine',
      'ffmpeg',
      'project',
    ]) {
      expect(text).toMatch(new RegExp(`^ok +${name} `, 'm'));
    }
    expect(scene.service.ledger.entries.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /v1/models']);
  });

  it('says what an ffmpeg that is missing is needed for', async () => {
    const scene = await deskWithService();
    const { status, text } = await checked(scene);
    expect(status).toBe(0);
    expect(text).toMatch(/^warn +ffmpeg +ffmpeg was not found.*Shot:\/\/KEY#last/m);
  });

  it('tells a refused key from a missing one, and repeats neither', async () => {
    const scene = await deskWithService();
    scene.env['DAILIES_API_KEY'] = 'sk-wrong';
    const refused = await checked(scene);
    expect(refused).toMatchObject({ status: 3, text: expect.stringMatching(/^fail +key +.*is rejected/m) });
    expect(refused.text).not.toContain('sk-wrong');
    scene.env['DAILIES_API_KEY'] = '';
    expect((await checked(scene)).text).toMatch(/^fail +key +No key is set for this service/m);
  });

  it.each([
    ['', 'No service address is set'],
    ['not an address', 'not a web address'],
    ['http://127.0.0.1:9', 'cannot be reached'],
  ])('says what is wrong with the address "%s"', async (address, problem) => {
    const scene = new CliScene();
    scene.env['DAILIES_BASE_URL'] = address;
    const { status, text } = await checked(scene);
    expect(status).toBe(3);
    expect(text).toMatch(new RegExp(`^fail +address +.*${problem}`, 'm'));
  });

  it('says when the clocks differ by more than five minutes, and which way', async () => {
    const scene = await deskWithService();
    scene.clock = { ...scene.clock, now: () => Date.now() - HOUR };
    expect(await scene.says('doctor')).toMatch(/^warn +clock +This computer’s clock is 60 minutes behind/m);
  });

  it('goes on past broken settings and says so', async () => {
    const scene = new CliScene();
    mkdirSync(scene.dataFolder);
    writeFileSync(scene.path('data', 'settings.json'), '{"minFreeBytes": "a lot"}');
    const { status, text } = await checked(scene);
    expect(status).toBe(3);
    expect(text).toMatch(/^fail +address +.*settings.json/m);
    expect(text).toMatch(/^ok +engine /m);
  });

  it('says when the database is damaged and when a folder cannot be used', async () => {
    const scene = await deskWithService();
    mkdirSync(scene.dataFolder);
    writeFileSync(scene.path('data', 'dailies.db'), 'not a database at all, but long enough to be read as one');
    writeFileSync(scene.path('film'), '');
    const { status, text } = await checked(scene, '--project', 'film');
    expect(status).toBe(3);
    expect(text).toMatch(/^fail +database /m);
    expect(text).not.toMatch(/^ +$/m);
    expect(text).toMatch(/^fail +project +.*is not a folder/m);
    writeFileSync(scene.path('flat'), '');
    scene.env['DAILIES_DATA'] = scene.path('flat', 'data');
    expect((await checked(scene)).text).toMatch(/^fail +data +.*cannot be written/m);
  });
});

describe('behind a proxy', () => {
  it.each(['doctor', 'models'])('`dailies %s` asks through it, as takes are sent', async (command) => {
    const scene = await deskWithService();
    const { port } = new URL(scene.service.url);
    const proxy = await proxyTo({ to: Number(port) });
    Object.assign(scene.env, {
      DAILIES_BASE_URL: `http://service.test:${port}`,
      HTTP_PROXY: `http://127.0.0.1:${proxy.port}`,
    });
    await scene.run(command);
    expect(proxy.asked.map(({ way }) => way)).toEqual([`service.test:${port}`]);
    expect(scene.service.ledger.entries.map(({ path }) => path)).toEqual(['/v1/models']);
  });

  it.each([
    { host: 'service.test', warned: true },
    { host: '10.0.0.7', warned: false },
  ])('a warning says that results could not be fetched: $warned for $host', async ({ host, warned }) => {
    const scene = await deskWithService();
    const { port } = new URL(scene.service.url);
    const proxy = await proxyTo({ to: Number(port) });
    Object.assign(scene.env, {
      DAILIES_BASE_URL: `http://${host}:${port}`,
      HTTP_PROXY: `http://127.0.0.1:${proxy.port}`,
    });
    const { text } = await checked(scene);
    expect(text).toMatch(/^(ok|warn) +address +.*responds/m);
    expect(text).toContain(`go through the proxy 127.0.0.1:${proxy.port}`);
    expect(/^warn +results +service\.test is reached through a proxy, .*cannot look it up/m.test(text)).toBe(warned);
  });

  it('says that a request goes around it, and who asks the system', async () => {
    const scene = await deskWithService();
    expect((await checked(scene)).text).toMatch(/^ok +proxy +Requests go directly\..*only the app reads the system/m);
    scene.env['ALL_PROXY'] = 'http://studio:secret@proxy.studio:3128';
    const { text } = await checked(scene);
    expect(text).toMatch(/^ok +proxy +Requests go directly\. The environment names no proxy for this address/m);
    expect(text).not.toContain('secret');
  });

  it('nothing is asked around one whose address cannot be read', async () => {
    const scene = await deskWithService();
    scene.env['ALL_PROXY'] = 'http://proxy studio';
    expect(await checked(scene)).toMatchObject({
      status: 3,
      text: expect.stringMatching(/^fail +address +ALL_PROXY is not the address of a proxy.*\n\S/m),
    });
    expect(await scene.run('models')).toBe(2);
    expect(scene.service.ledger.entries).toEqual([]);
  });
});

describe('dailies models', () => {
  it('lists the models of the account with their facts', async () => {
    const scene = await deskWithService();
    expect(await scene.says('models')).toMatch(/^vgen-2\.0-nt-mini +video +NT mini line; 4 s only/m);
    expect(scene.stdout.text).toMatch(/^music-demo +music, by its name/m);
  });

  it('ends with 3 when the service refuses', async () => {
    const scene = await deskWithService();
    scene.env['DAILIES_API_KEY'] = 'sk-wrong';
    expect(await scene.run('models')).toBe(3);
    expect(scene.stderr.text).not.toContain('sk-wrong');
  });
});

it('dailies service says how to use it and stops well', async () => {
  const scene = new CliScene();
  const running = scene.run('service', '--media', 'tiny', '--state', 'memory', '--speed', '20');
  const { stdout } = scene;
  await expect.poll(() => stdout.text).toContain('Ctrl-C');
  const address = /DAILIES_BASE_URL=(\S+) DAILIES_API_KEY=(\S+)/.exec(stdout.text);
  const answer = await fetch(`${address?.[1]}/v1/models`, { headers: { authorization: `Bearer ${address?.[2]}` } });
  expect(answer.status).toBe(200);
  await answer.body?.cancel();
  const port = new URL(String(address?.[1])).port;
  expect(await scene.refuses('service', '--port', port)).toContain(`Another program uses port ${port}`);
  scene.interrupt();
  expect(await running).toBe(0);
  expect(stdout.text).toContain('Stopped after 1 request');
});
