import { preferences } from '../preferences.svelte.ts';

/** The volume of players, from visit to visit. Of several takes side by side, one is audible. */
export class SoundLevel {
  readonly #players: () => readonly HTMLMediaElement[];

  constructor(players: () => readonly HTMLMediaElement[]) {
    this.#players = players;
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
      player.muted = this.muted || place > 0;
    }
  }
}
