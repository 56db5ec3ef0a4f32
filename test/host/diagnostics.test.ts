import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Settings } from '../../src/contract/settings.ts';
import { toDesktopLog, toLogFile } from '../../src/host/data-folder.ts';
import { diagnosticsFor, type Diagnosed, toRedactor } from '../../src/host/diagnostics.ts';
import { createFileLogger } from '../../src/host/log-file.ts';
import { FakeClock } from '../support/fake-clock.ts';

const KEY = 'sk-live/8Qy+planted==';

describe('diagnostics', () => {
  let home: string;
  let dataFolder: string;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'annabelle-'));
    dataFolder = join(home, '.local', 'share', 'dailies');
    mkdirSync(dirname(toLogFile(dataFolder)), { recursive: true });
  });

  afterEach(() => rmSync(home, { recursive: true }));

  const engine = {
    views: {
      queue: () =>
        Promise.resolve({
          running: true,
          waitsForTonight: false,
          pausedByUser: false,
          counts: { saved: 41, failed: 2, unknown: 1, cancelled: 0, unfinished: 7 },
          status: {
            underWay: { prepare: 0, submit: 1, poll: 2, download: 0 },
            gates: [{ reason: 'disk_low', message: `Only 3 MB are free in ${home}/Films.`, until: null }],
          },
        }),
      projects: () =>
        Promise.resolve([
          { batches: 3, counts: { saved: 41, failed: 2, unknown: 1, cancelled: 0, unfinished: 7 }, available: false },
        ]),
    },
    models: () => Promise.reject(new Error(`refused: Bearer ${KEY}`)),
  } as unknown as NonNullable<Diagnosed['at']>['engine'];

  const diagnosed = (change: Partial<Diagnosed> = {}): Diagnosed => ({
    version: '1.2.3',
    dataFolder,
    homeFolder: home,
    clock: new FakeClock(),
    keys: [KEY],
    at: {
      engine,
      settings: Settings.parse({ baseUrl: 'https://anna:hunter2@media.example/v9' }),
      keyState: { present: true, from: 'file' },
      routesTo: () => [new URL('http://anna:hunter2@proxy.studio:3128'), null],
      asksSystem: true,
    },
    ...change,
  });

  it('tell versions, settings, counts, findings and the end of the log', async () => {
    writeFileSync(toLogFile(dataFolder), Array.from({ length: 900 }, (_, line) => `line ${line}`).join('\n'));
    const text = await diagnosticsFor(diagnosed());
    for (const part of [
      'Dailies 1.2.3',
      process.platform,
      '"nameTemplate": "{shot}_t{take}"',
      '41 saved, 2 failed, 1 unknown, 0 cancelled, 7 unfinished',
      'held back: disk_low',
      "By the system's settings: proxy http://proxy.studio:3128, then directly.",
      '3 batches',
      'ok    data: ~/.local/share/dailies can be written.',
      'line 899',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).not.toContain('line 100\n');
  });

  it('hold none of the secrets that lie in settings, log and answers', async () => {
    const log = [
      `GET https://cdn.example/v/010.mp4?X-Amz-Signature=abcdef123456&Expires=1 from ${home}/Films`,
      `{"reason":"key ${KEY}","path":${JSON.stringify(`${home}/Films`)},"authorization":"Bearer another.key"}`,
      `file://${home}/Films/010.mp4#t=3 of user ${home.split('/').at(-1)}`,
      'http://127.0.0.1:4680/?token=websecretwebsecret',
      'api_key=thirdsecret; password: fourthsecret',
    ];
    writeFileSync(toLogFile(dataFolder), log.join('\n'));
    const text = await diagnosticsFor(diagnosed());
    for (const secret of [
      KEY,
      encodeURIComponent(KEY),
      'hunter2',
      'abcdef123456',
      'another.key',
      'websecretwebsecret',
      'thirdsecret',
      'fourthsecret',
      home,
      home.split('/').at(-1) ?? home,
    ]) {
      expect(text).not.toContain(secret);
    }
    expect(text).toContain('https://cdn.example/v/010.mp4?[hidden] from ~/Films');
    expect(text).toContain('https://[hidden]@media.example/v9');
  });

  it('in short, tell versions, the session, the way of a request, folders and errors, and of takes nothing', async () => {
    for (const file of [toLogFile(dataFolder), toDesktopLog(dataFolder)]) {
      const logger = createFileLogger(file, (line) => line);
      logger.info('A take was sent', { prompt: 'A harbour at night' });
      logger.error('A download failed', {
        code: 'ENOSPC',
        file: 'Day 1/010 boat.mp4',
        url: 'https://cdn.example/v/010.mp4?signature=abcdef',
        reason: 'The service reports: a harbour at night is not allowed',
      });
      logger.warn('The service refused the key', { status: 401, key: KEY });
    }
    const appFacts = () => Promise.resolve(['Session: wayland, GNOME', 'GPU: gpu_compositing enabled']);
    const text = await diagnosticsFor(diagnosed({ appFacts }), 'short');
    for (const part of [
      'Dailies 1.2.3',
      'Session: wayland, GNOME',
      'GPU: gpu_compositing enabled',
      "By the system's settings: proxy http://proxy.studio:3128, then directly.",
      'data: ~/.local/share/dailies',
      'error A download failed (ENOSPC)',
      'warn The service refused the key (401)',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).not.toMatch(/harbour|boat|cdn\.example|abcdef|media\.example|nameTemplate|batches|hunter2/);
    expect(text).not.toContain(KEY);
    expect(text).not.toContain(home);
  });

  it('say when the app itself does not answer', async () => {
    const appFacts = () => Promise.reject(new Error('The port is closed.'));
    expect(await diagnosticsFor(diagnosed({ appFacts }))).toContain(
      '## App\n\nIt does not answer: The port is closed.',
    );
  });

  it('do without an engine, and without a log', async () => {
    const text = await diagnosticsFor(diagnosed({ at: null, keys: [] }));
    expect(text).toContain('It does not answer.');
    expect(text).toContain('It cannot be read: ENOENT');
  });

  it('never show a secret that the beginning of the read part has cut in two', async () => {
    const line = `${'x'.repeat(200)} Bearer ${'s'.repeat(40)}`;
    writeFileSync(toLogFile(dataFolder), Array.from({ length: 1000 }, () => line).join('\n'));
    expect(await diagnosticsFor(diagnosed())).not.toContain('sss');
  });

  it('do not wait for ever for a service', async () => {
    const clock = new FakeClock();
    const slow = { ...engine, models: () => new Promise<never>(() => undefined) };
    const { at } = diagnosed();
    const text = diagnosticsFor(diagnosed({ clock, at: at && { ...at, engine: slow } }));
    while (clock.nextWakeAt() === null) await new Promise(setImmediate);
    clock.advance(10_000);
    expect(await text).toContain('fail  service: It did not answer in time.');
  });
});

describe('what is taken out of texts', () => {
  it('knows a home folder of Windows in every form', () => {
    const clean = toRedactor({ keys: [], homeFolder: 'C:\\Users\\Annabelle' });
    expect(clean(String.raw`"C:\\Users\\Annabelle\\Films" C:\Users\Annabelle\x C:/Users/Annabelle/y`)).toBe(
      String.raw`"~\\Films" ~\x ~/y`,
    );
  });

  it('is not looked for in lines without an end, of which no secret is left over either', () => {
    const key = 'k'.repeat(40);
    const clean = toRedactor({ keys: [key], homeFolder: '/home/annabelle' });
    for (const piece of ['a.', 'token=', 'http://', 'Bearer ', 'x@', '?']) {
      expect(clean(piece.repeat(100_000)).length).toBeLessThan(5000);
    }
    expect(clean(`${'a '.repeat(1990)}${key} end`)).not.toContain('kkk');
    expect(clean(`one\n${'x'.repeat(5000)}\ntwo`)).toBe('one\n[cut]\ntwo');
  });

  it('leaves short names alone that stand in other words, and a home at the top of the disk', () => {
    expect(toRedactor({ keys: [], homeFolder: '/home/al' })('also /home/al/x')).toBe('also ~/x');
    expect(toRedactor({ keys: [], homeFolder: '/' })('/a/b')).toBe('/a/b');
  });
});
