import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { ALL_FORMATS, CustomSource, EncodedPacketSink, Input, type InputTrack, type InputVideoTrack } from 'mediabunny';
import type { MediaFacts } from '../../contract/media-facts.ts';
import { parseTimecode } from '../../contract/rate.ts';
import {
  type IsoMovie,
  type IsoTrack,
  isShown,
  playedSeconds,
  readIsoMovie,
} from '../downloads/containers/iso-edits.ts';
import { ByteSource } from '../downloads/containers/source.ts';
import { timingOf } from './film-timing.ts';

export interface FactsRequest {
  readonly path: string;
  /** Device and number of the file that is meant: another one may have its name by now. */
  readonly identity: string;
  readonly isIso: boolean;
}

/** Runs in a process of its own: see `reader-process.ts`. Rejects for what cannot be read. */
export async function readFacts({ path, identity, isIso }: FactsRequest): Promise<MediaFacts> {
  // Neither waits for a pipe.
  await using handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const { dev, ino, size } = await handle.stat({ bigint: true });
  if (`${dev}:${ino}` !== identity) throw new Error('The file was replaced.');
  using input = new Input({ formats: ALL_FORMATS, source: sourceOf(handle, Number(size)) });
  const movie = isIso ? await readIsoMovie(new ByteSource({ handle, bytes: Number(size) })) : null;
  const [video, sound] = [await input.getPrimaryVideoTrack(), await input.getPrimaryAudioTrack()];
  const lengths = await Promise.all([video, sound].map((track) => track && lengthOf(track, movie)));
  const film: FilmFacts = video ? await framesOf(video, movie?.tracks.get(video.id)).catch(() => ({})) : {};
  const timecode = movie ? movie.timecode : await taggedTimecode(input, film).catch(() => null);
  return {
    seconds: Math.max(0, ...lengths.map((length) => length ?? 0)),
    ...(video && { width: await video.getDisplayWidth(), height: await video.getDisplayHeight() }),
    ...film,
    ...(video && timecode && { timecode }),
    ...(sound && { channels: await sound.getNumberOfChannels(), sampleRate: await sound.getSampleRate() }),
  };
}

const sourceOf = (handle: FileHandle, size: number): CustomSource =>
  new CustomSource({
    getSize: () => size,
    async read(start, end) {
      const bytes = new Uint8Array(end - start);
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, start);
      return bytes.subarray(0, bytesRead);
    },
    prefetchProfile: 'fileSystem',
  });

async function lengthOf(track: InputTrack, movie: IsoMovie | null): Promise<number> {
  const own = movie?.tracks.get(track.id);
  return Math.min(await track.computeDuration(), own ? playedSeconds(own) : Number.POSITIVE_INFINITY);
}

/** Times are rounded to the container's unit, s. */
const ROUNDED = 0.0005;

type FilmFacts = Pick<MediaFacts, 'rate' | 'frames' | 'isVariable'>;

async function framesOf(video: InputVideoTrack, own: IsoTrack | undefined): Promise<FilmFacts> {
  const resolution = await video.getTimeResolution();
  // What the library took off for the first edit.
  const offset = firstShown(own);
  const ticks: number[] = [];
  const packets = new EncodedPacketSink(video).packets(undefined, undefined, { metadataOnly: true });
  for await (const { timestamp } of packets) {
    const tick = Math.round(timestamp * resolution);
    if (own && own.edits.length > 0 ? isShown(own, tick + offset) : timestamp >= -ROUNDED) ticks.push(tick);
  }
  ticks.sort((one, other) => one - other);
  return { frames: ticks.length, ...timingOf(ticks, resolution) };
}

function firstShown(own: IsoTrack | undefined): number {
  let pause = 0;
  for (const { from, ticks } of own?.edits ?? []) {
    if (from !== null) return from - pause;
    pause += ticks;
  }
  return 0;
}

/** As Matroska writes it. */
async function taggedTimecode(input: Input, { rate }: FilmFacts): Promise<MediaFacts['timecode'] | null> {
  const { raw = {} } = await input.getMetadataTags();
  const text = raw['TIMECODE'] ?? raw['timecode'];
  const found = typeof text === 'string' && rate ? parseTimecode(text.trim(), rate) : null;
  return found && { frame: found.frame, ...(found.isDrop && { drop: true as const }) };
}
