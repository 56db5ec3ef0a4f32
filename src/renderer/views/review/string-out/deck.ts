import { release } from '../../../lib/media/previews.ts';

/** Less than half a frame of any usual film, s. */
const SAME_TIME = 0.004;

/**
 * One of the two players of a string-out. It is cued to a time of a file, and is ready once it shows the picture of that
 * time. While it seeks, only the last request counts.
 */
export class Deck {
  readonly element: HTMLVideoElement;
  /** What it was cued for; empty for nothing. */
  key = '';
  #source = '';
  #time = 0;
  #asked: number | null = null;
  readonly #events = new AbortController();

  /** `settled` when it may have become ready, `failed` when its file cannot be played. */
  constructor(element: HTMLVideoElement, on: { settled: (deck: Deck) => void; failed: (deck: Deck) => void }) {
    this.element = element;
    const { signal } = this.#events;
    const settle = (): void => {
      if (!element.seeking && this.#asked !== null) this.#seek(this.#asked);
      else on.settled(this);
    };
    for (const name of ['seeked', 'loadeddata', 'canplay']) element.addEventListener(name, settle, { signal });
    element.addEventListener('error', () => this.key !== '' && on.failed(this), { signal });
  }

  get isReady(): boolean {
    return this.key !== '' && !this.element.seeking && this.element.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA;
  }

  /** `time` in seconds; one that is off by less than `tolerance` stays. */
  cue(key: string, source: string, time: number, tolerance = SAME_TIME): void {
    this.key = key;
    if (this.#source !== source) {
      this.#source = source;
      this.#asked = null;
      this.#time = time;
      this.element.src = source;
      this.element.currentTime = time;
    } else if (this.element.seeking) {
      if (Math.abs(this.#time - time) > tolerance) this.#asked = time;
      else this.#asked = null;
    } else if (Math.abs(this.element.currentTime - time) > tolerance) this.#seek(time);
  }

  #seek(time: number): void {
    this.#asked = null;
    this.#time = time;
    this.element.currentTime = time;
  }

  /** Lets go of its file. */
  empty(): void {
    this.key = '';
    this.#source = '';
    release(this.element);
  }

  end(): void {
    this.#events.abort();
    this.empty();
  }
}
