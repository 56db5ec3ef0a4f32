import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeFlac } from './flac.ts';
import type { Claims } from '../../../src/engine/downloads/verify.ts';
import { inspectAt } from '../../support/places.ts';
import type { OutputFormat } from '../../../src/contract/formats.ts';
import {
  aac,
  AAC_FRAME,
  avif,
  box,
  gif,
  id3,
  isoMedia,
  jpeg,
  losslessWebp,
  mp3,
  MP3_FRAME,
  mp4,
  ogg,
  opus,
  png,
  progressiveJpeg,
  wav,
  webm,
  webp,
} from './samples.ts';
import { bytesOf } from './support.ts';
import { folderOfTest } from '../../support/folders.ts';
import { someOf } from '../../support/chance.ts';

async function inspect(content: Buffer, claims?: Claims) {
  const path = join(folderOfTest(), 'sample');
  await writeFile(path, content);
  return inspectAt(path, claims);
}

/** Lengths at which a cut file still passes for whole, shortest first. */
async function unnoticedCuts(content: Buffer): Promise<number[]> {
  const path = join(folderOfTest(), 'sample');
  await writeFile(path, content);
  const unnoticed: number[] = [];
  for (let length = content.length - 1; length >= 0; length -= 1) {
    await truncate(path, length);
    if (!('problem' in (await inspectAt(path)))) unnoticed.unshift(length);
  }
  return unnoticed;
}

const ramp = (length: number) => Int16Array.from({ length }, (_, index) => 7 * index);

const samples: [string, string, () => Buffer | Promise<Buffer>][] = [
  ['an MP4', 'mp4', mp4],
  ['an MP4 with a 64-bit box', 'mp4', () => isoMedia({ brand: 'isom', handler: 'vide', large: true })],
  ['an M4A', 'm4a', () => isoMedia()],
  ['a PNG', 'png', png],
  ['a JPEG', 'jpg', jpeg],
  ['a progressive JPEG', 'jpg', progressiveJpeg],
  ['a WebP', 'webp', webp],
  ['a lossless WebP', 'webp', losslessWebp],
  ['a GIF', 'gif', gif],
  ['a WAV', 'wav', () => wav()],
  ['an MP3 with a Xing header', 'mp3', () => mp3()],
  ['an MP3 with tags before its Xing header', 'mp3', () => mp3({ tag: id3() })],
  ['an Ogg', 'ogg', () => ogg()],
  ['an Opus', 'opus', opus],
  ['a FLAC', 'flac', () => encodeFlac(8000, ramp(300), 'note')],
  ['a WebM', 'webm', () => webm()],
  ['a WebM with sizes of eight bytes', 'webm', () => webm('wide')],
];

describe.each(someOf(samples))('%s', (_name, format, make) => {
  it('is recognised when whole', async () => {
    expect(await inspect(await make())).toEqual({ format, verified: true });
  });

  it('is a problem when cut at any byte', async () => {
    expect(await unnoticedCuts(await make())).toEqual([]);
  });
});

describe('a FLAC', () => {
  const twoFrames = encodeFlac(8000, ramp(5000), 'note');

  it('shows a cut between two frames, and a changed end', async () => {
    expect(await inspect(twoFrames)).toEqual({ format: 'flac', verified: true });
    const lastFrame = 2 * (5000 - 4096) + 13;
    expect(twoFrames.readUInt16BE(twoFrames.length - lastFrame)).toBe(0xfff9);
    expect(await inspect(twoFrames.subarray(0, -lastFrame))).toHaveProperty('problem');
    const changed = Buffer.from(twoFrames);
    changed[changed.length - 100] = 0;
    expect(await inspect(changed)).toHaveProperty('problem');
  });

  it('may be of unknown length, and end with a tag', async () => {
    const streamed = Buffer.from(twoFrames);
    streamed.fill(0, 4 + 4 + 14, 4 + 4 + 18);
    const tag = Buffer.alloc(128);
    tag.write('TAG');
    expect(await inspect(Buffer.concat([streamed, tag]))).toEqual({ format: 'flac', verified: true });
  });
});

describe('formats in which not every cut can be seen', () => {
  it('an MP3 without a Xing header hides a cut exactly between two frames, and no other', async () => {
    const unnoticed = await unnoticedCuts(mp3({ counts: null }));
    expect(unnoticed.every((length) => length % MP3_FRAME === 0)).toBe(true);
  });

  it('a WAV written to a pipe hides a cut between two samples, and no other', async () => {
    const whole = wav({ streamed: true });
    expect(await inspect(whole)).toEqual({ format: 'wav', verified: true });
    const unnoticed = await unnoticedCuts(whole);
    expect(unnoticed.every((length) => length > 44 && length % 2 === 0)).toBe(true);
  });

  it('a WebM recorded live shows a cut inside its parts', async () => {
    const whole = webm('unknown');
    expect(await inspect(whole)).toEqual({ format: 'webm', verified: true });
    expect(await inspect(whole.subarray(0, -1))).toHaveProperty('problem');
  });
});

describe('an MP3', () => {
  it('whose Xing header does not count itself is whole', async () => {
    expect(await inspect(mp3({ counts: 'without itself' }))).toEqual({ format: 'mp3', verified: true });
  });

  it('may end with tags or zeros', async () => {
    const tag = Buffer.alloc(128);
    tag.write('TAG');
    expect(await inspect(Buffer.concat([mp3(), tag]))).toEqual({ format: 'mp3', verified: true });
    expect(await inspect(Buffer.concat([mp3(), Buffer.alloc(50)]))).toEqual({ format: 'mp3', verified: true });
  });

  it('with noise in its middle is damaged', async () => {
    const broken = mp3({ frames: 20 });
    broken.fill(0x5a, 5 * MP3_FRAME, 6 * MP3_FRAME);
    expect(await inspect(broken)).toHaveProperty('problem');
  });
});

describe('an MP4', () => {
  it('whose index points behind its end is cut off', async () => {
    expect(await inspect(isoMedia({ chunkOffset: 1_000_000 }))).toHaveProperty('problem');
  });

  it('without an index was never finished', async () => {
    const whole = isoMedia();
    const unfinished = whole.subarray(0, whole.indexOf('moov') - 4);
    expect(await inspect(unfinished)).toEqual({
      problem: expect.saying('The file is incomplete: moov is missing.'),
    });
  });

  it('may say that its last box goes to the end', async () => {
    const whole = isoMedia();
    const moovAt = whole.indexOf('moov') - 4;
    const toEnd = box('mdat', Buffer.alloc(30));
    toEnd.writeUInt32BE(0, 0);
    const moovFirst = Buffer.concat([whole.subarray(0, 20), whole.subarray(moovAt), toEnd]);
    expect(await inspect(moovFirst)).toEqual({ format: 'm4a', verified: true });
  });

  it('with boxes that contain themselves or nothing ends the check', async () => {
    const endless = Buffer.concat([isoMedia().subarray(0, 20), Buffer.from([0, 0, 0, 4]), Buffer.from('free')]);
    expect(await inspect(endless)).toHaveProperty('problem');
  });
});

describe('a PNG', () => {
  it('with one wrong bit is damaged', async () => {
    const broken = await png();
    const at = broken.indexOf('IDAT') + 6;
    broken[at] = (broken[at] ?? 0) ^ 1;
    expect(await inspect(broken)).toEqual({ problem: expect.saying('The file is damaged (CRC IDAT).') });
  });

  it('may have anything behind its end', async () => {
    expect(await inspect(Buffer.concat([await png(), Buffer.from('more')]))).toEqual({ format: 'png', verified: true });
  });
});

it.each([
  ['an empty file', Buffer.alloc(0), 'The file is empty.'],
  ['a page', Buffer.from('\ufeff<!DOCTYPE html><html><body>Sorry</body></html>'), 'The file is a web page, not media.'],
  ['JSON', Buffer.from('{"error":{"message":"no"}}'), 'The file is JSON text, not media.'],
  ['text', Buffer.from('Service Unavailable'), 'The file is plain text, not media.'],
  ['a few bytes', Buffer.from([0, 1, 2, 3, 4]), 'The file has 5 bytes: too few for any media.'],
])('what is not media says what it looks like: %s', async (_name, content, problem) => {
  expect(await inspect(content)).toEqual({ problem: expect.saying(problem) });
});

describe('a file whose format cannot be checked', () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><circle r="4"/></svg>';
  const comments = '<!-- made by a model -->'.repeat(100);

  it.each<[string, OutputFormat, () => Buffer | Promise<Buffer>]>([
    ['an AVIF', 'avif', avif],
    ['a drawing (SVG)', 'svg', () => Buffer.from(svg)],
    ['a drawing behind a declaration and comments', 'svg', () => Buffer.from(`<?xml version="1.0"?>${comments}${svg}`)],
    ['an archive', 'zip', () => Buffer.concat([Buffer.from('PK\x03\x04'), bytesOf(500)])],
    ['a document', 'pdf', () => Buffer.from('%PDF-1.7\n%\u00e2\n1 0 obj')],
  ])('is kept by what it is: %s', async (_what, format, make) => {
    expect(await inspect(await make(), { contentType: 'video/mp4' })).toEqual({ format, verified: false });
  });

  const noise = bytesOf(10_000);
  it.each<[string, Claims, OutputFormat]>([
    ['its Content-Type', { contentType: 'image/jxl; q=1', url: 'https://cdn/a.png' }, 'jxl'],
    [
      'the path of its address',
      { contentType: 'application/octet-stream', url: 'https://cdn/a/b.HEIF?sig=.mp4' },
      'heic',
    ],
    ['nobody', {}, 'bin'],
    ['an extension that a system would run', { url: 'https://cdn/setup.exe' }, 'bin'],
  ])('and that its content does not show is named by %s', async (_what, claims, format) => {
    expect(await inspect(noise, claims)).toEqual({ format, verified: false });
  });

  it('is a problem when its server calls it something that can be checked', async () => {
    const problem = expect.saying('The file is not PNG, though its server reports it as such.');
    expect(await inspect(noise, { contentType: 'image/png', url: 'https://cdn/a.jxl' })).toEqual({ problem });
  });

  it('is not called media when it is a program', async () => {
    const program = Buffer.concat([Buffer.from('\x7fELF\x02\x01\x01'), Buffer.alloc(200)]);
    expect(await inspect(program, { contentType: 'video/mp4' })).toEqual({ format: 'bin', verified: false });
  });

  it('reads only the beginning, whatever is in it', async () => {
    const hostile = Buffer.from('<!---->'.repeat(5000));
    expect(await inspect(hostile)).toEqual({ problem: expect.saying('The file is plain text, not media.') });
  });
});

it.each([0, 0x7fffffff, 0xffffffff, 0x7ffff000])(
  'a WAV written to a pipe is whole with %i for its sizes',
  async (size) => {
    const whole = wav({ streamed: true });
    whole.writeUInt32LE(size, 4);
    whole.writeUInt32LE(size, 40);
    expect(await inspect(whole)).toEqual({ format: 'wav', verified: true });
    expect(await inspect(whole.subarray(0, -1))).toHaveProperty('problem');
    expect(await inspect(whole.subarray(0, 44))).toHaveProperty('problem');
  },
);

describe('an AAC stream', () => {
  it('shows every cut but one exactly between two frames', async () => {
    const whole = aac(3);
    expect(await inspect(whole)).toEqual({ format: 'aac', verified: true });
    const unnoticed = await unnoticedCuts(whole);
    expect(unnoticed.every((length) => length % AAC_FRAME === 0)).toBe(true);
  });

  it('with noise in its middle is damaged', async () => {
    const broken = aac(6);
    broken.fill(0x5a, 2 * AAC_FRAME, 3 * AAC_FRAME);
    expect(await inspect(broken)).toHaveProperty('problem');
  });

  it('may begin and end with tags', async () => {
    const tag = Buffer.alloc(128);
    tag.write('TAG');
    expect(await inspect(Buffer.concat([aac(3), tag]))).toEqual({ format: 'aac', verified: true });
  });
});

it('hostile files never throw and never hang, whatever is wrong with them', async () => {
  const whole = await Promise.all(samples.map(([, , make]) => make()));
  const path = join(folderOfTest(), 'sample');
  await fc.assert(
    fc.asyncProperty(
      fc.nat(whole.length - 1),
      fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 8 }),
      async (which, changes) => {
        const content = Buffer.from(whole[which] ?? '');
        for (const [at, value] of changes) content[at % content.length] = value;
        await writeFile(path, content);
        expect('problem' in (await inspectAt(path))).toBeTypeOf('boolean');
      },
    ),
    { numRuns: 250 },
  );
});

describe('a file where words were asked for', () => {
  const asked = (content: string | Buffer) => inspect(Buffer.from(content), { medium: 'words' });

  it.each([
    ['x', 'md'],
    ['<!doctype html><p>a page', 'md'],
    ['ID3', 'md'],
    ['%PDF-1.7', 'md'],
    ['"a text in quotation marks"', 'md'],
    ['{"a": 1', 'md'],
    ['{"a": 1}', 'json'],
    [' [1, 2]\n', 'json'],
  ])('is whole as text, however it begins: %j', async (content, format) => {
    expect(await asked(content)).toEqual({ format, verified: true });
  });

  it('is what it is where it is no text', async () => {
    expect(await asked(await png())).toMatchObject({ format: 'png' });
    expect(await asked('')).toEqual({ problem: expect.saying('The file is empty.') });
  });

  it('is read to its end: with one byte that is no text it is kept and marked', async () => {
    const long = Buffer.alloc(200_000, 'a');
    expect(await asked(long)).toEqual({ format: 'md', verified: true });
    long[199_999] = 0xff;
    expect(await asked(long)).toEqual({ format: 'md', verified: false });
  });

  it('is never words because its server says so', async () => {
    const unknown = Buffer.alloc(300, 0x80);
    const claims = { contentType: 'application/json', url: 'https://a.example/1.md' };
    expect(await inspect(unknown, claims)).toEqual({ format: 'bin', verified: false });
  });
});
