import { box } from '../engine/downloads/samples.ts';

/** Films by hand: real containers with frames that nothing could decode, for what only the boxes say. */

export interface FilmWanted {
  /** Ticks a second, and ticks of each frame in the order of decoding. */
  readonly timescale: number;
  readonly deltas: readonly number[];
  /** By how much each frame is shown later than it is decoded, as B-frames need. */
  readonly offsets?: readonly number[];
  readonly edits?: readonly { readonly from: number; readonly duration: number }[];
  readonly movieScale?: number;
  readonly timecode?: { readonly frame: number; readonly isDrop: boolean };
  readonly width?: number;
  readonly height?: number;
}

const words = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, index) => bytes.writeUInt32BE(value >>> 0, 4 * index));
  return bytes;
};
const shorts = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(2 * values.length);
  values.forEach((value, index) => bytes.writeUInt16BE(value, 2 * index));
  return bytes;
};
const zeros = (count: number): Buffer => Buffer.alloc(count);
const MATRIX = words(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);
const FRAME_BYTES = 16;

/** The children of a track behind its header: its edits and its media. */
interface TrackParts {
  readonly id: number;
  readonly kind: string;
  readonly timescale: number;
  readonly duration: number;
  readonly size: readonly [number, number];
  readonly description: Buffer;
  readonly tables: readonly Buffer[];
  readonly edits?: Buffer;
}

function track({ id, kind, timescale, duration, size, description, tables, edits }: TrackParts): Buffer {
  const header = box(
    'tkhd',
    words(3, 0, 0, id, 0, duration),
    zeros(8),
    shorts(0, 0, 0, 0),
    MATRIX,
    words(...size.map((each) => each << 16)),
  );
  const media = box(
    'mdia',
    box('mdhd', words(0, 0, 0, timescale, duration), shorts(0x55c4, 0)),
    box('hdlr', words(0, 0), Buffer.from(kind), words(0, 0, 0), Buffer.from('\0')),
    box(
      'minf',
      box('dinf', box('dref', words(0, 1), box('url ', words(1)))),
      box('stbl', box('stsd', words(0, 1), description), ...tables),
    ),
  );
  return box('trak', header, ...(edits ? [box('edts', edits)] : []), media);
}

export function isoFilm(wanted: FilmWanted): Buffer {
  const { timescale, deltas, offsets, edits, movieScale = 1000, timecode, width = 64, height = 36 } = wanted;
  const count = deltas.length;
  const duration = deltas.reduce((sum, delta) => sum + delta, 0);
  const ftyp = box('ftyp', Buffer.from('isom\0\0\0\0isomavc1', 'latin1'));
  const frames = Buffer.alloc(count * FRAME_BYTES, 7);
  const code = words(timecode?.frame ?? 0);
  const mdat = box('mdat', frames, code);
  const at = ftyp.length + 8;
  const avcC = box(
    'avcC',
    Buffer.from([1, 66, 0, 30, 0xff, 0xe1, 0, 4, 0x67, 66, 0, 30, 1, 0, 4, 0x68, 0xce, 0x38, 0x80]),
  );
  const avc1 = box(
    'avc1',
    zeros(6),
    shorts(1),
    zeros(16),
    shorts(width, height),
    words(0x480000, 0x480000, 0),
    shorts(1),
    zeros(32),
    shorts(24, 0xffff),
    avcC,
  );
  const tables = [
    box('stts', words(0, count, ...deltas.flatMap((delta) => [1, delta]))),
    ...(offsets ? [box('ctts', words(0, count, ...offsets.flatMap((offset) => [1, offset])))] : []),
    box('stsz', words(0, FRAME_BYTES, count)),
    box('stsc', words(0, 1, 1, count, 1)),
    box('stco', words(0, 1, at)),
  ];
  const list =
    edits &&
    box('elst', words(0, edits.length, ...edits.flatMap(({ from, duration: length }) => [length, from, 0x10000])));
  const film = track({
    ...{ id: 1, kind: 'vide', timescale, duration, size: [width, height], description: avc1, tables },
    ...(list && { edits: list }),
  });
  const tmcd =
    timecode &&
    track({
      ...{ id: 2, kind: 'tmcd', timescale, duration, size: [0, 0] },
      description: box(
        'tmcd',
        zeros(6),
        shorts(1),
        words(0, timecode.isDrop ? 1 : 0, timescale, deltas[0] ?? 1),
        Buffer.from([30, 0]),
      ),
      tables: [
        box('stts', words(0, 1, 1, duration)),
        box('stsz', words(0, 4, 1)),
        box('stsc', words(0, 1, 1, 1, 1)),
        box('stco', words(0, 1, at + frames.length)),
      ],
    });
  const mvhd = box(
    'mvhd',
    words(0, 0, 0, movieScale, Math.round((duration * movieScale) / timescale), 0x10000),
    shorts(0x100, 0),
    zeros(8),
    MATRIX,
    zeros(24),
    words(3),
  );
  return Buffer.concat([ftyp, mdat, box('moov', mvhd, film, ...(tmcd ? [tmcd] : []))]);
}
