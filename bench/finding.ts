import type { Compared, Spread } from './measure.ts';

/** One line of the result: what was measured, the peer, and the goal. */
export interface Finding {
  readonly what: string;
  readonly ours: string;
  /** Figure and name of the peer; empty where there is none. */
  readonly peer: string;
  readonly ratio: Spread | null;
  /** Empty where none was set. */
  readonly goal: string;
  readonly met: boolean | null;
}

/** A bound on a ratio or on a figure of ours. */
export type Goal = { readonly atLeast: number } | { readonly atMost: number };

/** How a row's figures are written, for example `1,234 /s`. */
export interface Unit {
  readonly name: string;
  readonly digits: number;
}

export function write(value: number, { name, digits }: Unit): string {
  const figure = value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${figure} ${name}`.trimEnd();
}

/** One finding for each peer of a comparison. `goals` has the bound on the ratio to each, in their order. */
export function findingsOf(
  what: string,
  unit: Unit,
  { ours, peers }: Compared,
  goals: readonly (Goal | null)[],
): Finding[] {
  return peers.map(({ name, figure, ratio }, index) => {
    const goal = goals[index] ?? null;
    return {
      what,
      ours: write(ours.figure.median, unit),
      peer: `${write(figure.median, unit)}, ${name}`,
      ratio,
      goal: goal === null ? '' : `ratio ${inWords(goal)}`,
      met: goal === null ? null : isMet(goal, ratio.median),
    };
  });
}

/** A finding about a figure of ours alone. The goal is about the worst round. */
export function limitOf(what: string, unit: Unit, figure: Spread, goal: Goal | null): Finding {
  const worst = goal !== null && 'atLeast' in goal ? figure.min : figure.max;
  return {
    what,
    ours: write(worst, unit),
    peer: '',
    ratio: null,
    goal: goal === null ? '' : `${inWords(goal)} ${unit.name}`,
    met: goal === null ? null : isMet(goal, worst),
  };
}

const isMet = (goal: Goal, value: number): boolean =>
  'atLeast' in goal ? value >= goal.atLeast : value <= goal.atMost;

const inWords = (goal: Goal): string => ('atLeast' in goal ? `≥ ${String(goal.atLeast)}` : `≤ ${String(goal.atMost)}`);
