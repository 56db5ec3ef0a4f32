import fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TakeView } from '../../src/contract/review.ts';
import { createRouterClient } from '@orpc/server';
import { createRouter } from '../../src/server/router/router.ts';
import { createMediaHandler, type MediaHandler } from '../../src/server/media/handler.ts';
import { images, Served } from './support.ts';
import type { Output } from '../../src/contract/take.ts';
import { thumbKey, Thumbs } from '../../src/server/media/thumbs.ts';
import { readRange } from '../../src/server/media/served-file.ts';

let served: Served;
let handler: MediaHandler;
let picture: TakeView;
let film: TakeView;
/** Absolute path of the picture's file, and its content. */
let file: string;
let content: Buffer;

beforeAll(async () => {
  served = await Served.open();
  const films = images(1, { key: 'film', kind: 'video', model: 'vgen-2.0-nt', params: { duration: 5 } });
  await served.world.run([...images(1), ...films]);
  const { engine } = served.world;
  const [project] = engine.stores.projects.list();
  const { takes } = await engine.review.list({ projectId: project?.id ?? '', sort: 'list' }, { start: 0, count: 9 });
  [picture, film] = takes as [TakeView, TakeView];
  file = join(served.world.projectPath, picture.outputs[0]?.file ?? '');
  content = readFileSync(file);
  handler = createMediaHandler(served.services);
  return () => served.close();
});

beforeEach(() => {
  rmSync(file, { force: true });
  writeFileSync(file, content);
});

const ask = (
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
  body?: string | Uint8Array<ArrayBuffer>,
) => handler(new Request(`http://dailies.test${path}`, { method, headers, ...(body !== undefined && { body }) }));
const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer());

describe('a picture that a page on the web names', () => {
  it('is small at its hash once a window has asked for it, and not before', async () => {
    const { engine, service } = served.world;
    const api = createRouterClient(createRouter(served.services));
    const projectId = engine.stores.projects.list()[0]?.id ?? '';
    const url = `${service.url}/web/0/2.png`;
    const { sha256 } = await api.clippings.look({ projectId, url });
    const answer = await ask(`/web-picture/${sha256}?w=640`);
    expect(answer.headers.get('content-type')).toBe('image/webp');
    expect(await sharp(await bytesOf(answer)).metadata()).toMatchObject({ format: 'webp' });
    expect((await ask(`/web-picture/${'0'.repeat(64)}?w=640`)).status).toBe(204);
    expect((await ask(`/web-picture/${sha256}`, {}, 'PUT', 'x')).status).toBe(405);
    expect((await ask(`/web-picture/${encodeURIComponent(url)}`)).status).toBe(404);
  });

  it('is refused where it cannot be drawn', async () => {
    const { engine, service } = served.world;
    const api = createRouterClient(createRouter(served.services));
    const projectId = engine.stores.projects.list()[0]?.id ?? '';
    const body = '<svg xmlns="http://www.w3.org/2000/svg"/>';
    service.faults.add({
      match: { method: 'GET', path: '/web/0/1.png' },
      do: { fault: 'status', status: 200, body, contentType: 'image/svg+xml' },
    });
    await expect(api.clippings.look({ projectId, url: `${service.url}/web/0/1.png` })).rejects.toMatchObject({
      data: { code: 'picture_not_fetched' },
    });
  });
});

it('the page of a report is of a project that is there, with the policy that lets it run and load nothing', async () => {
  const { engine } = served.world;
  const [project] = engine.stores.projects.list();
  const night = engine.nights.ended([project?.id ?? '']);
  expect(await engine.nights.unseen()).toMatchObject([{ night, report: { takes: { saved: 2 } } }]);
  const answer = await ask(`/report/${project?.id ?? ''}/${String(night)}`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none';.+; sandbox$/);
  expect(await answer.text()).toContain('All 2 takes saved.');
  expect((await ask('/report/another/1')).status).toBe(404);
  expect((await ask(`/report/${project?.id ?? ''}/1`, {}, 'POST')).status).toBe(405);
});

describe('the media of a take', () => {
  it('come whole, with their type, for keeping', async () => {
    const answer = await ask(`/media/${picture.id}/1`);
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(content.length),
      'accept-ranges': 'bytes',
      'cache-control': 'private, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      etag: `"${picture.outputs[0]?.sha256 ?? ''}"`,
    });
    expect(await bytesOf(answer)).toEqual(content);
    const video = await ask(`/media/${film.id}/1`);
    expect(video.headers.get('content-type')).toBe('video/mp4');
    await video.body?.cancel();
  });

  it.each([
    ['bytes=0-0', 0, 0],
    ['bytes=5-9', 5, 9],
    ['bytes=5-', 5, -1],
    ['bytes=-3', -3, -1],
    ['bytes=0-999999999', 0, -1],
    ['bytes=-999999999', 0, -1],
  ])('come in part for %s', async (range, from, to) => {
    const answer = await ask(`/media/${picture.id}/1`, { range });
    const start = from < 0 ? content.length + from : from;
    const end = to < 0 ? content.length + to : to;
    expect(answer.status).toBe(206);
    expect(answer.headers.get('content-range')).toBe(`bytes ${start}-${end}/${content.length}`);
    expect(await bytesOf(answer)).toEqual(content.subarray(start, end + 1));
  });

  it.each(['bytes=999999999-', 'bytes=-0'])('have no bytes for %s', async (range) => {
    const answer = await ask(`/media/${picture.id}/1`, { range });
    expect(answer.status).toBe(416);
    expect(answer.headers.get('content-range')).toBe(`bytes */${content.length}`);
  });

  it.each(['bytes=9-5', 'bytes=0-1,4-5', 'bytes=-', 'bytes=a-b', 'lines=1-2', ''])(
    'come whole for what is no range we know: "%s"',
    async (range) => {
      const answer = await ask(`/media/${picture.id}/1`, { range });
      expect(answer.status).toBe(200);
      expect(await bytesOf(answer)).toEqual(content);
    },
  );

  it('come in part only beside parts of the same content', async () => {
    const etag = `"${picture.outputs[0]?.sha256 ?? ''}"`;
    const fits = await ask(`/media/${picture.id}/1`, { range: 'bytes=0-3', 'if-range': etag });
    expect(fits.status).toBe(206);
    await fits.body?.cancel();
    const other = await ask(`/media/${picture.id}/1`, { range: 'bytes=0-3', 'if-range': '"other"' });
    expect(other.status).toBe(200);
    await other.body?.cancel();
  });

  it('are not sent to a client that has them', async () => {
    const answer = await ask(`/media/${picture.id}/1`, { 'if-none-match': `"${picture.outputs[0]?.sha256 ?? ''}"` });
    expect(answer.status).toBe(304);
    expect(await answer.text()).toBe('');
  });

  it('tell their size without their bytes', async () => {
    const answer = await ask(`/media/${picture.id}/1`, {}, 'HEAD');
    expect(answer.headers.get('content-length')).toBe(String(content.length));
    expect(await answer.text()).toBe('');
  });

  it('are offered for saving under their name', async () => {
    const answer = await ask(`/media/${picture.id}/1?download`, {}, 'HEAD');
    expect(answer.headers.get('content-disposition')).toContain('attachment; filename="0001_t1.png"');
  });

  it('that were changed are shown, and cached by nobody', async () => {
    writeFileSync(file, 'longer or shorter than it was');
    const answer = await ask(`/media/${picture.id}/1`);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('etag')).toBeNull();
    expect(await answer.text()).toBe('longer or shorter than it was');
  });

  it('are read and not written', async () => {
    expect((await ask(`/media/${picture.id}/1`, {}, 'POST', 'x')).status).toBe(405);
  });
});

describe('nothing but a take’s own file', () => {
  it.each([
    '/media/none/1',
    '/media/../../etc/passwd/1',
    '/media/..%2f..%2fetc%2fpasswd/1',
    '/media/%2e%2e/1',
    '/media/%00/1',
    '/media/a%00b/1',
    '/media//1',
    '/media/TAKE/0',
    '/media/TAKE/2',
    '/media/TAKE/-1',
    '/media/TAKE/1e3',
    '/media/TAKE/1/../../x',
    '/media/TAKE/1%2f..',
    '/media/TAKE/%31',
    '/media/TAKE',
    '/thumb/none/1?w=320',
    '/asset/none',
    '/asset/..%2f..%2fetc%2fpasswd',
    '/asset/%ff',
    '/asset-thumb/none?w=320',
  ])('is at %s', async (path) => {
    expect((await ask(path.replace('TAKE', picture.id))).status).toBe(404);
  });

  it('is behind a link that leads out of the project', async () => {
    const outside = join(served.world.folder, 'outside.png');
    writeFileSync(outside, content);
    rmSync(file);
    symlinkSync(outside, file);
    expect((await ask(`/media/${picture.id}/1`)).status).toBe(404);
  });

  it('is behind a folder that is a link out of the project', async () => {
    const batch = join(file, '..');
    const elsewhere = join(served.world.folder, 'elsewhere');
    execFileSync('mv', [batch, elsewhere]);
    symlinkSync(elsewhere, batch);
    try {
      expect((await ask(`/media/${picture.id}/1`)).status).toBe(404);
    } finally {
      rmSync(batch);
      execFileSync('mv', [elsewhere, batch]);
    }
    expect((await ask(`/media/${picture.id}/1`, {}, 'HEAD')).status).toBe(200);
  });

  it('is gone, and the take counts as saved no longer until it is back', async () => {
    rmSync(file);
    expect((await ask(`/media/${picture.id}/1`)).status).toBe(404);
    expect(served.world.engine.stores.queries.view(picture.id)).toMatchObject({
      standing: 'failed',
      failure: { code: 'files_gone' },
    });
    writeFileSync(file, content);
    expect((await ask(`/media/${picture.id}/1`)).status).toBe(200);
    await served.world.engine.jobs.lookAtFiles([picture.id]);
    expect(served.world.engine.stores.queries.view(picture.id)).toMatchObject({ standing: 'saved' });
  });

  it('is behind a folder, or a pipe, in its place', async () => {
    rmSync(file);
    mkdirSync(file);
    expect((await ask(`/media/${picture.id}/1`)).status).toBe(404);
    rmSync(file, { recursive: true });
    if (process.platform === 'win32') return;
    execFileSync('mkfifo', [file]);
    expect((await ask(`/media/${picture.id}/1`)).status).toBe(404);
  });

  it('is there when its hash, from a folder of elsewhere, is none', async () => {
    const { sha256 } = picture.outputs[0] ?? { sha256: '' };
    served.world.sql('UPDATE outputs SET sha256 = ? WHERE job_id = ?', '../../evil\r\nx: y', picture.id);
    try {
      for (const kind of ['media', 'thumb', 'peaks']) expect((await ask(`/${kind}/${picture.id}/1`)).status).toBe(404);
    } finally {
      served.world.sql('UPDATE outputs SET sha256 = ? WHERE job_id = ?', sha256, picture.id);
    }
  });

  it('is there when it is gone', async () => {
    rmSync(file);
    expect((await ask(`/media/${picture.id}/1`)).status).toBe(404);
  });
});

describe('small pictures', () => {
  const thumbs = () => join(served.world.dataFolder, 'thumbs');

  const keyIn = (projectId: string) => thumbKey({ projectId, project: '', output: picture.outputs[0] as Output });

  it('of another project are others, though its recipe claims the hash of a picture here', async () => {
    const stranger = new Thumbs(thumbs(), served.services.host);
    const fake = await sharp({ create: { width: 9, height: 9, channels: 3, background: '#f00' } })
      .png()
      .toBuffer();
    expect(await stranger.keepPoster(keyIn('a project of a stranger'), fake)).toBe(true);
    const own = await bytesOf(await ask(`/thumb/${picture.id}/1?w=320`));
    expect((await sharp(own).metadata()).width).not.toBe(9);
  });

  it('of a picture are made once, and kept by what they show', async () => {
    const answer = await ask(`/thumb/${picture.id}/1?w=320`);
    expect(answer.headers.get('content-type')).toBe('image/webp');
    expect((await sharp(await bytesOf(answer)).metadata()).width).toBeLessThanOrEqual(320);
    const key = keyIn(picture.projectId);
    expect(existsSync(join(thumbs(), key.slice(0, 2), `${key}-320.webp`))).toBe(true);
    rmSync(file);
    expect((await ask(`/thumb/${picture.id}/1?w=320`)).status).toBe(200);
    expect(readdirSync(thumbs(), { recursive: true }).filter((name) => String(name).endsWith('.tmp'))).toEqual([]);
  });

  it('have two widths and no other', async () => {
    expect((await ask(`/thumb/${picture.id}/1?w=640`)).status).toBe(200);
    expect((await ask(`/thumb/${picture.id}/1?w=100000`)).status).toBe(400);
    expect((await ask(`/thumb/${picture.id}/1`)).status).toBe(200);
  });

  it('of a film are not there until the window has sent one, which is redrawn', async () => {
    const none = await ask(`/thumb/${film.id}/1?w=320`);
    expect(none.status).toBe(204);
    const poster = await sharp({ create: { width: 800, height: 450, channels: 3, background: '#123456' } })
      .withMetadata({ exif: { IFD0: { Copyright: 'smuggled' } } })
      .jpeg()
      .toBuffer();
    expect(poster.includes('smuggled')).toBe(true);
    const sent = await ask(`/thumb/${film.id}/1`, { 'content-type': 'image/jpeg' }, 'PUT', new Uint8Array(poster));
    expect(sent.status).toBe(204);
    for (const width of [320, 640]) {
      const small = await bytesOf(await ask(`/thumb/${film.id}/1?w=${width}`));
      expect((await sharp(small).metadata()).width).toBe(width);
      expect(small.includes('smuggled')).toBe(false);
    }
  });

  it.each([
    ['text that says it is a picture', 'image/png', Buffer.from('<svg onload="alert(1)"/>'), 422],
    ['a type we do not take', 'image/svg+xml', Buffer.from('<svg/>'), 415],
    ['more than a megabyte', 'image/png', Buffer.alloc(1024 ** 2 + 1), 413],
    ['nothing', 'image/png', Buffer.alloc(0), 422],
  ])('are not made of %s', async (_what, type, body, status) => {
    const answer = await ask(`/thumb/${film.id}/1`, { 'content-type': type }, 'PUT', new Uint8Array(body));
    expect(answer.status).toBe(status);
  });
});

describe('waveforms', () => {
  it('are kept as the window made them', async () => {
    expect((await ask(`/peaks/${film.id}/1`)).status).toBe(204);
    const peaks = [0, 0.5, -1, 0.123456];
    expect((await ask(`/peaks/${film.id}/1`, {}, 'PUT', JSON.stringify(peaks))).status).toBe(204);
    const answer = await ask(`/peaks/${film.id}/1`);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(await answer.json()).toEqual([0, 0.5, -1, 0.1235]);
  });

  it.each(['{"a":1}', '[2]', '["0"]', '[', `[${Array(4001).fill('0').join(',')}]`])('are not %s', async (body) => {
    const answer = await ask(`/peaks/${picture.id}/1`, {}, 'PUT', body);
    expect(answer.status).toBe(422);
  });
});

it('a range never leads out of its file, whatever a header says', () => {
  const header = fc.oneof(
    fc.string(),
    fc.tuple(fc.nat(3000), fc.nat(3000)).map(([from, to]) => `bytes=${from}-${to}`),
    fc.nat(3000).map((from) => `bytes=${from}-`),
    fc.nat(3000).map((count) => `bytes=-${count}`),
  );
  fc.assert(
    fc.property(header, fc.nat(2000), (text, size) => {
      const wanted = readRange(text, size);
      if (wanted.type !== 'part') return;
      expect(wanted.start).toBeGreaterThanOrEqual(0);
      expect(wanted.end).toBeGreaterThanOrEqual(wanted.start);
      expect(wanted.end).toBeLessThan(size);
    }),
  );
});
