import type { Kind } from '../../contract/kinds/kind.ts';
import { modelLines } from './lines.ts';
import type { ModelLine } from './lines.ts';

export type { DurationLimits, ModelLine } from './lines.ts';

/** The line a model belongs to, or null when the reference says nothing about it. */
export function lineOf(model: string): ModelLine | null {
  return modelLines.find((line) => line.ids.test(model)) ?? null;
}

/** The kind a model certainly makes: `vgen` is the reference's word for its video models. Null when it does not say. */
export function kindOfModel(model: string): Kind | null {
  return model.startsWith('vgen-') ? 'video' : null;
}

const tellingWords: ReadonlyMap<string, Kind> = new Map([
  ['video', 'video'],
  ['image', 'image'],
  ['img', 'image'],
  ['photo', 'image'],
  ['typo', 'image'],
  ['jobimg', 'image'],
  ['music', 'music'],
  ['song', 'music'],
]);

/** What the words in a model's id suggest. Weak: a `kind` cell and the batch's own kind go before it. */
export function guessedKind(model: string): Kind | null {
  for (const word of model.toLowerCase().split(/[^a-z]+/)) {
    const kind = tellingWords.get(word);
    if (kind !== undefined) return kind;
  }
  return null;
}

/**
 * Reference, "Images": the two pro/vip image models take, for edits, pixel sizes whose sides are multiples of 16.
 * Their ids are not shown; they are told by the word.
 */
export function editSidesAreMultiplesOf16(model: string): boolean {
  return /(^|[^a-z])(pro|vip)([^a-z]|$)/i.test(model);
}
