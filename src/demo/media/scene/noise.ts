import { n } from './plane.ts';

interface Noise {
  readonly colour: string;
  /** Waves a pixel. */
  readonly across: number;
  readonly down: number;
  readonly octaves: number;
  /** 0 to 1. */
  readonly seed: number;
  /** What lies under this level is clear, 0 to 1. */
  readonly from: number;
  /** How fast it gets dense above. */
  readonly hard: number;
}

/** A filter that fills with one colour, as dense as a noise is high. */
export function noise(name: string, { colour, across, down, octaves, seed, from, hard }: Noise): string {
  const [red, green, blue] = [1, 3, 5].map((at) => n(Number.parseInt(colour.slice(at, at + 2), 16) / 255));
  return (
    `<defs><filter id="${name}" x="0" y="0" width="1" height="1" color-interpolation-filters="sRGB">` +
    `<feTurbulence type="fractalNoise" baseFrequency="${across.toFixed(5)} ${down.toFixed(5)}" numOctaves="${String(octaves)}" seed="${String(Math.floor(seed * 1000))}"/>` +
    `<feColorMatrix values="0 0 0 0 ${red ?? '0'} 0 0 0 0 ${green ?? '0'} 0 0 0 0 ${blue ?? '0'} ${n(hard)} 0 0 0 ${n(-hard * from)}"/></filter></defs>`
  );
}
