import { formats } from '../../contract/formats.ts';
import type { FrameNote } from '../../contract/frame-notes.ts';
import { convertFrames, nearestFrame, type Rate } from '../../contract/rate.ts';
import {
  lengthOn,
  type SoundFile,
  type Timeline,
  type TimelineClip,
  type TimelineMedia,
} from '../../contract/timeline.ts';
import { foldName, numberedName } from '../downloads/publish.ts';
import { safeName } from '../downloads/take-path.ts';

/*
 * A timeline as an editor gets it: files under `media`, and tracks of parts of them. The writers make texts of it and
 * decide nothing. Frames are integers: `start` and `length` of the cut, `in` of the file, from its first frame.
 */

export interface KitFile {
  /** From 1. */
  readonly number: number;
  /** In the folder `media`, with extension: what editors find it by. */
  readonly name: string;
  readonly source: TimelineMedia | SoundFile | { readonly slate: TimelineClip };
  readonly type: 'film' | 'still' | 'sound';
  readonly rate: Rate;
  /** Length of the file, at `rate`; a still has none of its own. */
  readonly frames: number;
  /** Timecode of its first frame. */
  readonly timecode: { readonly frame: number; readonly drop: boolean };
  readonly width: number;
  readonly height: number;
  /** 0: it is silent. */
  readonly channels: number;
  readonly sampleRate: number;
}

export interface KitItem {
  readonly clip: TimelineClip | null;
  readonly file: KitFile;
  readonly start: number;
  readonly length: number;
  /** Frames of the file at its rate; of the cut for stills and sound. */
  readonly in: number;
  readonly out: number;
  readonly enabled: boolean;
  /** dB. */
  readonly gain: number;
  readonly notes: readonly FrameNote[];
  /** Of the take, as a whole. */
  readonly note: string;
}

export interface KitTrack {
  readonly part: 'pictures' | 'sounds';
  readonly items: readonly KitItem[];
}

export interface Kit {
  readonly timeline: Timeline;
  readonly files: readonly KitFile[];
  readonly tracks: readonly KitTrack[];
}

/** Where a kit will be, for the programs that want whole paths. */
export interface KitPlace {
  /** Absolute. */
  readonly folder: string;
  readonly platform: NodeJS.Platform;
}

/** Picks on the first track, alternates above as disabled clips, sound below, music last. `ascii`: of names. Pure. */
export function toKit(timeline: Timeline, { ascii = false } = {}): Kit {
  const files = new KitFiles(timeline, ascii);
  const picks = timeline.clips.map((clip) => pickItem(clip, files, timeline.rate));
  const layers: KitItem[][] = [picks];
  for (const clip of timeline.clips) {
    for (const [index, media] of clip.alternates.entries()) {
      const item = mediaItem(clip, media, files, timeline.rate);
      (layers[index + 1] ??= []).push({ ...item, length: Math.min(item.length, clip.length), enabled: false });
    }
  }
  const music = timeline.music.map(({ media, start, length, in: from, gain }) => ({
    ...{ clip: null, file: files.music(media), start, length, in: from, out: from + length, enabled: true, gain },
    ...{ notes: [], note: '' },
  }));
  const isSeen = ({ file }: KitItem): boolean => file.type !== 'sound';
  const isHeard = ({ file }: KitItem): boolean => file.channels > 0;
  const video = layers.map((items) => ({ part: 'pictures', items: items.filter(isSeen) }) as const);
  const audio = [...layers.map((items) => items.filter(isHeard)), music].map(
    (items) => ({ part: 'sounds', items }) as const,
  );
  const tracks = [...video.slice(0, 1), ...video.slice(1).filter(hasItems), ...audio.filter(hasItems)];
  return { timeline, files: files.all, tracks };
}

const hasItems = ({ items }: KitTrack): boolean => items.length > 0;

const pickItem = (clip: TimelineClip, files: KitFiles, rate: Rate): KitItem =>
  clip.media ? mediaItem(clip, clip.media, files, rate) : slateItem(clip, files);

function slateItem(clip: TimelineClip, files: KitFiles): KitItem {
  const { start, length } = clip;
  const file = files.slate(clip);
  return { clip, file, start, length, in: 0, out: length, enabled: true, gain: 0, notes: [], note: '' };
}

function mediaItem(clip: TimelineClip, media: TimelineMedia, files: KitFiles, rate: Rate): KitItem {
  const { start } = clip;
  const { in: from, out, notes, verdict } = media;
  const file = files.take(clip, media);
  const length = lengthOn(media, rate);
  return { clip, file, start, length, in: from, out, enabled: true, gain: 0, notes, note: verdict.note };
}

/** Stereo in 48 kHz is what a program assumes that cannot be told. */
const SOUND = { channels: 2, sampleRate: 48_000 };

/** The files of a kit, each once, under the number of the clip that it came with. */
class KitFiles {
  readonly #timeline: Timeline;
  readonly #ascii: boolean;
  readonly #digits: number;
  readonly #known = new Map<string, KitFile>();
  readonly #names = new Set<string>();

  constructor(timeline: Timeline, ascii: boolean) {
    this.#timeline = timeline;
    this.#ascii = ascii;
    this.#digits = Math.max(3, String(timeline.clips.length).length);
  }

  get all(): KitFile[] {
    return [...this.#known.values()];
  }

  take(clip: TimelineClip, media: TimelineMedia): KitFile {
    const { takeId, output, take, format, facts, rate, frames } = media;
    const { medium } = formats[format];
    const type = medium === 'moving' ? 'film' : medium === 'still' ? 'still' : 'sound';
    const { width, height } = this.#timeline;
    const channels =
      type === 'sound' ? (facts.channels ?? SOUND.channels) : type === 'film' ? (facts.channels ?? 0) : 0;
    return this.#add(`${takeId}/${output}`, `${this.#stem(clip)}_t${take}${output > 1 ? `_${output}` : ''}`, format, {
      ...{ source: media, type, rate, frames: type === 'still' ? 0 : frames, channels },
      sampleRate: facts.sampleRate ?? SOUND.sampleRate,
      timecode: { frame: type === 'film' ? (facts.timecode?.frame ?? 0) : 0, drop: facts.timecode?.drop ?? false },
      ...{ width: facts.width ?? width, height: facts.height ?? height },
    });
  }

  slate(clip: TimelineClip): KitFile {
    const { rate, width, height } = this.#timeline;
    return this.#add(`slate ${clip.id}`, `${this.#stem(clip)}_slate`, 'png', {
      ...{ source: { slate: clip }, type: 'still', rate, frames: 0, width, height, channels: 0 },
      ...{ sampleRate: SOUND.sampleRate, timecode: { frame: 0, drop: false } },
    });
  }

  music(media: SoundFile): KitFile {
    const { rate, width, height } = this.#timeline;
    const { format, facts, name } = media;
    const id = 'takeId' in media ? `${media.takeId}/${media.output}` : `music ${media.music}`;
    const stem = `music_${name.replace(/\.\w{1,5}$/, '')}`;
    const last = Math.max(
      0,
      ...this.#timeline.music.filter((each) => each.media === media).map((each) => each.in + each.length),
    );
    const frames = facts.seconds === undefined ? last : Math.max(1, nearestFrame(facts.seconds, rate));
    return this.#add(id, stem, format, {
      ...{ source: media, type: 'sound', rate, frames, width, height, timecode: { frame: 0, drop: false } },
      ...{ channels: facts.channels ?? SOUND.channels, sampleRate: facts.sampleRate ?? SOUND.sampleRate },
    });
  }

  #stem(clip: TimelineClip): string {
    const place = this.#timeline.clips.indexOf(clip) + 1;
    return `${String(place).padStart(this.#digits, '0')}_${clip.shot.key}`;
  }

  #add(id: string, stem: string, extension: string, file: Omit<KitFile, 'number' | 'name'>): KitFile {
    const known = this.#known.get(id);
    if (known) return known;
    const safe = safeName(this.#ascii ? toAscii(stem) : stem, 'clip');
    let attempt = 1;
    while (this.#names.has(foldName(numberedName(safe, extension, attempt)))) attempt += 1;
    const name = numberedName(safe, extension, attempt);
    this.#names.add(foldName(name));
    const added = { ...file, number: this.#known.size + 1, name };
    this.#known.set(id, added);
    return added;
  }
}

/** Letters without their accents, and `_` for what ASCII has not, or a path in a program may not have. Pure. */
const toAscii = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\w.-]+/g, '_');

/** Where a note begins on the timeline, frames of the cut; null where the item does not show it. Pure. */
export function noteStart({ file, start, in: from, out }: KitItem, note: FrameNote, rate: Rate): number | null {
  if (note.from < from || note.from >= out) return null;
  return start + convertFrames(note.from - from, file.rate, rate);
}
