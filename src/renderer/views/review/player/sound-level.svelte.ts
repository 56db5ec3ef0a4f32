import { keep, kept } from '../kept.ts';

/** How loud players are, from visit to visit. Of several takes side by side one is heard. */
export class SoundLevel {
  #volume = $state(kept('volume', 0.8));
  #muted = $state(kept('muted', false));
  readonly #players: () => readonly HTMLMediaElement[];

  constructor(players: () => readonly HTMLMediaElement[]) {
    this.#players = players;
  }

  /** From 0 to 1. */
  get volume(): number {
    return this.#volume;
  }

  set volume(volume: number) {
    this.#volume = Math.max(0, Math.min(1, volume));
    this.#muted = false;
    this.#keep();
  }

  get muted(): boolean {
    return this.#muted;
  }

  set muted(muted: boolean) {
    this.#muted = muted;
    this.#keep();
  }

  apply(): void {
    for (const [place, player] of this.#players().entries()) {
      player.volume = this.#volume;
      player.muted = this.#muted || place > 0;
    }
  }

  #keep(): void {
    keep('volume', this.#volume);
    keep('muted', this.#muted);
    this.apply();
  }
}
