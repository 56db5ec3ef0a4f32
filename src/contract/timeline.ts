import * as z from 'zod';
import { mostFrequent, type Clip, type Cut, type Music } from './cut.ts';
import { formats, OutputFormat } from './formats.ts';
import { FrameNote } from './frame-notes.ts';
import { MediaFacts } from './media-facts.ts';
import { convertFrames, nearestFrame, Rate } from './rate.ts';
import { Verdict } from './verdict.ts';

/**
 * A cut laid out in time, for the player, the writers of a kit and the reel: where each clip begins, and which part of
 * which file it shows. `start` and `length` are frames of the cut.
 */
const count = z.int().min(0);

const SourceFile = z.object({
  /** File name with extension: what editors find it by. */
  name: z.string(),
  sha256: z.string(),
  bytes: z.number(),
  format: OutputFormat,
  facts: MediaFacts,
});

const SoundFile = z.union([
  SourceFile.extend({ takeId: z.string(), output: z.int() }),
  /** Hash of a file that was copied into the project. */
  SourceFile.extend({ music: z.string() }),
]);
export type SoundFile = Readonly<z.infer<typeof SoundFile>>;

const TimelineMedia = SourceFile.extend({
  takeId: z.string(),
  /** Its number among the takes of the shot. */
  take: z.int(),
  output: z.int(),
  /** Of the file; of the cut for stills and sound. */
  rate: Rate,
  /** Frames of the file, at `rate`: all of them, and the part that is shown. A still has as many as it is shown for. */
  frames: count,
  in: count,
  out: count,
  verdict: Verdict.pick({ rating: true, flag: true, note: true }),
  notes: z.array(FrameNote),
});
export type TimelineMedia = Readonly<z.infer<typeof TimelineMedia>>;

const TimelineClip = z.object({
  id: z.string(),
  start: count,
  length: count,
  shot: z.object({ batchId: z.string(), batch: z.string(), key: z.string(), text: z.string() }),
  /** Null: a slate. */
  media: TimelineMedia.nullable(),
  alternates: z.array(TimelineMedia),
});
export type TimelineClip = Readonly<z.infer<typeof TimelineClip>>;

const TimelineMusic = z.object({
  id: z.string(),
  start: count,
  length: count,
  /** Where in the sound it begins, frames of the cut. */
  in: count,
  gain: z.number(),
  media: SoundFile,
});
export type TimelineMusic = Readonly<z.infer<typeof TimelineMusic>>;

export const Timeline = z.object({
  name: z.string(),
  rate: Rate,
  width: z.int(),
  height: z.int(),
  length: count,
  clips: z.array(TimelineClip),
  music: z.array(TimelineMusic),
});
export type Timeline = Readonly<z.infer<typeof Timeline>>;

/** A file as a cut is laid out with it. */
export interface CutFile extends Omit<z.infer<typeof SourceFile>, 'facts'> {
  readonly output: number;
  readonly facts?: MediaFacts | undefined;
}

export interface CutTake {
  readonly takeId: string;
  readonly take: number;
  readonly verdict: Verdict;
  /** Those that are there. */
  readonly files: readonly CutFile[];
}

/** What a cut names, as far as it is there. */
export interface CutLookup {
  readonly take: (takeId: string) => CutTake | null;
  readonly shot: (shot: Clip['shot']) => { readonly batch: string; readonly text: string } | null;
  readonly music: (sha256: string) => Pick<CutFile, 'bytes' | 'format'> | null;
}

/** How long a slate, a still or a file of unknown length is shown, s. */
const SHOWN_SECONDS = 2;
const DEFAULT_SIZE = { width: 1920, height: 1080 };

/** Where each clip of a cut begins, and which part of which file it shows. See `Timeline`. Pure. */
export function layOut(cut: Cut, lookup: CutLookup): Timeline {
  const { name, rate } = cut;
  const clips: TimelineClip[] = [];
  let start = 0;
  for (const clip of cut.clips.filter(({ enabled }) => enabled)) {
    const laid = { ...layClip(clip, rate, lookup), start };
    clips.push(laid);
    start += laid.length;
  }
  const music = layMusic(cut, start, lookup);
  const length = Math.max(start, ...music.slice(-1).map((each) => each.start + each.length));
  return { name, rate, ...sizeOf(clips), length, clips, music };
}

function layClip(clip: Clip, rate: Rate, lookup: CutLookup): Omit<TimelineClip, 'start'> {
  const { id, shot, output } = clip;
  const take = clip.take === null ? null : lookup.take(clip.take);
  const file = take?.files.find((each) => each.output === output && isVisible(each));
  const media = take && file ? toMedia(take, file, rangeOf(file, take, clip, rate)) : null;
  const length = media ? lengthOn(media, rate) : (clip.length ?? nearestFrame(SHOWN_SECONDS, rate));
  const alternates = clip.alternates.flatMap((takeId) => {
    const other = lookup.take(takeId);
    const found =
      other?.files.find((each) => each.output === output && isVisible(each)) ?? other?.files.find(isVisible);
    return other && found
      ? [toMedia(other, found, within(length, rate, rangeOf(found, other, { length }, rate), found))]
      : [];
  });
  return { id, length, shot: { batch: '', text: '', ...lookup.shot(shot), ...shot }, media, alternates };
}

/** It has a picture or a sound. */
const isVisible = ({ format }: CutFile): boolean => ['moving', 'still', 'sound'].includes(formats[format].medium ?? '');

/** How long a file is seen, whole frames of the cut: at least one. More than it has would be black. Pure. */
export function lengthOn(media: Pick<TimelineMedia, 'in' | 'out' | 'rate'>, { num, den }: Rate): number {
  const { in: from, out, rate } = media;
  return Math.max(1, Math.floor(((out - from) * rate.den * num) / (rate.num * den)));
}

type Range = Pick<TimelineMedia, 'rate' | 'frames' | 'in' | 'out'>;

/** A mark counts where the clip has none of its own; a film of a varying rate is shown as a whole. */
function rangeOf(file: CutFile, take: CutTake, clip: Pick<Clip, 'in' | 'out' | 'length'>, rate: Rate): Range {
  const { facts = {} } = file;
  const unknown = nearestFrame(facts.seconds ?? SHOWN_SECONDS, rate);
  switch (formats[file.format].medium) {
    case 'moving': {
      const own = facts.rate ?? rate;
      const frames = Math.max(1, facts.frames ?? nearestFrame(facts.seconds ?? SHOWN_SECONDS, own));
      if (facts.isVariable) return { rate: own, frames, in: 0, out: frames };
      const mark = take.verdict.marks?.find(({ output }) => output === file.output);
      return { rate: own, ...part(frames, clip.in ?? mark?.in, clip.out ?? mark?.out) };
    }
    case 'sound':
      return { rate, ...part(Math.max(1, unknown), clip.in, clip.out) };
    default:
      return { rate, ...part(Math.max(1, clip.length ?? nearestFrame(SHOWN_SECONDS, rate))) };
  }
}

/** An end that is not behind the beginning does not count. */
function part(frames: number, from = 0, to = frames): Omit<Range, 'rate'> {
  const begin = Math.min(from, frames - 1);
  return { frames, in: begin, out: to > begin ? Math.min(to, frames) : frames };
}

/** An alternate from its mark on, for as long as the clip it lies over; from earlier where it would end too soon. */
function within(length: number, rate: Rate, range: Range, { facts }: CutFile): Range {
  const wanted = Math.max(1, convertFrames(length, rate, range.rate));
  const out = Math.min(range.frames, range.in + wanted);
  return { ...range, out, in: facts?.isVariable ? 0 : Math.max(0, out - wanted) };
}

function toMedia({ takeId, take, verdict }: CutTake, file: CutFile, range: Range): TimelineMedia {
  const { rating, flag, note, notes = [] } = verdict;
  return {
    ...{ takeId, take, ...file, facts: file.facts ?? {}, ...range, verdict: { rating, flag, note } },
    notes: notes.filter(({ output }) => output === file.output),
  };
}

/** One after the other. Without an end of its own, music ends where the pictures do. */
function layMusic({ music, rate }: Cut, pictures: number, lookup: CutLookup): TimelineMusic[] {
  let start = 0;
  return music.flatMap((each) => {
    const media = soundOf(each, lookup);
    if (!media) return [];
    const { in: from = 0, gain, id } = each;
    const has = media.facts.seconds === undefined ? Infinity : Math.max(1, nearestFrame(media.facts.seconds, rate));
    const begin = Math.min(from, has === Infinity ? from : has - 1);
    const fits = pictures > start ? begin + pictures - start : Infinity;
    const end = Math.min(has, each.out !== undefined && each.out > begin ? each.out : fits);
    const length = end === Infinity ? nearestFrame(SHOWN_SECONDS, rate) : end - begin;
    const laid = { id, start, length, in: begin, gain, media };
    start += length;
    return [laid];
  });
}

function soundOf({ source }: Music, lookup: CutLookup): SoundFile | null {
  if (source.type === 'file') {
    const file = lookup.music(source.sha256);
    const { sha256, name, facts = {} } = source;
    return file && { ...file, facts, sha256, name, music: sha256 };
  }
  const take = lookup.take(source.take);
  const file = take?.files.find(({ output }) => output === source.output);
  return take && file ? { ...file, facts: file.facts ?? {}, takeId: take.takeId } : null;
}

/** Of most films; without films, of most stills. */
function sizeOf(clips: readonly TimelineClip[]): { readonly width: number; readonly height: number } {
  const sizes = (medium: 'moving' | 'still') =>
    clips.flatMap(({ media }) => {
      const { width, height } = media?.facts ?? {};
      const isOne = media && formats[media.format].medium === medium;
      return isOne && width !== undefined && height !== undefined ? [{ width, height }] : [];
    });
  const most = (all: readonly (typeof DEFAULT_SIZE)[]) =>
    mostFrequent(all, (one, other) => one.width === other.width && one.height === other.height);
  return most(sizes('moving')) ?? most(sizes('still')) ?? DEFAULT_SIZE;
}
