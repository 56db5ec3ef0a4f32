import type { TimelineMusic } from '../../../../contract/timeline.ts';
import { mediaUrl } from '../../../lib/client.ts';
import { release } from '../../../lib/media/previews.ts';

/** Music that is off by more jumps into step; by less, it is played a little faster or slower. Seconds. */
const FAR = 0.08;
const NUDGE = 0.03;

interface Wanted {
  readonly music: TimelineMusic;
  /** Where in its file, s. */
  readonly time: number;
}

/** The music under a string-out: kept in step with its pictures, which may wait for a moment at a cut. */
export class MusicPlayer {
  readonly #audio = new Audio();
  readonly #projectId: string;
  #source = '';
  #context: AudioContext | null = null;
  #amplifier: GainNode | null = null;

  constructor(projectId: string) {
    this.#projectId = projectId;
    this.#audio.preload = 'auto';
  }

  /** Loads what is played next. */
  prepare(music: TimelineMusic): void {
    const { media } = music;
    const source = 'music' in media ? `/music/${this.#projectId}/${media.music}` : mediaUrl(media.takeId, media.output);
    if (source === this.#source) return;
    this.#source = source;
    this.#audio.src = source;
  }

  /** `volume` from 0 to 1. */
  play({ music, time }: Wanted, { speed, volume }: { speed: number; volume: number }): void {
    const audio = this.#audio;
    this.prepare(music);
    this.#setVolume(volume, 10 ** (music.gain / 20));
    const drift = time - audio.currentTime;
    if (audio.seeking) return;
    if (audio.paused || Math.abs(drift) > FAR * Math.max(1, speed)) audio.currentTime = time;
    audio.playbackRate = speed * (1 + Math.max(-NUDGE, Math.min(NUDGE, drift)));
    if (audio.paused && !audio.ended) void audio.play().catch(() => undefined);
  }

  pause(): void {
    this.#audio.pause();
  }

  end(): void {
    void this.#context?.close();
    release(this.#audio);
  }

  /** An element alone cannot be louder than its file. */
  #setVolume(volume: number, factor: number): void {
    if (factor > 1 && !this.#amplifier) this.#amplify();
    if (this.#amplifier) this.#amplifier.gain.value = factor;
    this.#audio.volume = this.#amplifier ? volume : volume * factor;
  }

  #amplify(): void {
    this.#context = new AudioContext();
    this.#amplifier = this.#context.createGain();
    this.#context.createMediaElementSource(this.#audio).connect(this.#amplifier).connect(this.#context.destination);
  }
}
