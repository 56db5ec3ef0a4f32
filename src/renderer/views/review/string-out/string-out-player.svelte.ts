import { untrack } from 'svelte';
import { SvelteSet } from 'svelte/reactivity';
import { DEFAULT_RATE, perSecond, toSeconds } from '../../../../contract/rate.ts';
import type { Timeline, TimelineClip } from '../../../../contract/timeline.ts';
import { mediaUrl } from '../../../lib/client.ts';
import { nextShuttle, SoundLevel, type Playback } from '../player/transport.svelte.ts';
import { frameAt } from '../player/timecode.ts';
import { preferences } from '../preferences.svelte.ts';
import { Deck } from './deck.ts';
import { MusicPlayer } from './music-player.ts';
import { clipIndexAt, endOfClips, isPlayed, mediumOf, musicAt, offsetAt, sourceTime } from './string-out-clock.ts';

/** A file that shows nothing for this long while it should play is passed over, s. */
const STALLED = 5;
/** Longest step of the clock where there is no film: a window that was hidden does not jump, s. */
const LONGEST_STEP = 0.25;

const sourceOf = ({ media }: TimelineClip): string => (media ? mediaUrl(media.takeId, media.output) : '');
const keyOf = (clip: TimelineClip): string => `${clip.id} ${sourceOf(clip)}`;

/**
 * Plays a timeline on two players in turn. While one plays, the other has the next clip at its first frame, and comes to
 * the front when that is due. A film leads the clock while it plays; stills and slates follow the time of day.
 */
export class StringOutPlayer implements Playback {
  readonly sound = new SoundLevel(
    () => this.#decks.map(({ element }) => element),
    () => true,
  );
  readonly #music: MusicPlayer;
  #decks: readonly Deck[] = [];
  readonly #broken = new SvelteSet<string>();
  timeline = $state.raw<Timeline | null>(null);
  /** Of the cut, from 0. */
  frame = $state(0);
  /** 0 while paused, negative backwards; J and L make it larger than 1. */
  direction = $state(0);
  #speed = $state(1);
  /** The element that is seen and heard. */
  front = $state.raw<HTMLVideoElement | null>(null);
  /** Its place between two frames, where no film leads. */
  #exact = 0;
  #waited = 0;
  #ticking = 0;
  #tickedAt = 0;
  #nextStill: HTMLImageElement | null = null;
  readonly isFilm = true;
  readonly inPoint = null;
  readonly outPoint = null;

  readonly rate = $derived(this.timeline?.rate ?? DEFAULT_RATE);
  readonly #end = $derived(this.timeline ? endOfClips(this.timeline) : 0);
  readonly lastFrame = $derived(Math.max(0, this.#end - 1));
  readonly duration = $derived(toSeconds(this.#end, this.rate));
  readonly time = $derived(toSeconds(this.frame, this.rate));
  readonly index = $derived(this.timeline ? clipIndexAt(this.timeline, this.frame) : -1);
  readonly clip = $derived(this.timeline?.clips[this.index] ?? null);
  /** What is shown of the clip; its slate where it has no file that can be shown. */
  readonly medium = $derived.by((): 'moving' | 'still' | 'sound' | 'slate' => {
    const medium = this.clip && !this.isBroken(this.clip) ? mediumOf(this.clip) : null;
    return medium === 'moving' || medium === 'still' || medium === 'sound' ? medium : 'slate';
  });

  constructor(projectId: string) {
    this.#music = new MusicPlayer(projectId);
  }

  get playing(): boolean {
    return this.direction !== 0;
  }

  get speed(): number {
    return this.#speed;
  }

  set speed(speed: number) {
    this.#speed = Math.max(0.1, Math.min(4, speed));
  }

  get loop(): boolean {
    return preferences.loop.current;
  }

  set loop(loop: boolean) {
    preferences.loop.current = loop;
  }

  isBroken(clip: TimelineClip): boolean {
    return this.#broken.has(sourceOf(clip));
  }

  markBroken(clip: TimelineClip): void {
    this.#broken.add(sourceOf(clip));
  }

  /** For `{@attach}`: one of the two players. */
  readonly deck = (element: HTMLVideoElement): (() => void) => {
    const deck = new Deck(element, { settled: () => this.#settle(), failed: (each) => this.#onFailed(each) });
    this.#decks = [...this.#decks, deck];
    // Untracked: an attachment must not run again because the frame has changed.
    if (this.#decks.length === 2) untrack(() => this.#place());
    return () => {
      this.#decks = this.#decks.filter((each) => each !== deck);
      deck.end();
    };
  };

  /** Shows another timeline, as one that was edited, at the same place of the same clip, or at a place of another. */
  show(timeline: Timeline, at?: { readonly clipId: string; readonly offset: number }): void {
    const before = this.clip;
    const place = at ?? (before && { clipId: before.id, offset: this.frame - before.start });
    this.timeline = timeline;
    const clip = timeline.clips.find(({ id }) => id === place?.clipId);
    const frame = clip && place ? clip.start + Math.min(place.offset, clip.length - 1) : this.frame;
    this.#goTo(Math.max(0, Math.min(frame, this.lastFrame)));
  }

  play(direction = 1): void {
    if (!this.clip) return;
    if (direction > 0 && this.frame >= this.lastFrame) this.#goTo(0);
    this.direction = direction;
    this.#waited = 0;
    this.#exact = this.frame;
    if (direction < 0) this.#silence();
    cancelAnimationFrame(this.#ticking);
    this.#tickedAt = performance.now();
    this.#ticking = requestAnimationFrame(this.#tick);
  }

  pause(): void {
    const { clip } = this;
    const deck = clip && this.direction > 0 ? this.#deckWith(clip) : undefined;
    this.direction = 0;
    cancelAnimationFrame(this.#ticking);
    this.#silence();
    // The frame that is seen, which may be one further than the last tick knew.
    if (clip && deck?.isReady) {
      const offset = Math.min(offsetAt(clip, deck.element.currentTime, this.rate), clip.length - 1);
      this.frame = Math.max(this.frame, clip.start + offset);
    }
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  shuttle(way: 1 | -1): void {
    this.play(nextShuttle(this.direction, way));
  }

  seek(time: number): void {
    this.seekFrame(frameAt(time, this.rate));
  }

  seekFrame(frame: number): void {
    this.#goTo(Math.max(0, Math.min(frame, this.lastFrame)));
  }

  step(by: number): void {
    this.pause();
    this.seekFrame(this.frame + by);
  }

  end(): void {
    this.pause();
    this.#music.end();
  }

  #goTo(frame: number): void {
    this.frame = frame;
    this.#exact = frame;
    this.#waited = 0;
    this.#place();
  }

  /** Cues the clip of this frame; it is seen once its picture is there. */
  #place(): void {
    const { clip } = this;
    const [back = null] = this.#decks.filter(({ element }) => element !== this.front);
    if (!clip || !back) return;
    if (!this.#plays(clip)) {
      for (const { element } of this.#decks) element.pause();
      this.#prepare();
      return;
    }
    const deck = this.#deckWith(clip) ?? back;
    const time = sourceTime(clip, this.frame - clip.start, this.rate);
    // A film that plays is not stopped because it is a frame ahead.
    deck.cue(keyOf(clip), sourceOf(clip), time, deck.element.paused ? undefined : toSeconds(2, this.rate));
    this.#settle();
  }

  /** Brings the clip of this frame to the front, if it is ready. */
  #settle(): void {
    const { clip } = this;
    const deck = clip && this.#plays(clip) ? this.#deckWith(clip) : undefined;
    if (!deck?.isReady) return;
    this.#waited = 0;
    if (this.front !== deck.element) {
      this.front?.pause();
      this.front = deck.element;
    }
    this.sound.apply();
    if (this.direction > 0) this.#run(deck);
    this.#prepare();
  }

  #run({ element }: Deck): void {
    element.playbackRate = Math.min(16, this.direction * this.#speed);
    if (element.paused && !element.ended) void element.play().catch(() => undefined);
  }

  /** Has the player behind show the first frame of what comes next. */
  #prepare(): void {
    const { clips } = this.timeline ?? { clips: [] };
    const way = this.direction < 0 ? -1 : 1;
    const following = clips[(this.index + way + clips.length) % clips.length];
    if (following && mediumOf(following) === 'still') {
      this.#nextStill ??= new Image();
      this.#nextStill.src = sourceOf(following);
    }
    const others = way < 0 ? clips.slice(0, Math.max(0, this.index)).toReversed() : clips.slice(this.index + 1);
    const next = [...others.slice(0, 8), ...(way > 0 ? clips.slice(0, 1) : [])].find((clip) => this.#plays(clip));
    const back = this.#decks.find(({ element }) => element !== this.front);
    if (!next || !back || next === this.clip || (this.clip && back.key === keyOf(this.clip))) return;
    if (this.#deckWith(next) && this.#deckWith(next) !== back) return;
    const offset = way > 0 ? 0 : next.length - 1;
    back.element.pause();
    back.cue(keyOf(next), sourceOf(next), sourceTime(next, offset, this.rate));
  }

  readonly #tick = (now: number): void => {
    const passed = Math.min((now - this.#tickedAt) / 1000, LONGEST_STEP);
    this.#tickedAt = now;
    const { clip } = this;
    if (this.direction === 0 || !clip) return;
    this.#ticking = requestAnimationFrame(this.#tick);
    if (this.direction > 0 && this.#plays(clip)) this.#follow(clip, passed);
    else this.#walk(clip, passed);
    this.#followMusic();
  };

  #follow(clip: TimelineClip, passed: number): void {
    const deck = this.#deckWith(clip);
    if (!deck?.isReady) {
      this.#waited += passed;
      if (this.#waited > STALLED) this.markBroken(clip);
      return;
    }
    this.#run(deck);
    const { element } = deck;
    const offset = offsetAt(clip, element.currentTime, this.rate);
    if (element.ended || offset >= clip.length) this.#cross(clip.start + clip.length);
    else {
      this.frame = Math.max(this.frame, clip.start + offset);
      this.#exact = this.frame;
    }
  }

  /** Where nothing leads, and backwards, which browsers cannot play. */
  #walk(clip: TimelineClip, passed: number): void {
    this.#exact += this.direction * this.#speed * passed * perSecond(this.rate);
    const frame = Math.floor(this.#exact);
    if (frame < 0) this.#cross(frame);
    else if (frame >= clip.start + clip.length) this.#cross(clip.start + clip.length);
    else if (frame !== this.frame) {
      this.frame = frame;
      if (this.direction < 0) this.#place();
    }
  }

  #cross(frame: number): void {
    const isInside = frame >= 0 && frame < this.#end;
    if (isInside) this.#goTo(frame);
    else if (this.loop) this.#goTo(frame < 0 ? this.lastFrame : 0);
    else {
      this.pause();
      this.#goTo(frame < 0 ? 0 : this.lastFrame);
    }
  }

  #followMusic(): void {
    const found = this.timeline && musicAt(this.timeline, this.frame);
    if (!found || this.direction <= 0) return this.#music.pause();
    const { muted, volume } = this.sound;
    this.#music.play(found, { speed: this.direction * this.#speed, volume: muted ? 0 : volume });
  }

  #silence(): void {
    for (const { element } of this.#decks) element.pause();
    this.#music.pause();
  }

  #onFailed(deck: Deck): void {
    const failed = this.timeline?.clips.find((clip) => keyOf(clip) === deck.key);
    deck.empty();
    if (!failed) return;
    this.markBroken(failed);
    this.#exact = this.frame;
    this.#place();
  }

  #plays(clip: TimelineClip): boolean {
    return isPlayed(clip) && !this.isBroken(clip);
  }

  #deckWith(clip: TimelineClip): Deck | undefined {
    return this.#decks.find(({ key }) => key === keyOf(clip));
  }
}
