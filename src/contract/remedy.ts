import { foldHeader } from './kinds/index.ts';
import type { Message } from './messages/message.ts';
import { nearestWord } from './near-miss.ts';
import type { Defect, Problem } from './shot.ts';

/** What one button does about a defect of a list. */
export type Remedy =
  | { readonly does: 'choose_model' }
  | { readonly does: 'rename_column'; readonly to: string }
  | { readonly does: 'add_variable'; readonly name: string }
  | { readonly does: 'set_value'; readonly value: string };

/** The remedy for a defect of a list with these headers; null where only a person knows one. Pure. */
export function remedyFor(
  { problem, remedy, value: written = '' }: Problem & Partial<Pick<Defect, 'value'>>,
  headers: readonly string[],
): Remedy | null {
  const names = [problem, remedy].flatMap((text) => (typeof text === 'string' ? [] : [text.values?.['name']]));
  const name = names.find((each) => typeof each === 'string');
  switch (typeof problem === 'string' ? null : problem.key) {
    case 'defect.noModel':
    case 'defect.noModelColumn':
      return { does: 'choose_model' };
    case 'defect.unknownVariable':
      return name === undefined ? null : { does: 'add_variable', name };
    case 'defect.unknownColumn': {
      const isTaken = name === undefined || headers.some((header) => foldHeader(header) === foldHeader(name));
      return isTaken ? null : { does: 'rename_column', to: name };
    }
    default: {
      const value = typeof remedy === 'string' ? null : validValue(remedy, written);
      return typeof value === 'string' ? { does: 'set_value', value } : null;
    }
  }
}

/** What a cell should say: what its remedy names, the limit that it passes, or the choice that it misspells. */
function validValue({ key, values = {} }: Message, written: string): unknown {
  const { value, kind, near, choices, min, max } = values;
  switch (key) {
    case 'remedy.writeValue':
      return value;
    case 'remedy.writeKindOrModel':
      return kind;
    case 'remedy.correctIdTo':
      return near;
    case 'remedy.writeOneOf':
      return Array.isArray(choices) ? nearestWord(foldHeader(written), choices.map(String)) : null;
    case 'remedy.writeNumberBetween': {
      const number = written.trim() === '' ? NaN : Number(written);
      if (number > Number(max)) return max;
      return number < Number(min) ? min : null;
    }
    default:
      return null;
  }
}
