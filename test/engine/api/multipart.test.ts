import { mkdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PlannedRequest } from '../../../src/contract/take.ts';
import { answer, bench, hang, type SeenRequest } from './support.ts';
import { folderOfSuite } from '../../support/folders.ts';
import { asMedium } from '../library/media.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de', 'hex');

const folder = folderOfSuite();

function edit(paths: Record<string, string>, body: PlannedRequest['body'] = { prompt: 'Rain' }): PlannedRequest {
  return {
    operation: 'images.edit',
    method: 'POST',
    path: '/v1/images/edits',
    encoding: 'multipart',
    body,
    files: Object.entries(paths).map(([field, path]) => ({ field, path })),
    answers: 'json',
  };
}

async function parts(request: SeenRequest | undefined): Promise<FormData> {
  const { headers = {}, body = Buffer.alloc(0) } = request ?? {};
  return new Response(new Uint8Array(body), { headers: { 'content-type': headers['content-type'] ?? '' } }).formData();
}

describe('a multipart submit', () => {
  it('sends fields as text and files as they are, their type by content', async () => {
    const image = join(folder, 'a "quoted" näme.jpg');
    const mask = join(folder, 'mask.bin');
    await writeFile(image, PNG);
    await writeFile(mask, asMedium('mask.png', 'mask'));
    await using at = await bench(answer(200, { data: [] }));
    const request = edit({ image, mask }, { prompt: 'Régen\r\n--x', n: 2, hd: true, size: null, extra: { a: [1] } });
    expect(await at.client.submit(request)).toMatchObject({ type: 'answered' });

    const form = await parts(at.server.requests[0]);
    expect(Object.fromEntries([...form].filter(([, value]) => typeof value === 'string'))).toEqual({
      prompt: 'Régen\r\n--x',
      n: '2',
      hd: 'true',
      extra: '{"a":[1]}',
    });
    const sent = form.get('image') as File;
    expect([sent.name, sent.type]).toEqual(['a "quoted" näme.jpg', 'image/png']);
    expect(Buffer.from(await sent.arrayBuffer())).toEqual(PNG);
    expect((form.get('mask') as File).type).toBe('image/bmp');
  });

  it('streams a large file whole, its length told before', async () => {
    const image = join(folder, 'large.png');
    const content = Buffer.concat([PNG, Buffer.alloc(5_000_000, 'abc')]);
    await writeFile(image, content);
    await using at = await bench(answer(200, { data: [] }));
    await at.client.submit(edit({ image }));
    const [request] = at.server.requests;
    expect(request?.headers['transfer-encoding']).toBeUndefined();
    expect(Number(request?.headers['content-length'])).toBe(request?.body.length);
    const sent = (await parts(request)).get('image') as File;
    expect(Buffer.from(await sent.arrayBuffer()).equals(content)).toBe(true);
  });

  it.each(['missing.png', 'folder', 'empty.png', 'id_ed25519', 'key.png'])(
    'is never sent when a file is none: %s',
    async (name) => {
      await mkdir(join(folder, 'folder'), { recursive: true });
      await writeFile(join(folder, 'empty.png'), '');
      await writeFile(join(folder, 'good.png'), PNG);
      for (const secret of ['id_ed25519', 'key.png'])
        await writeFile(join(folder, secret), '-----BEGIN OPENSSH PRIVATE KEY-----');
      await using at = await bench(hang);
      const outcome = await at.client.submit(edit({ image: join(folder, 'good.png'), mask: join(folder, name) }));
      expect(outcome).toMatchObject({
        type: 'never_sent',
        blocked: true,
        complaint: { code: 'unusable_file', message: expect.saying(new RegExp(name.replace('.', '\\.'))) },
      });
      expect(at.server.connections).toBe(0);
    },
  );

  it('is unclear when a file becomes shorter on its way', async () => {
    const image = join(folder, 'shrinking.png');
    await writeFile(image, PNG);
    // Far more than the sockets hold, so that the end is still unread when the file is cut. It takes no disk.
    await truncate(image, 64 * 1024 ** 2);
    const begun = Promise.withResolvers<() => void>();
    await using at = await bench(hang, {
      onConnect: (socket) => {
        socket.once('readable', () => undefined);
        socket.once('data', () => {
          socket.pause();
          begun.resolve(() => void socket.resume());
        });
      },
    });
    const submitted = at.client.submit(edit({ image }));
    const goOn = await begun.promise;
    await truncate(image, 1000);
    goOn();
    expect(await submitted).toMatchObject({ type: 'unclear', complaint: { code: 'unusable_file' } });
    expect(at.server.connections).toBe(1);
  });
});
