import { ascii, type ByteSource } from './source.ts';
import { type Box, boxes, childOf, entriesFor } from './iso-media.ts';

/** A part of a track that plays, or a pause before one. Null: a pause. `ticks` of the track's own clock. */
interface Edit {
  readonly from: number | null;
  readonly ticks: number;
}

export interface IsoTrack {
  /** `vide`, `soun`, `tmcd`, … */
  readonly kind: string;
  /** Ticks a second. */
  readonly timescale: number;
  /** Empty where all of it plays. */
  readonly edits: readonly Edit[];
}

export interface IsoMovie {
  readonly tracks: ReadonlyMap<number, IsoTrack>;
  /** Of the first frame, counted in frames. */
  readonly timecode: { readonly frame: number; readonly drop?: true } | null;
}

/** What the boxes of a film say about its time, for a file that `checkIsoMedia` found whole. */
export async function readIsoMovie(source: ByteSource): Promise<IsoMovie> {
  const tracks = new Map<number, IsoTrack>();
  let timecode: IsoMovie['timecode'] = null;
  const movie = await childOf(source, { type: '', start: 0, end: source.size }, 'moov');
  if (movie === null) return { tracks, timecode };
  const movieScale = await clockOf(source, await childOf(source, movie, 'mvhd'));
  for await (const track of boxes(source, movie.start, movie.end)) {
    if (track.type !== 'trak') continue;
    const [header, media] = [await childOf(source, track, 'tkhd'), await childOf(source, track, 'mdia')];
    const handler = media && (await childOf(source, media, 'hdlr'));
    if (header === null || media === null || handler === null) continue;
    const kind = ascii(await source.bytes(handler.start + 8, 4));
    const timescale = await clockOf(source, await childOf(source, media, 'mdhd'));
    const edits = await editsOf(source, track, timescale / movieScale);
    tracks.set(await numberBehindDates(source, header), { kind, timescale, edits });
    if (kind === 'tmcd') timecode ??= await firstTimecode(source, media);
  }
  return { tracks, timecode };
}

/** Frames whose time is in a part that plays. `times`: ticks of the media. Pure. */
export const isShown = ({ edits }: IsoTrack, time: number): boolean =>
  edits.length === 0 || edits.some(({ from, ticks }) => from !== null && time >= from && time < from + ticks);

/** How long a track plays, s; infinite where its edits do not say. Pure. */
export const playedSeconds = ({ edits, timescale }: IsoTrack): number =>
  edits.length === 0 ? Number.POSITIVE_INFINITY : edits.reduce((sum, { ticks }) => sum + ticks, 0) / timescale;

async function clockOf(source: ByteSource, box: Box | null): Promise<number> {
  return Math.max(1, box === null ? 1 : await numberBehindDates(source, box));
}

/** The number that follows when it was made and changed: a track's id, or the ticks a second of a clock. */
async function numberBehindDates(source: ByteSource, box: Box): Promise<number> {
  const isLong = (await source.bytes(box.start, 1))[0] === 1;
  return (await source.bytes(box.start + (isLong ? 20 : 12), 4)).readUInt32BE(0);
}

async function editsOf(source: ByteSource, track: Box, scale: number): Promise<Edit[]> {
  const container = await childOf(source, track, 'edts');
  const list = container && (await childOf(source, container, 'elst'));
  if (!list) return [];
  const isLong = (await source.bytes(list.start, 1))[0] === 1;
  const edits: Edit[] = [];
  for await (const entry of entriesFor(source, list, isLong ? 20 : 12)) {
    const duration = isLong ? Number(entry.readBigUInt64BE(0)) : entry.readUInt32BE(0);
    const from = isLong ? Number(entry.readBigInt64BE(8)) : entry.readInt32BE(4);
    if (edits.length >= MAX_EDITS) break;
    // Zero: to the end, as the writer of a stream has it.
    const ticks = duration === 0 ? Number.POSITIVE_INFINITY : Math.round(duration * scale);
    edits.push({ from: from === -1 ? null : from, ticks });
  }
  return edits;
}

/** Each is compared with each frame. */
const MAX_EDITS = 20;
const DROP = 1;

async function firstTimecode(source: ByteSource, media: Box): Promise<IsoMovie['timecode']> {
  const information = await childOf(source, media, 'minf');
  const table = information && (await childOf(source, information, 'stbl'));
  const description = table && (await childOf(source, table, 'stsd'));
  if (!table || !description || description.end - description.start < 32) return null;
  // Behind version and count: size, type, reserved, reference, reserved, then the flags.
  const flags = (await source.bytes(description.start + 28, 4)).readUInt32BE(0);
  for (const [name, width] of [
    ['stco', 4],
    ['co64', 8],
  ] as const) {
    for await (const entry of entriesFor(source, await childOf(source, table, name), width)) {
      const at = width === 4 ? entry.readUInt32BE(0) : Number(entry.readBigUInt64BE(0));
      const frame = (await source.bytes(at, 4)).readInt32BE(0);
      return frame < 0 ? null : { frame, ...((flags & DROP) !== 0 && { drop: true as const }) };
    }
  }
  return null;
}
