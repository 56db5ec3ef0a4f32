/** Median and extremes of the same figure taken several times. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  return { median: quantile(sorted, 0.5), min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN };
}

/** Value below which `share` (0 to 1) of `sorted` lies, between its neighbours where it falls between two. */
export function quantile(sorted: readonly number[], share: number): number {
  const place = share * (sorted.length - 1);
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

/** One of the things compared. Gives its figure for one round. */
export interface Side {
  readonly name: string;
  measure(): Promise<number>;
}

export interface Measured {
  readonly name: string;
  readonly figure: Spread;
}

export interface Compared {
  readonly ours: Measured;
  readonly peers: readonly (Measured & { readonly ratio: Spread })[];
}

/**
 * Measures all sides in turn, round after round (A B A B …), so that whatever else the machine does meets them alike.
 * A ratio is taken within its round. One more round comes first and does not count: it warms caches and compiled code.
 */
export async function inTurns(rounds: number, ours: Side, peers: readonly Side[]): Promise<Compared> {
  const own: number[] = [];
  const others = peers.map(({ name }) => ({ name, figures: [] as number[], ratios: [] as number[] }));
  for (let round = 0; round <= rounds; round += 1) {
    const counts = round > 0;
    const figure = await ours.measure();
    if (counts) own.push(figure);
    for (const [index, peer] of peers.entries()) {
      const peerFigure = await peer.measure();
      if (!counts) continue;
      others[index]?.figures.push(peerFigure);
      others[index]?.ratios.push(figure / peerFigure);
    }
  }
  return {
    ours: { name: ours.name, figure: spreadOf(own) },
    peers: others.map(({ name, figures, ratios }) => ({
      name,
      figure: spreadOf(figures),
      ratio: spreadOf(ratios),
    })),
  };
}

/** Milliseconds that `work` takes. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Does `count` pieces of work, `atOnce` at a time. */
export async function manyAtOnce(
  count: number,
  atOnce: number,
  work: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}
