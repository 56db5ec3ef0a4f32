import * as z from 'zod';
import { formats, type Medium, type OutputFormat } from './formats.ts';
import type { MessageKey } from './messages/words.ts';

export const Remark = z.enum([
  /** Its format is one that cannot be checked for wholeness. */
  'not_verified',
  /** A picture where a film was asked for, or the like. */
  'other_medium',
  /** A text that ends where the limit of its request was reached. */
  'cut_short',
  /** Made by another model than was asked for, as the task says. */
  'other_model',
]);
export type Remark = z.infer<typeof Remark>;

export const remarkMessages = {
  not_verified: 'remark.notVerified',
  other_medium: 'remark.otherMedium',
  cut_short: 'remark.cutShort',
  other_model: 'remark.otherModel',
} as const satisfies Readonly<Record<Remark, MessageKey>>;

/** Said of a take as a whole, and so of each of its files. */
const ofTakes: readonly Remark[] = ['cut_short', 'other_model'];

/** The remarks about one file of a take, given those about the take. Pure. */
export const remarksOfFile = (
  { medium, remarks = [] }: { readonly medium?: Medium | undefined; readonly remarks?: readonly Remark[] | undefined },
  output: { readonly format: OutputFormat; readonly verified: boolean },
): Remark[] => [...remarksOf(medium, [output]), ...remarks.filter((remark) => ofTakes.includes(remark))];

/** The remarks about files of a take, each once. `asked`: the medium that its row asks for; undefined if unknown. Pure. */
export function remarksOf(
  asked: Medium | undefined,
  outputs: readonly { readonly format: OutputFormat; readonly verified: boolean }[],
): Remark[] {
  const found: Remark[] = [];
  if (outputs.some(({ verified }) => !verified)) found.push('not_verified');
  if (asked && outputs.some(({ format }) => formats[format].medium !== asked)) found.push('other_medium');
  return found;
}
