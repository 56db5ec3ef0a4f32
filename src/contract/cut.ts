import * as z from 'zod';
import { MediaFacts } from './media-facts.ts';
import { DEFAULT_RATE, isSameRate, Rate } from './rate.ts';
import { MAX_KEY, MAX_NAME } from './units.ts';

/*
 * A cut: the picks of a project in a row, with music. It holds what a person decided, and of what files say of
 * themselves only the facts of music; `layOut` puts both together (see `timeline.ts`). Frames are integers, ranges half-open.
 */

const MAX_CLIPS = 5000;
const MAX_ALTERNATES = 20;
/** In one project. */
export const MAX_CUTS = 100;
const MAX_MUSIC = 50;
const Frame = z.int().min(0).max(100_000_000);
const Name = z.string().min(1).max(MAX_NAME);
const ClipId = z.string().regex(/^[\w-]{1,40}$/);

export const Clip = z.object({
  id: ClipId,
  shot: z.object({ batchId: z.string().max(MAX_KEY), key: z.string().min(1).max(MAX_KEY) }),
  /** Null: a slate takes its place. */
  take: z.string().max(MAX_KEY).nullable(),
  output: z.int().min(1),
  /** Frames of the file; absent: the mark of the take, else where the file begins and ends. */
  in: Frame.optional(),
  out: Frame.min(1).optional(),
  /** Frames of the cut for which a still or a slate is shown. */
  length: Frame.min(1).optional(),
  /** A clip that is switched off keeps its place in the list and takes no time. */
  enabled: z.boolean(),
  /** Other takes of the shot that an editor gets with it. */
  alternates: z.array(z.string().max(MAX_KEY)).max(MAX_ALTERNATES),
});
export type Clip = z.infer<typeof Clip>;

/** A sound file that was copied into the project, by its hash; its facts are those of that content. */
export const CutSound = z.object({
  type: z.literal('file'),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  name: Name,
  facts: MediaFacts.optional(),
});
export type CutSound = z.infer<typeof CutSound>;

/** One after the other, from the beginning of the cut. `in` and `out` in frames of the cut. */
export const Music = z.object({
  id: ClipId,
  source: z.discriminatedUnion('type', [
    z.object({ type: z.literal('take'), take: z.string().max(MAX_KEY), output: z.int().min(1) }),
    CutSound,
  ]),
  in: Frame.optional(),
  out: Frame.min(1).optional(),
  /** dB; 0 leaves it as it is. */
  gain: z.number().min(-60).max(12),
});
export type Music = z.infer<typeof Music>;

export const Cut = z.object({
  name: Name,
  rate: Rate,
  clips: z.array(Clip).max(MAX_CLIPS),
  music: z.array(Music).max(MAX_MUSIC),
});
export type Cut = z.infer<typeof Cut>;

/** A cut as it is stored. `revision` names its content: a change says which one it was made from. */
export const StoredCut = z.object({ cut: Cut, revision: z.string() });
export type StoredCut = z.infer<typeof StoredCut>;

export const CutSummary = z.object({ name: z.string(), clips: z.int(), revision: z.string() });
export type CutSummary = z.infer<typeof CutSummary>;

/** A shot of a list, for a cut that is made of the picks. */
export interface ShotToCut {
  readonly shot: Clip['shot'];
  readonly pick: { readonly take: string; readonly output: number; readonly rate?: Rate | undefined } | null;
  readonly alternates: readonly string[];
}

/** The picks in a row, and a slate for each shot that has none. Its rate is that of most films. Pure. */
export function cutFromPicks(name: string, shots: readonly ShotToCut[]): Cut {
  const rates = shots.flatMap(({ pick }) => pick?.rate ?? []);
  const rate = mostFrequent(rates, isSameRate) ?? DEFAULT_RATE;
  return addClips({ name, rate, clips: [], music: [] }, shots.slice(0, MAX_CLIPS).map(toClip));
}

export const toClip = ({ shot, pick, alternates }: ShotToCut): NewClip => ({
  shot,
  ...{ take: pick?.take ?? null, output: pick?.output ?? 1, enabled: true },
  alternates: alternates.filter((id) => id !== pick?.take).slice(0, MAX_ALTERNATES),
});

/** The first of those that are there most often. Pure. */
export function mostFrequent<Item>(items: readonly Item[], isSame: (one: Item, other: Item) => boolean): Item | null {
  const counts: { readonly item: Item; count: number }[] = [];
  for (const item of items) {
    const known = counts.find((each) => isSame(each.item, item));
    if (known) known.count += 1;
    else counts.push({ item, count: 1 });
  }
  return (
    counts.reduce<(typeof counts)[number] | null>((best, each) => (each.count > (best?.count ?? 0) ? each : best), null)
      ?.item ?? null
  );
}

/*
 * Edits of a cut. Each returns a new one and leaves what it is given; an id that is not there changes nothing.
 */

export type NewClip = Omit<Clip, 'id'>;

/** Puts clips at a place, from 0; without one, at the end. */
export function addClips(cut: Cut, added: readonly NewClip[], at = cut.clips.length): Cut {
  const ids = freeIds(cut.clips);
  const clips = added.map((clip) => ({ ...clip, id: ids() }));
  return { ...cut, clips: cut.clips.toSpliced(at, 0, ...clips) };
}

export const removeClips = (cut: Cut, ids: readonly string[]): Cut => ({
  ...cut,
  clips: cut.clips.filter(({ id }) => !ids.includes(id)),
});

/** `to`: its place among the others, from 0. */
export function moveClip(cut: Cut, id: string, to: number): Cut {
  const clip = cut.clips.find((each) => each.id === id);
  return clip ? { ...cut, clips: removeClips(cut, [id]).clips.toSpliced(Math.max(0, to), 0, clip) } : cut;
}

/** What is absent stays; null takes it out, so that the mark of the take counts again. */
export interface Trim {
  readonly in?: number | null;
  readonly out?: number | null;
  readonly length?: number | null;
}

export const trimClip = (cut: Cut, id: string, trim: Trim): Cut =>
  changeClips(cut, [id], (clip) => trimmed(clip, trim));

function trimmed<Part extends Pick<Clip, 'in' | 'out' | 'length'>>(part: Part, trim: Trim): Part {
  const { in: from, out, length, ...rest } = { ...part, ...trim };
  const kept = Object.entries({ in: from, out, length }).filter(([, value]) => value !== null && value !== undefined);
  return { ...rest, ...Object.fromEntries(kept) } as Part;
}

export const setEnabled = (cut: Cut, ids: readonly string[], enabled: boolean): Cut =>
  changeClips(cut, ids, (clip) => ({ ...clip, enabled }));

/** Shows another take, from its mark; the one before becomes an alternate. Null shows a slate. */
export const chooseTake = (cut: Cut, id: string, take: string | null, output = 1): Cut =>
  changeClips(cut, [id], (clip) => {
    if (clip.take === take && clip.output === output) return clip;
    const others = [clip.take, ...clip.alternates].filter((each) => each !== null && each !== take) as string[];
    const alternates = [...new Set(others)].slice(0, MAX_ALTERNATES);
    return trimmed({ ...clip, take, output, alternates }, { in: null, out: null });
  });

const changeClips = (cut: Cut, ids: readonly string[], change: (clip: Clip) => Clip): Cut => ({
  ...cut,
  clips: cut.clips.map((clip) => (ids.includes(clip.id) ? change(clip) : clip)),
});

/** Shots of `picks`, a cut of all picks, whose pick a cut does not have: they show a slate, or are not in it. Pure. */
export function missingPicks(cut: Cut, picks: Cut): readonly Clip[] {
  const shown = new Set(cut.clips.flatMap(({ shot, take }) => (take === null ? [] : [shotId(shot)])));
  return picks.clips.filter(({ shot, take }) => take !== null && !shown.has(shotId(shot)));
}

/** Puts them in place of their slates, else behind the shot that comes before them in the lists. Pure. */
export function addMissingPicks(cut: Cut, picks: Cut): Cut {
  const order = picks.clips.map(({ shot }) => shotId(shot));
  return missingPicks(cut, picks).reduce((edited, { id: _, ...pick }) => {
    const own = shotId(pick.shot);
    const slate = edited.clips.find(({ shot }) => shotId(shot) === own);
    if (slate) return chooseTake(edited, slate.id, pick.take, pick.output);
    const before = new Set(order.slice(0, order.indexOf(own)));
    return addClips(edited, [pick], edited.clips.findLastIndex(({ shot }) => before.has(shotId(shot))) + 1);
  }, cut);
}

const shotId = ({ batchId, key }: Clip['shot']): string => `${batchId}\0${key}`;

/** Adds music behind what is there. */
export const addMusic = (cut: Cut, music: Omit<Music, 'id'>): Cut => ({
  ...cut,
  music: [...cut.music, { ...music, id: freeIds(cut.music)() }],
});

export const withMusic = (cut: Cut, music: readonly Music[]): Cut => ({ ...cut, music: [...music] });

/** Ids after all numbers that are there. */
function freeIds(items: readonly { readonly id: string }[]): () => string {
  let last = items.reduce((most, { id }) => Math.max(most, /^\d{1,9}$/.test(id) ? Number(id) : 0), 0);
  return () => String((last += 1));
}
