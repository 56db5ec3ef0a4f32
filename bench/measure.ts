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

interface Measured {
  readonly name: string;
  readonly figure: Spread;
}

export interface Compared {
  readonly ours: Measured;
  readonly peers: readonly (Measured & { readonly ratio: Spread })[];
}

/** A side that gives several figures of one and the same round. */
export interface ManySided<Figure extends string> {
  readonly name: string;
  measure(): Promise<Readonly<Record<Figure, number>>>;
}

/** `warmUp: false` where each measurement is a process of its own, which nothing that came before makes any faster. */
export interface TurnsOptions {
  readonly warmUp?: boolean;
}

/**
 * Measures all sides in turn, round after round (A B A B …), so that whatever else the machine does meets them alike.
 * A ratio is taken within its round. One more round comes first and does not count: it warms caches and compiled code.
 */
export async function inTurns(
  rounds: number,
  ours: Side,
  peers: readonly Side[],
  turns?: TurnsOptions,
): Promise<Compared> {
  const manySided = ({ name, measure }: Side): ManySided<'figure'> => ({
    name,
    measure: async () => ({ figure: await measure() }),
  });
  const { figure } = await inTurnsBy(rounds, ['figure'], manySided(ours), peers.map(manySided), turns);
  return figure;
}

/** The same for each of several figures. */
export async function inTurnsBy<Figure extends string>(
  rounds: number,
  figures: readonly Figure[],
  ours: ManySided<Figure>,
  peers: readonly ManySided<Figure>[],
  { warmUp = true }: TurnsOptions = {},
): Promise<Readonly<Record<Figure, Compared>>> {
  const own: Readonly<Record<Figure, number>>[] = [];
  const others = peers.map(({ name }) => ({ name, rounds: [] as Readonly<Record<Figure, number>>[] }));
  for (let round = warmUp ? 0 : 1; round <= rounds; round += 1) {
    const counts = round > 0;
    const measured = await ours.measure();
    if (counts) own.push(measured);
    for (const [index, peer] of peers.entries()) {
      const measuredPeer = await peer.measure();
      if (counts) others[index]?.rounds.push(measuredPeer);
    }
  }
  const comparedBy = (figure: Figure): Compared => ({
    ours: { name: ours.name, figure: spreadOf(own.map((each) => each[figure])) },
    peers: others.map(({ name, rounds: theirs }) => ({
      name,
      figure: spreadOf(theirs.map((each) => each[figure])),
      ratio: spreadOf(theirs.map((each, round) => (own[round]?.[figure] ?? Number.NaN) / each[figure])),
    })),
  });
  return Object.fromEntries(figures.map((figure) => [figure, comparedBy(figure)])) as Record<Figure, Compared>;
}

/** Milliseconds that `work` takes. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Time that `work` takes, and time of the processor that this process spends meanwhile, both in ms. */
export async function timedWithCpu(work: () => unknown): Promise<{ readonly ms: number; readonly cpuMs: number }> {
  const before = process.cpuUsage();
  const ms = await timed(work);
  const { user, system } = process.cpuUsage(before);
  return { ms, cpuMs: (user + system) / 1000 };
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

/**
 * The longest that nothing else had its turn, in ms of this thread's processor time: a machine that does something else
 * meanwhile does not count. To be asked when all is over.
 */
export function watchTurns(): () => number {
  let before = process.threadCpuUsage();
  let longest = 0;
  const look = (): void => {
    const now = process.threadCpuUsage();
    longest = Math.max(longest, (now.user + now.system - before.user - before.system) / 1000);
    before = now;
  };
  const beat = setInterval(look, 1);
  return () => {
    clearInterval(beat);
    look();
    return longest;
  };
}
