import { type Palette } from './palette.ts';

/** One plane of a scene, from the back to the front. */
export interface Layer {
  readonly svg: string;
  /** Its share of the camera's move: 0 for the sky, 1 for the nearest plane. */
  readonly depth: number;
  /** Widths of the picture it moves in a second by itself. */
  readonly drift?: number;
  /** Heights of the picture that it bobs up and down. */
  readonly bob?: number;
  /** Without edges: drawn at half the size, which is four times as fast. */
  readonly isSoft?: boolean;
}

/** Planes are larger than the picture by this, so that a camera that moves never sees their edge. */
export const OVERSIZE = 1.24;

/** Pixels of a plane. */
export interface Canvas {
  readonly width: number;
  readonly height: number;
  /** Height of the horizon. */
  readonly horizon: number;
  readonly random: () => number;
  readonly palette: Palette;
}

/** A number as SVG has it. */
export const n = (value: number): string => String(Number(value.toFixed(3)));
