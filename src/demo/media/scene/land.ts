import { mixed } from './palette.ts';
import { treesSvg } from './subjects.ts';
import { type Canvas, type Layer, n } from './plane.ts';

interface Ridge {
  readonly depth: number;
  /** Heights of the picture that it rises over its foot. */
  readonly rise: number;
  /** Share of haze in its colour. */
  readonly from: number;
  /** Height of its foot, pixels. */
  readonly at: number;
  readonly jagged?: boolean;
  readonly snow?: boolean;
  readonly sand?: boolean;
  readonly trees?: boolean;
  /** Of its trees. */
  readonly large?: number;
}

export function ridge(canvas: Canvas, { depth, rise, from, at, jagged, snow, sand, trees, large = 1 }: Ridge): Layer {
  const { width, height, random, palette } = canvas;
  const near = sand ? mixed(palette.ground, '#b5713f', 0.62) : palette.ground;
  const colour = mixed(near, palette.haze, from);
  const line = outline(canvas, { at, rise: rise * height, jagged: jagged ?? false });
  const shape = `M0 ${n(height)} ${line.map(([x, y]) => `L${n(x)} ${n(y)}`).join(' ')} L${n(width)} ${n(height)} Z`;
  const name = `ridge${String(Math.round(from * 100))}`;
  const lit = mixed(colour, palette.light, sand ? 0.4 : snow ? 0.55 : 0.12);
  const foot = mixed(colour, palette.haze, 0.35 + 0.3 * from);
  return {
    depth,
    svg:
      `<defs><linearGradient id="${name}" x1="0" y1="${n(at - rise * height)}" x2="0" y2="${n(at + height * 0.12)}" gradientUnits="userSpaceOnUse">` +
      `<stop offset="0" stop-color="${lit}"/><stop offset="${snow ? '.4' : '.55'}" stop-color="${colour}"/><stop offset="1" stop-color="${foot}"/></linearGradient></defs>` +
      `<path d="${shape}" fill="url(#${name})"/>` +
      (trees
        ? treesSvg(line, { colour: mixed(colour, palette.ground, 0.3), height: height * 0.028 * large, random })
        : ''),
  };
}

/** A line of hills or of mountains, by five waves of chance. */
function outline(
  { width, random }: Canvas,
  { at, rise, jagged }: { at: number; rise: number; jagged: boolean },
): (readonly [x: number, y: number])[] {
  const waves = Array.from({ length: 6 }, (_, octave) => ({
    size: 0.5 ** octave,
    length: (1.1 + 0.7 * random()) * 2 ** octave,
    phase: 2 * Math.PI * random(),
  }));
  const steps = 160;
  return Array.from({ length: steps + 1 }, (_, step) => {
    const share = step / steps;
    const sum = waves.reduce((height, { size, length, phase }) => {
      const wave = Math.sin(2 * Math.PI * length * share + phase);
      return height + size * (jagged ? 1 - 2 * Math.abs(wave) : wave * 0.8);
    }, 0);
    return [width * share, at - rise * (0.5 + sum / 3)] as const;
  });
}

export function rocks(canvas: Canvas, depth: number): Layer {
  const { width, height, random, palette } = canvas;
  const isLeft = random() < 0.5;
  const line = outline(canvas, { at: 0, rise: height * 0.05, jagged: true }).map(([x, y]) => {
    const toEdge = isLeft ? 1 - x / width : x / width;
    return `L${n(x)} ${n(height * (1.02 - 0.24 * Math.max(0, toEdge - 0.35) ** 1.4) + y)}`;
  });
  return {
    depth,
    svg: `<path d="M0 ${n(height)} ${line.join(' ')} L${n(width)} ${n(height)} Z" fill="${mixed(palette.ground, '#000000', 0.25)}"/>`,
  };
}
