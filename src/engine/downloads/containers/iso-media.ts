import { messageFor } from '../../../contract/messages/message.ts';
import { ascii, ContainerProblem, cutOff, type ByteSource } from './source.ts';

export interface Box {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/**
 * MP4 and M4A (ISO 14496-12): boxes that follow each other exactly to the end of the file, with `ftyp` before the
 * media, a `moov` with tracks, media data, and every chunk offset inside the file. Returns the kinds of its tracks
 * (`vide`, `soun`, …). What no reader could see: a fragmented file cut exactly between fragments, a last `mdat`
 * that says "to the end". The length check of the download covers those.
 */
export async function checkIsoMedia(source: ByteSource): Promise<Set<string>> {
  const tracks = new Set<string>();
  let type = false;
  let movie = false;
  let media = false;
  for await (const box of boxes(source, 0, source.size)) {
    if (box.type === 'ftyp') type = true;
    if (box.type === 'mdat' && box.end > box.start) media = true;
    if (box.type === 'moov') {
      movie = true;
      for await (const track of boxes(source, box.start, box.end))
        if (track.type === 'trak') await readTrack(source, track, tracks);
    }
    if ((movie || media) && !type)
      throw new ContainerProblem(messageFor('failure.fileNotStarted', { format: 'MP4 (ftyp)' }));
  }
  if (!movie) throw new ContainerProblem(messageFor('failure.filePartMissing', { part: 'moov' }));
  if (!media) throw new ContainerProblem(messageFor('failure.filePartMissing', { part: 'mdat' }));
  if (tracks.size === 0) throw new ContainerProblem(messageFor('failure.fileNoTracks'));
  return tracks;
}

export async function* boxes(source: ByteSource, from: number, to: number): AsyncGenerator<Box> {
  for (let position = from; position < to;) {
    source.step();
    const box = await readBox(source, position, to);
    yield box;
    position = box.end;
  }
}

async function readBox(source: ByteSource, position: number, to: number): Promise<Box> {
  const head = await source.bytes(position, 8);
  const type = ascii(head, 4, 8);
  if (!/^[\x20-\x7e\xa9]{4}$/.test(type)) throw damaged('MP4 box type');
  const size = head.readUInt32BE(0);
  if (size === 0) return { type, start: position + 8, end: to };
  const large = size === 1;
  const length = large ? Number((await source.bytes(position + 8, 8)).readBigUInt64BE(0)) : size;
  const headLength = large ? 16 : 8;
  if (length < headLength) throw damaged('MP4 box size');
  if (position + length > to) {
    if (to === source.size) throw cutOff();
    throw damaged('MP4 box size');
  }
  return { type, start: position + headLength, end: position + length };
}

async function readTrack(source: ByteSource, track: Box, tracks: Set<string>): Promise<void> {
  const media = await childOf(source, track, 'mdia');
  if (media === null) return;
  const handler = await childOf(source, media, 'hdlr');
  if (handler !== null) tracks.add(ascii(await source.bytes(handler.start + 8, 4)));
  const information = await childOf(source, media, 'minf');
  const table = information === null ? null : await childOf(source, information, 'stbl');
  if (table === null) return;
  for (const [name, width] of [
    ['stco', 4],
    ['co64', 8],
  ] as const) {
    for await (const entry of entriesFor(source, await childOf(source, table, name), width)) {
      const offset = width === 4 ? entry.readUInt32BE(0) : Number(entry.readBigUInt64BE(0));
      if (offset >= source.size) throw cutOff();
    }
  }
  // A reader that believes a count makes as many objects. No sample is shorter than a byte.
  const requireSamples = (count: number): void => {
    if (count > source.size) throw damaged('MP4 samples');
  };
  const sizes = await childOf(source, table, 'stsz');
  if (sizes !== null) requireSamples((await source.bytes(sizes.start + 8, 4)).readUInt32BE(0));
  for await (const entry of entriesFor(source, await childOf(source, table, 'stts'), 8))
    requireSamples(entry.readUInt32BE(0));
  for await (const entry of entriesFor(source, await childOf(source, table, 'stsc'), 12))
    requireSamples(entry.readUInt32BE(4));
}

export async function childOf(source: ByteSource, parent: Box, type: string): Promise<Box | null> {
  for await (const box of boxes(source, parent.start, parent.end)) if (box.type === type) return box;
  return null;
}

/** The entries of a table: behind version and flags, their count, then each of `width` bytes. */
export async function* entriesFor(source: ByteSource, box: Box | null, width: number): AsyncGenerator<Buffer> {
  if (box === null) return;
  const count = (await source.bytes(box.start + 4, 4)).readUInt32BE(0);
  const first = box.start + 8;
  if (first + count * width > box.end) throw damaged(`MP4 ${box.type}`);
  for (let index = 0; index < count; index += 1) {
    source.step();
    yield await source.bytes(first + index * width, width);
  }
}

const damaged = (where: string): ContainerProblem => new ContainerProblem(messageFor('failure.fileDamaged', { where }));
