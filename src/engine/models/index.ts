import { allKinds, type Kind } from '../../contract/kinds/all.ts';
import type { KindSpec } from '../../contract/kinds/spec.ts';
import { modelLines } from './model-lines.ts';
import type { ModelLine } from './model-lines.ts';

export type { DurationLimits, ModelLine } from './model-lines.ts';

/** The line of a model, or null if the reference says nothing about it. */
export function lineOf(model: string): ModelLine | null {
  return modelLines.find((line) => line.ids.test(model)) ?? null;
}

/** The kind that the start of a model's id proves; null if it proves none. */
export function kindOfModel(model: string): Kind | null {
  return prefixes.find(({ prefix }) => model.startsWith(prefix))?.kind ?? null;
}

const prefixes = allKinds.flatMap(({ kind, modelPrefix: prefix }: KindSpec<Kind>) =>
  prefix === undefined ? [] : [{ kind, prefix }],
);

const tellingWords: ReadonlyMap<string, Kind> = new Map(
  allKinds.flatMap(({ kind, modelWords }) => modelWords.map((word): [string, Kind] => [word, kind])),
);

/** A guess by the words in a model's id. Weak: a `kind` cell and the batch's own kind take precedence. */
export function guessedKind(model: string): Kind | null {
  for (const word of model.toLowerCase().split(/[^a-z]+/)) {
    const kind = tellingWords.get(word);
    if (kind !== undefined) return kind;
  }
  return null;
}

/** Whether an id is one of these shapes, in which `*` matches any text. */
export function isOneOf(model: string, shapes: readonly string[]): boolean {
  return shapes.some((shape) => hasShape(model, shape));
}

function hasShape(model: string, shape: string): boolean {
  const [head = '', ...pieces] = shape.split('*');
  const tail = pieces.pop();
  if (tail === undefined) return model === shape;
  if (!model.startsWith(head) || !model.endsWith(tail)) return false;
  const end = model.length - tail.length;
  let from = head.length;
  for (const piece of pieces) {
    const found = model.indexOf(piece, from);
    if (found < 0) return false;
    from = found + piece.length;
  }
  return from <= end;
}

/** Weak: the reference mentions two pro/vip image models without their ids. */
export function isCalledProOrVip(model: string): boolean {
  return /(?:^|[^a-z])(?:pro|vip)(?:[^a-z]|$)/i.test(model);
}
