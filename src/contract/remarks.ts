import * as z from 'zod';
import { formats, type OutputFormat } from './formats.ts';
import { specNamed } from './kinds/index.ts';
import type { MessageKey } from './messages/words.ts';

/** What there is to say of a file that was saved and should be looked at. */
export const Remark = z.enum([
  /** Its format is one that cannot be checked for wholeness. */
  'not_verified',
  /** A picture where a film was asked for, or the like. */
  'other_medium',
  /** A text that ends where the limit of its request was reached. */
  'cut_short',
]);
export type Remark = z.infer<typeof Remark>;

/** The text of each. */
export const remarkMessages = {
  not_verified: 'remark.notVerified',
  other_medium: 'remark.otherMedium',
  cut_short: 'remark.cutShort',
} as const satisfies Readonly<Record<Remark, MessageKey>>;

/** The remarks about files of a shot of a kind, each once. Pure. */
export function remarksOf(
  kind: string,
  outputs: readonly { readonly format: OutputFormat; readonly verified: boolean }[],
): Remark[] {
  const asked = specNamed(kind)?.medium;
  const found: Remark[] = [];
  if (outputs.some(({ verified }) => !verified)) found.push('not_verified');
  if (asked && outputs.some(({ format }) => formats[format].medium !== asked)) found.push('other_medium');
  return found;
}
