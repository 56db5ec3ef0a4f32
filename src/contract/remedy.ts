import { foldHeader } from './kinds/index.ts';
import type { Text } from './messages/message.ts';
import type { Problem } from './shot.ts';

/** What one button does about a defect of a list. */
export type Remedy =
  | { readonly does: 'choose_model' }
  | { readonly does: 'rename_column'; readonly to: string }
  | { readonly does: 'add_variable'; readonly name: string };

/** The remedy for a defect of a list with these headers; null where only a person knows one. Pure. */
export function remedyFor({ problem, remedy }: Problem, headers: readonly string[]): Remedy | null {
  const name = nameIn(problem) ?? nameIn(remedy);
  switch (typeof problem === 'string' ? null : problem.key) {
    case 'defect.noModel':
    case 'defect.noModelColumn':
      return { does: 'choose_model' };
    case 'defect.unknownVariable':
      return name === null ? null : { does: 'add_variable', name };
    case 'defect.unknownColumn': {
      const isTaken = name === null || headers.some((header) => foldHeader(header) === foldHeader(name));
      return isTaken ? null : { does: 'rename_column', to: name };
    }
    default:
      return null;
  }
}

function nameIn(text: Text): string | null {
  const name = typeof text === 'string' ? undefined : text.values?.['name'];
  return typeof name === 'string' ? name : null;
}
