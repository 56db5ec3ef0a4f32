/**
 * Marks of letters, to be stroked like the alphabet and in its units. Each is a path around x = 0: above a small letter
 * between y = 0 and y = 4, below any letter from its baseline (y = 20) on.
 */
const above: Readonly<Record<string, readonly Stroke[]>> = {
  '\u0300': [
    ['M', -2.5, 0.3],
    ['L', 1.5, 4],
  ],
  '\u0301': [
    ['M', 2.5, 0.3],
    ['L', -1.5, 4],
  ],
  '\u0302': [
    ['M', -3.5, 4],
    ['L', 0, 0.5],
    ['L', 3.5, 4],
  ],
  '\u0303': [
    ['M', -4, 3.4],
    ['C', -2.5, 0.4, -1, 0.9, 0, 2],
    ['C', 1, 3.1, 2.5, 3.6, 4, 0.6],
  ],
  '\u0304': [
    ['M', -3.5, 2.4],
    ['L', 3.5, 2.4],
  ],
  '\u0306': [
    ['M', -3.5, 0.6],
    ['C', -3, 4.4, 3, 4.4, 3.5, 0.6],
  ],
  '\u0307': [
    ['M', 0, 2.4],
    ['L', 0, 2.5],
  ],
  '\u0308': [
    ['M', -3, 2.4],
    ['L', -3, 2.5],
    ['M', 3, 2.4],
    ['L', 3, 2.5],
  ],
  '\u030A': [
    ['M', 0, 0],
    ['C', 2.7, 0, 2.7, 4, 0, 4],
    ['C', -2.7, 4, -2.7, 0, 0, 0],
  ],
  '\u030B': [
    ['M', -0.5, 0.3],
    ['L', -3, 4],
    ['M', 4, 0.3],
    ['L', 1.5, 4],
  ],
  '\u030C': [
    ['M', -3.5, 0.5],
    ['L', 0, 4],
    ['L', 3.5, 0.5],
  ],
};
const below: Readonly<Record<string, readonly Stroke[]>> = {
  '\u0327': [
    ['M', 0, 20],
    ['L', 0, 21.6],
    ['C', 2.8, 21.6, 2.8, 25.6, -1.5, 25.2],
  ],
  '\u0328': [
    ['M', 2, 20],
    ['C', -0.8, 22, -0.4, 25.2, 3, 24.6],
  ],
};

/** A command of a path and its points, x before y. */
type Stroke = readonly ['M' | 'L' | 'C', ...number[]];

/** How much higher a mark stands over a capital. */
const OVER_CAPITAL = -6;

/** The path of a mark for a letter whose middle is at `middle`; null when this alphabet cannot draw the mark. */
export function markPath(mark: string, middle: number, isCapital: boolean): string | null {
  const over = above[mark];
  if (over !== undefined) return moved(over, middle, isCapital ? OVER_CAPITAL : 0);
  const under = below[mark];
  return under === undefined ? null : moved(under, middle, 0);
}

function moved(strokes: readonly Stroke[], x: number, y: number): string {
  return strokes
    .map(([command, ...points]) => {
      const places = points.map((value, index) => (value + (index % 2 === 0 ? x : y)).toFixed(2));
      return `${command}${places.join(' ')}`;
    })
    .join('');
}
