import type { VerdictChange } from '../../../contract/verdict.ts';
import { Persisted } from '../../lib/state/persisted.svelte.ts';

export const preferences = {
  /** Width of a picture in the grid, in pixels. */
  tileSize: new Persisted('review.tileSize', 220),
  /** After a flag. */
  autoAdvance: new Persisted('review.autoAdvance', true),
  advanceAfterStars: new Persisted('review.advanceAfterStars', false),
  panel: new Persisted('review.panel', true),
  loop: new Persisted('review.loop', true),
  /** From 0 to 1. */
  volume: new Persisted('review.volume', 0.8),
  muted: new Persisted('review.muted', false),
};

export const tileSizes = { min: 120, max: 480 } as const;

export function resizeTiles(by: number): void {
  const { tileSize } = preferences;
  tileSize.current = Math.max(tileSizes.min, Math.min(tileSizes.max, tileSize.current + by));
}

export function advancesAfter({ flag, rating }: VerdictChange): boolean {
  if (flag != null) return preferences.autoAdvance.current;
  return rating !== undefined && rating > 0 && preferences.advanceAfterStars.current;
}

export function toggle(name: 'autoAdvance' | 'advanceAfterStars' | 'panel'): void {
  preferences[name].current = !preferences[name].current;
}
