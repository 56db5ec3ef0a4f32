import type { Estimate } from '../../contract/batch.ts';
import type { Price, Settings } from '../../contract/settings.ts';
import type { ShotSpec, Priced } from '../../contract/shot.ts';
import { kindSpecs } from '../../contract/kinds/index.ts';
import { rulesOf } from '../kinds/index.ts';

/** How many new takes of a shot a start would make. */
export interface NewTakes {
  readonly shot: ShotSpec;
  readonly takes: number;
}

type Line = Estimate['lines'][number];

/** What a start would come to, by the user's own price table: the service's reference names no prices. Pure. */
export function estimate(wanted: readonly NewTakes[], { prices, currency }: Settings): Estimate {
  const lines = new Map<string, Line>();
  let unpriced = 0;
  for (const { shot, takes } of wanted) {
    if (takes === 0) continue;
    const videoInput = hasVideoInput(shot);
    const name = `${shot.kind} ${shot.model} ${videoInput}`;
    const before = lines.get(name);
    const price = priceOf(shot, takes, prices);
    if (price === null) unpriced += takes;
    lines.set(name, {
      kind: shot.kind,
      model: shot.model,
      ...(videoInput && { videoInput }),
      takes: (before?.takes ?? 0) + takes,
      seconds: sum(before?.seconds ?? null, secondsOf(shot, takes)),
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

/** Seconds asked for; null where the row leaves the length to the model, or its kind has none. */
function secondsOf({ kind, params }: Priced, takes: number): number | null {
  const seconds = kindSpecs[kind].seconds?.(params) ?? null;
  return seconds === null ? null : seconds * takes;
}

const hasVideoInput = (shot: Priced): boolean => rulesOf(shot.kind).hasVideoInput?.(shot) ?? false;

/** What takes of a shot cost together; null when the table does not tell. Pure. */
export function priceOf(shot: Priced, takes: number, prices: readonly Price[]): number | null {
  const hasVideo = hasVideoInput(shot);
  const line = prices.find(({ model, videoInput = hasVideo }) => isFor(model, shot.model) && videoInput === hasVideo);
  switch (line?.per) {
    case 'take':
      return line.price * takes;
    case 'output':
      return line.price * takes * (kindSpecs[shot.kind].outputs?.(shot.params) ?? 1);
    case 'second': {
      const seconds = secondsOf(shot, takes);
      return seconds === null ? null : line.price * seconds;
    }
    case undefined:
      return null;
  }
}

/** A line of the table fits a model by its whole id, or by the beginning before a `*`. */
function isFor(pattern: string, model: string): boolean {
  return pattern.endsWith('*') ? model.startsWith(pattern.slice(0, -1)) : pattern === model;
}
