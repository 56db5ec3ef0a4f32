import { untrack } from 'svelte';
import { DEFAULT_RATE, type Rate } from '../../../../contract/rate.ts';
import { preferences } from '../preferences.svelte.ts';
import { release } from '../../../lib/media/previews.ts';
import { frameAt, timeOfFrame } from './timecode.ts';

const SHUTTLE = [1, 2, 4, 8] as const;
/** How far players may drift apart before they are put together again, seconds. */
const DRIFT = 0.06;

/**
 * Plays one film or sound, or up to four as one. The longest leads: its time and its frames count. Times in seconds.
 */
export class Transport {
  readonly sound = new SoundLevel(() => this.#members);
  #members: readonly HTMLMediaElement[] = [];
  #leader = $state.raw<HTMLMediaElement | null>(null);
  readonly #rates = new WeakMap<HTMLMediaElement, () => Rate | undefined>();
  time = $state(0);
  duration = $state(0);
  /** By the facts of the file; undefined where it has none. */
  readonly ownRate = $derived(this.#leader ? this.#rates.get(this.#leader)?.() : undefined);
  readonly rate = $derived(this.ownRate ?? DEFAULT_RATE);
  /** Whether there are frames, and not only sound. */
  isFilm = $state(false);
  /** 0 while paused, negative backwards; J and L make it larger than 1. */
  direction = $state(0);
  #speed = $state(1);
  inPoint = $state<number | null>(null);
  outPoint = $state<number | null>(null);
  #seekNext: number | null = null;
  #playsWhenReady = false;
  #ticking = 0;
  #tickedAt = 0;

  readonly frame = $derived(frameAt(this.time, this.rate));
  readonly lastFrame = $derived(frameAt(this.duration - 0.001, this.rate));

  get playing(): boolean {
    return this.direction !== 0;
  }

  get speed(): number {
    return this.#speed;
  }

  set speed(speed: number) {
    this.#speed = Math.max(0.1, Math.min(4, speed));
    this.#applyRate();
  }

  get loop(): boolean {
    return preferences.loop.current;
  }

  set loop(loop: boolean) {
    preferences.loop.current = loop;
  }

  /** For `{@attach}`: the element plays along for as long as it exists. `rate`: of its film; undefined if unknown. */
  readonly member =
    (rate: () => Rate | undefined) =>
    (element: HTMLMediaElement): (() => void) => {
      this.#rates.set(element, rate);
      const events = new AbortController();
      const { signal } = events;
      // Untracked: an attachment must not run again because the volume has changed.
      untrack(() => {
        this.#members = [...this.#members, element];
        this.sound.apply();
        this.#applyRate();
        if (element.readyState >= HTMLMediaElement.HAVE_METADATA) this.#chooseLeader();
      });
      element.addEventListener('loadedmetadata', () => this.#chooseLeader(), { signal });
      // The still shown while loading is another frame: the picture must fit the time.
      element.addEventListener('loadeddata', () => !this.playing && this.#place(element, this.time), { signal });
      element.addEventListener('ended', () => this.#ended(element), { signal });
      element.addEventListener('seeked', () => this.#seeked(element), { signal });
      return () => {
        events.abort();
        this.#members = this.#members.filter((member) => member !== element);
        release(element);
        this.#chooseLeader();
      };
    };

  /** Another take is open: back to the beginning, without in and out. Playback continues. */
  reset(): void {
    const wasPlaying = this.direction > 0;
    this.pause();
    this.#playsWhenReady = wasPlaying;
    this.time = 0;
    this.inPoint = null;
    this.outPoint = null;
    this.#chooseLeader();
  }

  play(direction = 1): void {
    const isAtEnd = Math.abs(this.time - this.#end) < 0.02 || this.time >= this.duration - 0.02;
    if (direction > 0 && isAtEnd) this.seek(this.#begin);
    this.direction = direction;
    this.#applyRate();
    for (const member of this.#members) {
      if (direction > 0) void member.play().catch(() => this.pause());
      else member.pause();
    }
    cancelAnimationFrame(this.#ticking);
    this.#tickedAt = performance.now();
    this.#ticking = requestAnimationFrame(this.#tick);
  }

  pause(): void {
    this.direction = 0;
    this.#playsWhenReady = false;
    cancelAnimationFrame(this.#ticking);
    for (const member of this.#members) member.pause();
    if (this.#leader && !this.#leader.seeking) this.time = this.#leader.currentTime;
    for (const member of this.#members) if (member !== this.#leader) this.#place(member, this.time);
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  /** J (`-1`) and L (`1`): each further press goes faster; the other one slows down first. */
  shuttle(way: 1 | -1): void {
    this.play(nextShuttle(this.direction, way));
  }

  seek(time: number): void {
    const target = Math.max(0, Math.min(time, this.duration));
    this.time = target;
    // During a seek only the last request counts: scrubbing must not pile up.
    if (this.#leader?.seeking) this.#seekNext = target;
    else for (const member of this.#members) this.#place(member, target);
  }

  seekFrame(frame: number): void {
    this.seek(timeOfFrame(frame, this.rate));
  }

  /** By whole frames; by tenths of a second where there are none. */
  step(by: number): void {
    this.pause();
    if (this.isFilm) this.seekFrame(Math.min(this.frame + by, this.lastFrame));
    else this.seek(this.time + by / 10);
  }

  markIn(): void {
    this.inPoint = this.time;
    if (this.outPoint !== null && this.outPoint <= this.time) this.outPoint = null;
    this.loop = true;
  }

  markOut(): void {
    this.outPoint = this.time;
    if (this.inPoint !== null && this.inPoint >= this.time) this.inPoint = null;
    this.loop = true;
  }

  clearMarks(): void {
    this.inPoint = null;
    this.outPoint = null;
  }

  /** In and out bound what is played round and round. Once through plays all of it, so that a mark can be moved out. */
  get #begin(): number {
    return this.loop ? (this.inPoint ?? 0) : 0;
  }

  get #end(): number {
    return this.loop ? (this.outPoint ?? this.duration) : this.duration;
  }

  readonly #tick = (now: number): void => {
    const passed = (now - this.#tickedAt) / 1000;
    this.#tickedAt = now;
    if (this.direction === 0 || !this.#leader) return;
    this.#ticking = requestAnimationFrame(this.#tick);
    if (this.direction < 0) this.#goBack(passed);
    else this.#goOn(this.#leader);
  };

  /** Browsers play forwards only; backwards is a row of seeks. */
  #goBack(passed: number): void {
    const to = this.time + this.direction * this.#speed * passed;
    const crossesIn = this.time > this.#begin && to <= this.#begin;
    if (!crossesIn && to > 0) this.seek(to);
    else if (this.loop) this.seek(this.#end);
    else this.#stopAt(0);
  }

  #goOn(leader: HTMLMediaElement): void {
    if (leader.seeking) return;
    const before = this.time;
    this.time = leader.currentTime;
    if (this.loop && before < this.#end && this.time >= this.#end) {
      this.seek(this.#begin);
      return;
    }
    for (const member of this.#members) {
      // One that ended earlier shows its last frame until the time is back within it.
      if (member === leader || member.seeking || this.time >= member.duration) continue;
      if (Math.abs(member.currentTime - this.time) > DRIFT) this.#place(member, this.time);
      if (member.paused) void member.play().catch(() => undefined);
    }
  }

  #stopAt(time: number): void {
    this.pause();
    this.seek(time);
  }

  #ended(element: HTMLMediaElement): void {
    if (element !== this.#leader || this.direction <= 0) return;
    if (!this.loop) {
      this.direction = 0;
      this.time = this.duration;
      return;
    }
    this.seek(this.#begin);
    for (const member of this.#members) void member.play().catch(() => undefined);
  }

  #seeked(element: HTMLMediaElement): void {
    if (element !== this.#leader || this.#seekNext === null) return;
    const next = this.#seekNext;
    this.#seekNext = null;
    for (const member of this.#members) this.#place(member, next);
  }

  #place(member: HTMLMediaElement, time: number): void {
    // The very end shows nothing in some films.
    const last = Number.isFinite(member.duration) ? Math.max(0, member.duration - 0.001) : time;
    member.currentTime = Math.min(time, last);
  }

  #chooseLeader(): void {
    let leader: HTMLMediaElement | null = null;
    for (const member of this.#members) {
      if (Number.isFinite(member.duration) && (leader === null || member.duration > leader.duration)) leader = member;
    }
    this.#leader = leader;
    this.duration = leader?.duration ?? 0;
    this.isFilm = leader instanceof HTMLVideoElement && leader.videoWidth > 0;
    if (leader && this.#playsWhenReady) {
      this.#playsWhenReady = false;
      this.play();
    }
  }

  #applyRate(): void {
    for (const member of this.#members) member.playbackRate = Math.min(16, Math.max(1, this.direction) * this.#speed);
  }
}

/** What the bar of a player and its keys need. */
export type Playback = Pick<
  Transport,
  | ('time' | 'duration' | 'rate' | 'frame' | 'isFilm' | 'inPoint' | 'outPoint' | 'sound')
  | ('direction' | 'playing' | 'speed' | 'loop')
  | ('play' | 'pause' | 'toggle' | 'shuttle' | 'seek' | 'seekFrame' | 'step')
>;

/** The direction after J (`-1`) or L (`1`). Pure. */
export function nextShuttle(direction: number, way: 1 | -1): number {
  const speed = Math.abs(direction);
  return Math.sign(direction) === way ? way * (SHUTTLE.find((each) => each > speed) ?? speed) : way;
}

/** The volume of players, from visit to visit. Of several takes side by side, one is audible. */
export class SoundLevel {
  readonly #players: () => readonly HTMLMediaElement[];
  readonly #isHeard: (place: number) => boolean;

  constructor(players: () => readonly HTMLMediaElement[], isHeard = (place: number): boolean => place === 0) {
    this.#players = players;
    this.#isHeard = isHeard;
  }

  /** From 0 to 1. */
  get volume(): number {
    return preferences.volume.current;
  }

  set volume(volume: number) {
    preferences.volume.current = Math.max(0, Math.min(1, volume));
    this.muted = false;
  }

  get muted(): boolean {
    return preferences.muted.current;
  }

  set muted(muted: boolean) {
    preferences.muted.current = muted;
    this.apply();
  }

  apply(): void {
    for (const [place, player] of this.#players().entries()) {
      player.volume = this.volume;
      player.muted = this.muted || !this.#isHeard(place);
    }
  }
}
