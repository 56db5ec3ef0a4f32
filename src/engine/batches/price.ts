import * as z from 'zod';
import { kindSpecs } from '../../contract/kinds/index.ts';
import type { Price, Settings } from '../../contract/settings.ts';
import type { Priced, ShotSpec } from '../../contract/shot.ts';
import { rulesFor } from '../kinds/index.ts';
import type { Estimate } from '../../contract/batch.ts';

/** The facts that decide the price of one billable request, stored so that a corrected table can price it again. */
export const PriceFacts = z.object({
  model: z.string(),
  isCall: z.literal(true).optional(),
  outputs: z.number(),
  /** Seconds asked for; null where the model decides, or the kind has none. */
  seconds: z.number().nullable(),
  /** Characters of the prompt; null where they are not known. */
  characters: z.number().nullable(),
  videoInput: z.boolean(),
});
export type PriceFacts = z.infer<typeof PriceFacts>;

export const toPriceFacts = (shot: Priced): PriceFacts => ({
  model: shot.model,
  outputs: kindSpecs[shot.kind].outputs?.(shot.params) ?? 1,
  seconds: kindSpecs[shot.kind].seconds?.(shot.params) ?? null,
  characters: shot.prompt === undefined ? null : [...shot.prompt].length,
  videoInput: rulesFor(shot.kind).hasVideoInput?.(shot) ?? false,
});

export const callFactsFor = (model: string, characters: number | null = null): PriceFacts => ({
  ...{ model, isCall: true, outputs: 1, seconds: null, characters, videoInput: false },
});

/** The price of a request at `at` (ms), by the first line of the table that fits and is valid then; else null. Pure. */
export function priceFor(facts: PriceFacts, at: number, prices: readonly Price[]): number | null {
  const day = dayFor(at);
  const line = prices.find(
    ({ model, per, videoInput = facts.videoInput, from = day, until = day }) =>
      isFor(model, facts.model) &&
      videoInput === facts.videoInput &&
      (per !== 'call' || facts.isCall === true) &&
      from <= day &&
      day <= until,
  );
  return line ? priceBy(line, facts) : null;
}

function priceBy({ per, price }: Price, { outputs, seconds, characters }: PriceFacts): number | null {
  switch (per) {
    case 'take':
    case 'call':
      return price;
    case 'output':
      return price * outputs;
    case 'second':
      return seconds === null ? null : price * seconds;
    case 'thousand_characters':
      return characters === null ? null : (price * characters) / 1000;
  }
}

function dayFor(at: number): string {
  const time = new Date(at);
  const [year, month, day] = [time.getFullYear(), time.getMonth() + 1, time.getDate()];
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

/** A line of the table fits a model by its whole id, or by the beginning before a `*`. */
function isFor(pattern: string, model: string): boolean {
  return pattern.endsWith('*') ? model.startsWith(pattern.slice(0, -1)) : pattern === model;
}

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
    const each = priceFor(facts, at, prices);
    if (each === null) unpriced += takes;
    lines.set(name, {
      kind: shot.kind,
      model: shot.model,
      ...(videoInput && { videoInput }),
      takes: (before?.takes ?? 0) + takes,
      seconds: sum(before?.seconds ?? null, facts.seconds === null ? null : facts.seconds * takes),
      price: sum(before?.price ?? null, each === null ? null : each * takes),
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
