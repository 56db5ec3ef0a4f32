import { OVERSIZE } from './plane.ts';
import type { Move } from './scene.ts';

/** Where a plane is seen, in widths and heights of the picture from its middle, and how much nearer than at rest. */
export interface View {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

export const atRest: View = { x: 0, y: 0, scale: 1 };

/** The most a plane can be moved to each side before its edge is seen, as a share of the picture. */
const ROOM = (OVERSIZE - 1) / 2;
const GROWTH = 0.13;

/** How a camera sees a plane of this depth at a moment of its move, 0 to 1. Pure. */
export function viewAt(move: Move, moment: number, depth: number): View {
  const eased = moment * moment * (3 - 2 * moment);
  const near = 0.12 + 0.88 * depth;
  const slide = (eased - 0.5) * 2 * 0.72 * ROOM * near;
  // A hand is never quite still.
  const [swayX, swayY] = [Math.sin(moment * 5.1) * 0.004 * near, Math.cos(moment * 3.7) * 0.004 * near];
  const scale = 1 + GROWTH * near * (move === 'push' ? eased : move === 'pull' ? 1 - eased : 0.3);
  if (move === 'left') return { x: -slide + swayX, y: swayY, scale };
  if (move === 'right') return { x: slide + swayX, y: swayY, scale };
  if (move === 'rise') return { x: swayX, y: -slide + swayY, scale };
  return { x: swayX, y: swayY, scale };
}
