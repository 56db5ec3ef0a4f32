import type { Text } from '../../src/contract/messages/message.ts';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { startDemoService, type DemoService } from '../../src/demo/service.ts';
import { keyFingerprint } from '../../src/engine/api/address.ts';
import { CliScene } from '../cli/support.ts';
import { Receiver } from '../host/messages/receivers.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { enter, entryIn, headersOf, type Entered } from '../support/entry.ts';

let scene: CliScene;
let running: Promise<number> | null = null;
let service: DemoService | null = null;

afterEach(async () => {
  scene.interrupt();
  await running;
  await service?.stop();
  running = null;
  service = null;
});

/** Starts `dailies serve`, waits for the address it prints, and lets a window in by it. */
async function serve(...args: string[]): Promise<Entered> {
  running = scene.run('serve', '--port', '0', ...args);
  const page = scene.stdout;
  for (let tries = 0; ; tries += 1) {
    const entry = entryIn(page.text);
    if (entry !== null) return enter(entry);
    if (tries > 500) throw new Error(`it does not start: ${scene.stderr.text}`);
    await wait(10);
  }
}

async function call(at: Entered, name: string, input?: unknown): Promise<unknown> {
  const answer = await fetch(`${at.address}/rpc/${name}`, {
    method: 'POST',
    headers: { ...headersOf(at), 'content-type': 'application/json' },
    body: JSON.stringify({ json: input }),
  });
  return ((await answer.json()) as { json: unknown }).json;
}

describe('dailies serve', () => {
  it('needs neither address nor key, prints how to open a window, and ends well when asked to', async () => {
    scene = new CliScene();
    const at = await serve();
    expect(scene.stdout.lines).toEqual([
      expect.stringMatching(/^Dailies is at http:\/\/127\.0\.0\.1:\d+\/#enter=[\w-]{32}$/),
      'This address opens one window, within two minutes. For another: `dailies serve --open`.',
    ]);
    expect(await call(at, 'queue/view')).toMatchObject({ running: true, counts: { unfinished: 0 } });
    expect(await call(at, 'settings/get')).toMatchObject({ key: { present: false, from: 'none' } });
    scene.interrupt();
    expect(await running).toBe(0);
    expect(existsSync(join(scene.dataFolder, 'run', 'engine.sock'))).toBe(false);
    expect(existsSync(join(scene.dataFolder, 'engine.json'))).toBe(false);
  });

  it('started again, opens one more window of the one that runs', async () => {
    scene = new CliScene();
    const at = await serve();
    expect(readFileSync(join(scene.dataFolder, 'engine.json'), 'utf8')).not.toContain(at.pass);
    expect(await scene.says('serve')).toContain(`Dailies is already running, at ${at.address}/#enter=`);
    const another = await enter(entryIn(scene.stdout.text) ?? '');
    expect(await call(another, 'queue/view')).toMatchObject({ running: true });
    await expect(enter(entryIn(scene.stdout.text) ?? '')).rejects.toThrow('This link was used or has expired.');
  });

  it('keeps no secret of its windows in any file', async () => {
    scene = new CliScene();
    const at = await serve('--open');
    const secrets = [at.pass, at.cookie.split('=')[1] ?? ''];
    for (const name of readdirSync(scene.dataFolder, { recursive: true, encoding: 'utf8' })) {
      const path = join(scene.dataFolder, name);
      if (!statSync(path).isFile()) continue;
      const text = readFileSync(path, 'latin1');
      expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    }
  });

  it('says who holds the data folder when that is no window', async () => {
    scene = new CliScene();
    await scene.run('config', 'set', 'appearance', 'light');
    const other = await scene.shell().startEngine({
      dataFolder: scene.dataFolder,
      settings: (await import('../../src/contract/settings.ts')).Settings.parse({}),
      command: 'dailies run',
      ports: {
        clock: scene.clock,
        logger: { debug: nothing, info: nothing, warn: nothing, error: nothing },
        secrets: { apiKey: () => null },
        random: Math.random,
        disk: { freeBytes: () => Promise.resolve(1e12) },
      },
    });
    try {
      expect(await scene.refuses('serve')).toContain('(dailies run)');
    } finally {
      await other.stop();
    }
  });

  it('takes address and key from the window, and works with them at once', async () => {
    scene = new CliScene();
    service = await startDemoService({ media: 'tiny', apiKey: 'the-key', speed: { imageMs: 5 } });
    const at = await serve();
    expect(await call(at, 'settings/update', { baseUrl: `${service.url}/v1/` })).toMatchObject({
      baseUrl: service.url,
    });
    expect(await call(at, 'settings/test')).toMatchObject({
      ok: false,
      message: expect.saying(/No key/) as Text,
    });
    expect(await call(at, 'settings/setKey', { key: 'the-key', allowFile: false })).toEqual({
      present: true,
      from: 'keychain',
    });
    expect(await call(at, 'settings/test')).toMatchObject({
      ok: true,
      models: expect.arrayContaining(['image-demo']) as string[],
    });

    mkdirSync(join(scene.folder, 'film'));
    const { project } = (await call(at, 'projects/open', { path: join(scene.folder, 'film') })) as {
      project: { id: string };
    };
    const text = 'shot,kind,model,prompt\n1,image,image-demo,A pier\n';
    const draft = (await call(at, 'drafts/open', {
      projectId: project.id,
      source: { type: 'text', name: 'a', text },
    })) as { id: string };
    await call(at, 'drafts/start', { draftId: draft.id, name: 'Day 1', again: false });
    for (let tries = 0; !existsSync(join(scene.folder, 'film', 'Day 1', '1_t1.png')); tries += 1) {
      if (tries > 500) throw new Error('the take was never saved');
      await wait(10);
    }
    for (const file of ['settings.json', 'logs/dailies.log', 'dailies.db'].map((name) =>
      join(scene.dataFolder, name),
    )) {
      expect(existsSync(file) && readFileSync(file).includes('the-key')).toBe(false);
    }
  });

  it('forgets a key that is kept, and sends nothing with it any more', async () => {
    scene = new CliScene();
    const at = await serve();
    await call(at, 'settings/update', { baseUrl: 'https://media.example' });
    await call(at, 'settings/setKey', { key: 'the-key', allowFile: false });
    expect(await call(at, 'settings/forgetKey')).toEqual({ present: false, from: 'none' });
    expect(await call(at, 'settings/isKey', { fingerprint: keyFingerprint('the-key') })).toBe(false);
    expect(await call(at, 'settings/test')).toMatchObject({
      ok: false,
      message: expect.saying(/No key/) as Text,
    });
  });

  it('says for which address a key is kept once the address was corrected, and uses it there alone', async () => {
    scene = new CliScene();
    const at = await serve();
    await call(at, 'settings/update', { baseUrl: 'https://wrong.example' });
    await call(at, 'settings/setKey', { key: 'the-key', allowFile: false });
    await call(at, 'settings/update', { baseUrl: 'https://right.example' });
    expect(await call(at, 'settings/get')).toMatchObject({
      key: { from: 'keychain', keptFor: 'https://wrong.example' },
    });
    expect(await call(at, 'settings/test')).toMatchObject({
      ok: false,
      address: 'https://right.example',
      message: expect.saying(/for https:\/\/wrong\.example, not for https:\/\/right\.example/) as Text,
    });
    await call(at, 'settings/update', { baseUrl: 'https://wrong.example' });
    expect(((await call(at, 'settings/get')) as { key: object }).key).not.toHaveProperty('keptFor');
  });

  it('warns of an address to which the key would travel unencrypted', async () => {
    scene = new CliScene();
    const at = await serve();
    const exposed = async (baseUrl: string) => {
      await call(at, 'settings/update', { baseUrl });
      return ((await call(at, 'settings/get')) as { exposed: boolean }).exposed;
    };
    expect(await exposed('http://media.example.com')).toBe(true);
    for (const safe of ['https://media.example.com', 'http://127.0.0.1:8080', 'http://192.168.1.4', '']) {
      expect(await exposed(safe)).toBe(false);
    }
  });

  it('refuses a setting that is not allowed and keeps every other of the same change', async () => {
    scene = new CliScene();
    const at = await serve();
    await call(at, 'settings/update', { currency: 'EUR', maxRate: { submit: 2 } });
    const refused = await call(at, 'settings/update', { currency: 'USD', submitTimeoutSeconds: 1 });
    expect(refused).toMatchObject({ code: 'REFUSED', data: { code: 'unfit_setting' } });
    expect(await call(at, 'settings/get')).toMatchObject({
      settings: { currency: 'EUR', maxRate: { submit: 2, poll: 20 } },
    });
    expect(JSON.parse(readFileSync(join(scene.dataFolder, 'settings.json'), 'utf8'))).toEqual({
      currency: 'EUR',
      maxRate: { submit: 2 },
    });
  });

  it('leaves a key of the environment alone', async () => {
    scene = new CliScene();
    scene.env['DAILIES_API_KEY'] = 'from-outside';
    const at = await serve();
    const refused = await call(at, 'settings/setKey', { key: 'other', allowFile: true });
    expect(refused).toMatchObject({ code: 'REFUSED', data: { code: 'key_in_environment' } });
    expect(await call(at, 'settings/get')).toMatchObject({ key: { present: true, from: 'environment' } });
  });

  it.each([['https://right.example'], ['']])(
    'sends a key of the environment to the first address alone (%j at the start), until it is started again',
    async (atStart) => {
      scene = new CliScene();
      scene.env['DAILIES_API_KEY'] = 'from-outside';
      scene.env['DAILIES_BASE_URL'] = atStart;
      let at = await serve();
      const key = async () => ((await call(at, 'settings/get')) as { key: object }).key;
      if (atStart === '') await call(at, 'settings/update', { baseUrl: 'https://right.example' });
      expect(await key()).toEqual({ present: true, from: 'environment' });
      await call(at, 'settings/update', { baseUrl: 'http://127.0.0.1:9' });
      expect(await key()).toEqual({ present: true, from: 'environment', keptFor: 'https://right.example' });
      expect(await call(at, 'settings/isKey', { fingerprint: keyFingerprint('from-outside') })).toBe(false);
      expect(await call(at, 'settings/test')).toMatchObject({
        ok: false,
        message: expect.saying(/for https:\/\/right\.example, not for http:\/\/127\.0\.0\.1:9/) as Text,
      });
      scene.interrupt();
      await running;
      scene.env['DAILIES_BASE_URL'] = '';
      at = await serve();
      expect(await key()).toEqual({ present: true, from: 'environment' });
    },
  );

  it('sends a test message that the window asks for, signed, and gives no secret back', async () => {
    const receiver = await new Receiver().open();
    scene = new CliScene();
    // A message that is slow under load is not late.
    scene.clock = new FakeClock();
    scene.env['DAILIES_WEBHOOK_SECRET'] = 'hook-secret';
    const at = await serve();
    expect(await call(at, 'messages/test', { channel: 'webhook' })).toMatchObject({ ok: false });
    const change = { messages: { webhook: { url: receiver.url } } };
    const settings = JSON.stringify(await call(at, 'settings/update', change));
    expect(await call(at, 'messages/test', { channel: 'webhook' })).toMatchObject({ ok: true });
    expect(receiver.received[0]?.headers).toHaveProperty('x-dailies-signature');
    const sources = await call(at, 'messages/secrets');
    expect(sources).toMatchObject({ webhook: 'environment', ntfy: 'none' });
    expect(settings + JSON.stringify(sources)).not.toContain('hook-secret');
    await receiver.close();
  });

  it('keeps the key in a file only when that was agreed to, where there is no keychain', async () => {
    scene = new CliScene();
    scene.parts = { keychain: () => Promise.reject(new Error('no secret service')) };
    const at = await serve();
    expect(await call(at, 'settings/setKey', { key: 'my-key', allowFile: true })).toMatchObject({
      data: { code: 'no_address' },
    });
    await call(at, 'settings/update', { baseUrl: 'https://media.example' });
    const refused = await call(at, 'settings/setKey', { key: 'my-key', allowFile: false });
    expect(refused).toMatchObject({ code: 'REFUSED', data: { code: 'key_not_kept' } });
    expect(await call(at, 'settings/setKey', { key: 'my-key', allowFile: true })).toEqual({
      present: true,
      from: 'file',
    });
    if (process.platform !== 'win32') expect(statSync(join(scene.dataFolder, 'api-key')).mode & 0o777).toBe(0o600);
  });

  it('goes on with the sample project after it was stopped in the middle @night', async () => {
    scene = new CliScene();
    const { clock } = scene;
    scene.parts = { startDemoService: (options) => startDemoService({ ...options, clock, media: 'tiny' }) };
    const first = await serve();
    await call(first, 'projects/sample');
    scene.interrupt();
    await running;
    const second = await serve();
    for (let tries = 0; ; tries += 1) {
      const [project] = (await call(second, 'projects/list')) as { counts: { saved: number; unfinished: number } }[];
      if (project?.counts.unfinished === 0 && project.counts.saved === 24) break;
      if (tries > 1000) throw new Error(`the sample does not come to its end: ${JSON.stringify(project)}`);
      await wait(10);
    }
  });
});

const nothing = (): void => undefined;
