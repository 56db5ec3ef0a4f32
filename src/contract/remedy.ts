import { foldHeader } from './kinds/index.ts';
import type { Problem } from './shot.ts';

/** What one button does about a defect of a list. */
export type Remedy =
  | { readonly does: 'choose_model' }
  | { readonly does: 'rename_column'; readonly to: string }
  | { readonly does: 'add_variable'; readonly name: string };

/** The remedy for a defect of a list with these headers; null where only a person knows one. Pure. */
export function remedyFor({ problem, remedy }: Problem, headers: readonly string[]): Remedy | null {
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
    default:
      return null;
  }
}
