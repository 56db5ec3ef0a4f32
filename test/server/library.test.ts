import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { UploadReport } from '../../src/contract/asset.ts';
import { createMediaHandler, type MediaHandler } from '../../src/server/media/handler.ts';
import { Served, type Api } from './support.ts';

let served: Served;
let api: Api;
let handler: MediaHandler;
let picture: Uint8Array<ArrayBuffer>;

beforeEach(async () => {
  served = await Served.open();
  api = served.inProcess();
  handler = createMediaHandler(served.services);
  const drawn = sharp({ create: { width: 900, height: 600, channels: 3, background: '#223344' } });
  picture = new Uint8Array(await drawn.png().toBuffer());
});

afterEach(() => served.close());

const ask = (path: string, method = 'GET', body?: Uint8Array<ArrayBuffer>) =>
  handler(new Request(`http://dailies.test${path}`, { method, ...(body && { body }) }));
const upload = async (name: string, body = picture, more = '') => {
  const answer = await served.world.whilePumping(ask(`/upload?name=${encodeURIComponent(name)}${more}`, 'PUT', body));
  return { status: answer.status, report: (await answer.json()) as UploadReport };
};
const idOf = (report: UploadReport): string => (report.ok ? report.assetId : '');

describe('a file sent from the window', () => {
  it('is brought into the library and kept beside it', async () => {
    const { status, report } = await upload('Hero shot.PNG', picture, '&role=reference_image&group=Cast');
    expect({ status, report }).toMatchObject({ status: 200, report: { ok: true, sent: true } });
    const { total, assets } = await api.library.assets({ start: 0, count: 10 });
    expect(total).toBe(1);
    expect(assets[0]).toMatchObject({ groupName: 'Cast', type: 'image', local: { bytes: picture.length, width: 900 } });
    expect((await api.library.groups({})).map(({ name }) => name)).toContain('Cast');
  });

  it('goes up once, however often it is sent', async () => {
    const first = await upload('a.png');
    const second = await upload('b.png');
    expect(second.report).toMatchObject({ ok: true, sent: false });
    expect(idOf(second.report)).toBe(idOf(first.report));
  });

  it('with a name that leads elsewhere stays where it is put', async () => {
    await upload('../../../evil\0.png');
    const kept = readdirSync(join(served.world.dataFolder, 'uploads'), { recursive: true }) as string[];
    expect(kept).toHaveLength(2);
    expect(kept.some((name) => name.split(/[/\\]/).includes('..') || name.includes('\0'))).toBe(false);
    expect(existsSync(join(served.world.folder, 'evil.png'))).toBe(false);
  });

  it.each([
    ['/upload', 400],
    ['/upload?name=', 400],
    ['/upload?name=a.png&role=hero%00&mode=nowhere', 400],
    ['/upload?name=a.png&project=none', 409],
  ])('is refused at %s', async (path, status) => {
    expect((await ask(path, 'PUT', picture)).status).toBe(status);
  });

  it('is refused with a reason while no key is set, and nothing half done is left', async () => {
    served.world.key = null;
    const answer = await ask('/upload?name=a.png', 'PUT', picture);
    expect(answer.status).toBe(409);
    expect(await answer.json()).toMatchObject({ code: 'key_missing', remedy: expect.saying(/key/) as string });
    const names = readdirSync(join(served.world.dataFolder, 'uploads'), { recursive: true }) as string[];
    expect(names.filter((name) => name.endsWith('.part'))).toEqual([]);
  });
});

describe('an asset', () => {
  it('shows the local file it was made of, whole, in part and small', async () => {
    const id = idOf((await upload('hero.png')).report);
    const whole = await ask(`/asset/${id}`);
    expect(whole.headers.get('content-type')).toBe('image/png');
    expect(new Uint8Array(await whole.arrayBuffer())).toEqual(picture);
    const small = await ask(`/asset-thumb/${id}?w=320`);
    expect((await sharp(Buffer.from(await small.arrayBuffer())).metadata()).width).toBe(320);
  });

  it('is shown small by its content, kept for when the file is gone', async () => {
    const id = idOf((await upload('hero.png')).report);
    const small = Buffer.from(await (await ask(`/asset-thumb/${id}`)).arrayBuffer());
    const { local } = await api.library.asset({ assetId: id });
    const sha256 = local?.sha256 ?? '';
    const kept = join(served.world.dataFolder, 'thumbs', sha256.slice(0, 2), `${sha256}-320.webp`);
    expect(readFileSync(kept).equals(small)).toBe(true);
    for (const path of local?.paths ?? []) rmSync(path);
    const again = await ask(`/asset-thumb/${id}?w=320`);
    expect(again.headers.get('content-type')).toBe('image/webp');
    expect(Buffer.from(await again.arrayBuffer()).equals(small)).toBe(true);
    // Nobody can draw it at another width any more.
    expect((await ask(`/asset-thumb/${id}?w=640`)).status).toBe(204);
  });

  it('whose file was changed or is gone is not there', async () => {
    const id = idOf((await upload('hero.png')).report);
    const [path] = (await api.library.asset({ assetId: id })).local?.paths ?? [];
    writeFileSync(path ?? '', 'something else');
    expect((await ask(`/asset/${id}`)).status).toBe(404);
    rmSync(path ?? '');
    expect((await ask(`/asset/${id}`)).status).toBe(404);
  });

  it('that could run as a page is bytes for saving', async () => {
    const script = new Uint8Array(
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
    );
    const id = idOf((await upload('logo.svg', script, '&type=file')).report);
    const answer = await ask(`/asset/${id}`);
    expect(answer.headers.get('content-type')).toBe('application/octet-stream');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect((await ask(`/asset-thumb/${id}?w=320`)).status).toBe(204);
  });

  it('is hidden and shown again, and listeners are told', async () => {
    const id = idOf((await upload('hero.png')).report);
    const told: string[] = [];
    served.world.engine.subscribe(({ type }) => told.push(type));
    await api.library.hide({ assetId: id, hidden: true });
    expect(await api.library.assets({ start: 0, count: 9 })).toMatchObject({ total: 0 });
    expect(await api.library.assets({ start: 0, count: 9, hidden: true })).toMatchObject({ total: 1 });
    await api.library.hide({ assetId: id, hidden: false });
    expect(told).toContain('library');
    await expect(api.library.hide({ assetId: 'none', hidden: true })).rejects.toMatchObject({ code: 'REFUSED' });
  });

  it('is found where lists name it', async () => {
    const id = idOf((await upload('hero.png')).report);
    const { id: projectId } = await served.world.engine.projects.open(served.world.projectPath);
    const text = `shot,model,prompt,duration,first_frame\n1,vgen-2.0-nt,A boat,5,Asset://${id}\n`;
    const draft = await api.drafts.open({ projectId, source: { type: 'text', name: 'a', text } });
    await api.drafts.start({ draftId: draft.id, name: 'Day 1', again: false });
    expect(await api.library.whereUsed({ assetId: id })).toMatchObject([
      { batch: 'Day 1', shot: '1', parameter: 'first_frame' },
    ]);
  });

  it('of an address that is no web address is refused', async () => {
    const adding = api.library.addUrl({ url: 'file:///etc/passwd', target: {} });
    await expect(adding).rejects.toMatchObject({ code: 'REFUSED', data: { code: 'bad_address' } });
  });
});
