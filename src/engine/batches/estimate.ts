import type { Estimate } from '../../contract/batch.ts';
import type { Price, Settings } from '../../contract/settings.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import { toPriceFacts, priceFor, type PriceFacts } from './price.ts';

export interface NewTakes {
  readonly shot: ShotSpec;
  readonly takes: number;
}

type Line = Estimate['lines'][number];

/** The estimate for a start at `at` (ms), by the user's own price table: the service's reference names no prices. */
export function estimate(
  wanted: readonly NewTakes[],
  { prices, currency }: Settings,
  at: number = Date.now(),
): Estimate {
  const lines = new Map<string, Line>();
  let unpriced = 0;
  for (const { shot, takes } of wanted) {
    if (takes === 0) continue;
    const facts = toPriceFacts(shot);
    const { videoInput } = facts;
    const name = `${shot.kind} ${shot.model} ${videoInput}`;
    const before = lines.get(name);
    const price = priceOfTakes(facts, takes, at, prices);
    if (price === null) unpriced += takes;
    lines.set(name, {
      kind: shot.kind,
      model: shot.model,
      ...(videoInput && { videoInput }),
      takes: (before?.takes ?? 0) + takes,
      seconds: sum(before?.seconds ?? null, facts.seconds === null ? null : facts.seconds * takes),
      price: sum(before?.price ?? null, price),
    });
  }
  const all = [...lines.values()];
  return {
    newTakes: all.reduce((total, line) => total + line.takes, 0),
    lines: all,
    currency,
    price: all.reduce<number | null>((total, line) => sum(total, line.price), null),
    unpriced,
  };
}

function sum(a: number | null, b: number | null): number | null {
  return a === null ? b : a + (b ?? 0);
}

/** The price of takes of a shot; null when the table has none. Pure. */
function priceOfTakes(facts: PriceFacts, takes: number, at: number, prices: readonly Price[]): number | null {
  const price = priceFor(facts, at, prices);
  return price === null ? null : price * takes;
}
