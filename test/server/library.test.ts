import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import { beforeEach, describe, expect, it } from 'vitest';
import type { UploadReport } from '../../src/contract/asset.ts';
import { createMediaHandler, type MediaHandler } from '../../src/server/media/handler.ts';
import { images, Served, type Api } from './support.ts';

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
  return () => served.close();
});

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

describe('a local file that a cell of a list names', () => {
  /** The small picture at a row of a list that lies in `refs` and names these; the status where there is none. */
  const openList = async (names: readonly string[], folder = join(served.world.folder, 'refs')) => {
    mkdirSync(folder, { recursive: true });
    const path = join(folder, 'day.csv');
    const rows = names.map((name, index) => `${index},image,A boat,"${name.replaceAll('"', '""')}"\n`);
    writeFileSync(path, `shot,kind,prompt,reference_images\n${rows.join('')}`);
    const { id: projectId } = await served.world.engine.projects.open(served.world.projectPath);
    const { id } = await served.world.engine.drafts.open(projectId, { type: 'path', path }, {});
    return async (row: number, named = names[row] ?? '', more: RequestInit = {}) => {
      const query = `w=320&named=${encodeURIComponent(named)}`;
      const request = new Request(`http://dailies.test/cell-thumb/${id}/${row}/3?${query}`, more);
      const answer = await handler(request);
      if (answer.status !== 200) return { width: answer.status, answer };
      return { width: (await sharp(Buffer.from(await answer.arrayBuffer())).metadata()).width, answer };
    };
  };
  const put = (name: string, bytes: Uint8Array | string = picture): string => {
    const path = join(served.world.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
    return path;
  };

  it('is shown small, again without being drawn, and again once it has changed', async () => {
    const hero = put('refs/hero.png');
    const small = await openList(['hero.png; "boat one.png"']);
    put('refs/boat one.png');
    expect((await small(0, 'hero.png')).width).toBe(320);
    const { width, answer } = await small(0, 'boat one.png');
    expect({ width, caching: answer.headers.get('cache-control') }).toEqual({
      width: 320,
      caching: 'private, no-cache',
    });
    const known = { headers: { 'if-none-match': answer.headers.get('etag') ?? '' } };
    expect((await small(0, 'boat one.png', known)).width).toBe(304);
    writeFileSync(hero, await sharp(picture).resize(200).png().toBuffer());
    expect((await small(0, 'hero.png')).width).toBe(200);
    rmSync(hero);
    expect((await small(0, 'hero.png')).width).toBe(204);
  });

  it('is not there where a start would ask first: elsewhere, through a link, or by a home folder', async () => {
    const secret = put('elsewhere/id.png');
    put('refs/hero.png');
    symlinkSync(secret, join(served.world.folder, 'refs/link.png'));
    symlinkSync(dirname(secret), join(served.world.folder, 'refs/linked'));
    const names = [secret, '../elsewhere/id.png', 'link.png', 'linked/id.png', '//host/share/id.png', '~/id.png'];
    const small = await openList(names);
    for (const row of names.keys()) expect((await small(row)).width).toBe(204);
    // Agreed to since, for this project.
    const [project] = served.world.engine.stores.projects.list();
    if (!project) throw new Error('there is no project');
    const shot = { kind: 'image', params: { operation: 'edit', image: secret } } as const;
    await served.world.import(images(1, shot), { agreed: [realpathSync(secret)] });
    for (const row of [0, 1, 2, 3]) expect((await small(row)).width).toBe(320);
    expect((await small(4)).width).toBe(204);
  });

  it('is not there where it is no picture, or the cell names another file', async () => {
    const names = ['pipe.png', 'folder.png', 'page.png', 'drawing.png', 'huge.png', 'hero.png'];
    const small = await openList(names);
    execFileSync('mkfifo', [join(served.world.folder, 'refs/pipe.png')]);
    mkdirSync(join(served.world.folder, 'refs/folder.png'));
    put('refs/page.png', '<script>alert(1)</script>');
    put('refs/drawing.png', '<svg xmlns="http://www.w3.org/2000/svg"><rect width="9" height="9"/></svg>');
    truncateSync(put('refs/huge.png'), 10 * 1000 ** 3);
    put('refs/hero.png');
    for (const row of [0, 1, 2, 3, 4]) expect((await small(row)).width).toBe(204);
    expect((await small(5)).width).toBe(320);
    expect((await small(5, 'page.png')).width).toBe(204);
    expect((await small(6, 'hero.png')).width).toBe(204);
    expect((await small(5, 'hero.png', { method: 'PUT' })).width).toBe(405);
    expect((await ask('/cell-thumb/none/0/3?named=hero.png')).status).toBe(204);
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
    expect(await api.library.hide({ assetId: id, hidden: false })).toBeNull();
    const hidden = await api.library.hide({ assetId: id, hidden: true });
    const shown = await api.commands.undo({ token: hidden?.undo ?? '' });
    expect(await api.library.assets({ start: 0, count: 9 })).toMatchObject({ total: 1 });
    await api.commands.undo({ token: shown.undo ?? '' });
    expect(await api.library.assets({ start: 0, count: 9 })).toMatchObject({ total: 0 });
  });

  it('has groups whose new names are taken back and given again, unless they were renamed since', async () => {
    const { world } = served;
    const made = await world.whilePumping(api.library.createGroup({ name: 'Heroes', description: 'Good' }));
    const groupId = made?.result.id ?? '';
    const facts = async () => (await api.library.groups({})).map(({ name, description }) => [name, description]);
    const rename = (name: string) =>
      world.whilePumping(api.library.renameGroup({ groupId, name, description: `${name} all` }));
    const renamed = await rename('Villains');
    const undone = await world.whilePumping(api.commands.undo({ token: renamed?.undo ?? '' }));
    expect(await facts()).toEqual([['Heroes', 'Good']]);
    const again = await world.whilePumping(api.commands.undo({ token: undone.undo ?? '' }));
    expect(await facts()).toEqual([['Villains', 'Villains all']]);
    await rename('Extras');
    await expect(world.whilePumping(api.commands.undo({ token: again.undo ?? '' }))).rejects.toMatchObject({
      data: { code: 'changed_since' },
    });
    expect(await facts()).toEqual([['Extras', 'Extras all']]);
  });

  it('of an address that is no web address is refused', async () => {
    const adding = api.library.addUrl({ url: 'file:///etc/passwd', target: {} });
    await expect(adding).rejects.toMatchObject({ code: 'REFUSED', data: { code: 'bad_address' } });
  });
});
