import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from 'mediabunny';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { MediaLibrary, type MediaStyle } from '../../src/demo/media/media-library.ts';
import { prepared } from '../../src/demo/media/output.ts';
import { slateSvg } from '../../src/demo/media/slate.ts';
import type { TaskRecord } from '../../src/demo/service.ts';

const crashHandlers = () => [process.listeners('uncaughtException'), process.listeners('unhandledRejection')];
const handlersAtStart = crashHandlers();

function takeOf(
  kind: TaskRecord['kind'],
  change: Partial<TaskRecord> = {},
  prompt = 'A lighthouse at dawn',
): TaskRecord {
  const size = kind === 'music' ? { width: 0, height: 0 } : { width: 160, height: 96 };
  return {
    id: 'task_00aa11bb22cc33dd44ee55ff',
    kind,
    resource: 'videos',
    model: 'vgen-2.0-cl',
    wanted: { prompt, title: null, style: null, seconds: 4, ...size, outputs: 1 },
    references: [],
    createdAt: Date.UTC(2026, 0, 2),
    takesMs: 1000,
    end: 'succeeded',
    error: null,
    traceId: 'trace_1',
    ...change,
  };
}

async function made(style: MediaStyle, take: TaskRecord): Promise<Buffer> {
  return (await new MediaLibrary(style, 0).file(take, 0)).bytes;
}

/** What a demuxer of another hand finds in a movie. */
async function inspectMovie(movie: Buffer) {
  const input = new Input({ source: new BufferSource(movie), formats: ALL_FORMATS });
  const track = await input.getPrimaryVideoTrack();
  if (track === null) throw new Error('The movie has no video.');
  const seconds = await input.computeDuration();
  let packets = 0;
  let keyPackets = 0;
  for await (const packet of new EncodedPacketSink(track).packets()) {
    packets += 1;
    if (packet.type === 'key') keyPackets += 1;
  }
  return { packets, keyPackets, seconds, codec: track.codec, width: track.displayWidth, height: track.displayHeight };
}

describe('real media', () => {
  it('of a video is an H.264 movie of the length that was asked for, with a key frame everywhere', async () => {
    const movie = await inspectMovie(await made('real', takeOf('video')));
    expect(movie).toMatchObject({ codec: 'avc', width: 160, height: 96, packets: 48, keyPackets: 48 });
    expect(movie.seconds).toBeCloseTo(4, 1);
  });

  it('of an image is a PNG of the size that was asked for', async () => {
    const { format, width, height } = await sharp(await made('real', takeOf('image'))).metadata();
    expect({ format, width, height }).toEqual({ format: 'png', width: 160, height: 96 });
  });

  it('of music is an MP3 of the length that was asked for, in stereo', async () => {
    const sound = new Input({ source: new BufferSource(await made('real', takeOf('music'))), formats: ALL_FORMATS });
    const track = await sound.getPrimaryAudioTrack();
    expect(track).toMatchObject({ codec: 'mp3', numberOfChannels: 2, sampleRate: 48_000 });
    expect(await sound.computeDuration()).toBeCloseTo(4, 1);
  });
});

describe('the prepared sounds', () => {
  const NAMELESS = 'x'.repeat(64);
  const voices = [1, 2, 3, 4].flatMap((voice) =>
    ['mp3', 'aac', 'opus', 'flac'].map((format) => `voice-${voice}.${format}`),
  );

  it.each(voices)('have a line in %s, and in a format without a tag a place for the name of a take', async (file) => {
    const bytes = prepared(file);
    const track = await new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS }).getPrimaryAudioTrack();
    expect(track?.codec).toBe(file.split('.')[1]);
    const places = bytes.toString('latin1').split(NAMELESS).length - 1;
    expect(places).toBe(/flac|opus/.test(file) ? 1 : 0);
  });

  it.each([1, 2, 3, 4, 5, 6])('have tune %d in frames of one length, 24 seconds of them', async (tune) => {
    const bytes = prepared(`tune-${tune}.mp3`);
    const frames = Array.from({ length: bytes.length / 288 }, (_, frame) => bytes.readUInt16BE(frame * 288));
    expect(new Set(frames)).toEqual(new Set([0xfffb]));
    const input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
    expect(await input.computeDuration()).toBeCloseTo(24, 1);
  });
});

it('making a movie leaves no handlers of the encoder on the process', async () => {
  await made('real', takeOf('video'));
  expect(crashHandlers()).toEqual(handlersAtStart);
});

describe('the lettering of a slate', () => {
  const slate = { width: 640, height: 360, label: 'model', caption: '5 s', seed: 'task' };

  it('shows the words of the shot', async () => {
    const light = async (headline: string): Promise<number> => {
      const drawn = sharp(Buffer.from(slateSvg({ ...slate, headline }))).flatten({ background: '#000' });
      const { channels } = await sharp(await drawn.png().toBuffer()).stats();
      return channels[0]?.mean ?? 0;
    };
    expect(await light('WWWWWWWWWWWW MMMMMMMMMMMM')).toBeGreaterThan((await light('.')) + 0.5);
  });

  it('needs no font of the machine for what a keyboard can type', () => {
    const headline = String.fromCharCode(...Array.from({ length: 95 }, (_, code) => 32 + code)).replace('`', '');
    expect(slateSvg({ ...slate, headline })).not.toContain('<text');
  });

  it.each([
    ['Die Wärterin öffnet', 'Die Warterin offnet'],
    ['Größe', 'Grosse'],
    ['Île à Çesme', 'Ile a Cesme'],
    ['Łódź, Ålesund, søster', 'Lodz, Alesund, soster'],
  ])('keeps the marks of %j', (headline, bare) => {
    const drawn = slateSvg({ ...slate, headline });
    expect(drawn).not.toContain('<text');
    expect(drawn).not.toBe(slateSvg({ ...slate, headline: bare }));
  });

  it('does without a mark it cannot draw, not without the letter', () => {
    expect(slateSvg({ ...slate, headline: 'Ḳạ at dusk' })).toBe(slateSvg({ ...slate, headline: 'Ka at dusk' }));
  });

  it('leaves other scripts to the machine, escaped', () => {
    const svg = slateSvg({ ...slate, headline: '海 & <script>' });
    expect(svg).toContain('&#28023;</text>');
    expect(svg).not.toContain('<script');
  });

  it('cuts a headline that would leave the picture', () => {
    const long = slateSvg({ ...slate, headline: 'word '.repeat(2000) });
    expect(long.length).toBeLessThan(200_000);
  });
});

describe.each<MediaStyle>(['real', 'tiny'])('%s media', (style) => {
  it.each(['video', 'image', 'music'] as const)('of a %s follow from the task alone', async (kind) => {
    const once = await made(style, takeOf(kind));
    expect((await made(style, takeOf(kind))).equals(once)).toBe(true);
    expect((await made(style, takeOf(kind, { id: 'task_ff' }))).equals(once)).toBe(false);
    expect((await made(style, takeOf(kind, {}, 'A harbour'))).equals(once)).toBe(false);
  });
});

describe('tiny media', () => {
  it('are whole files that decoders take', async () => {
    const movie = await inspectMovie(await made('tiny', takeOf('video')));
    expect([movie.packets, movie.keyPackets]).toEqual([12, 12]);
    expect(
      (
        await sharp(await made('tiny', takeOf('image')))
          .raw()
          .toBuffer()
      ).length,
    ).toBe(16 * 16 * 3);
    const sound = new Input({ source: new BufferSource(await made('tiny', takeOf('music'))), formats: ALL_FORMATS });
    expect(await sound.computeDuration()).toBeCloseTo(0.12, 3);
  });

  it.each(['video', 'image', 'music'] as const)('of a %s can be padded and stay whole', async (kind) => {
    const { bytes } = await new MediaLibrary('tiny', 300_000).file(takeOf(kind), 0);
    expect(bytes.length).toBeGreaterThanOrEqual(300_000);
    expect(bytes.length).toBeLessThan(302_000);
    if (kind === 'video') expect((await inspectMovie(bytes)).packets).toBe(12);
    if (kind === 'image') expect((await sharp(bytes).metadata()).format).toBe('png');
    if (kind === 'music') {
      const sound = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
      expect(await sound.computeDuration()).toBeCloseTo(0.12, 3);
    }
  });
});
