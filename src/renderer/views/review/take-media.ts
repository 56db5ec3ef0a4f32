import { formats, media, type Medium } from '../../../contract/formats.ts';
import { specNamed } from '../../../contract/kinds/index.ts';
import { remarksOf, type Remark } from '../../../contract/remarks.ts';
import type { TakeView } from '../../../contract/review.ts';
import type { Output } from '../../../contract/take.ts';

type Shown = Pick<TakeView, 'kind' | 'outputs' | 'remarks'>;

/** The number of the file that stands for a take. The first one may be missing. */
export const firstOutput = ({ outputs }: Shown): number => outputs[0]?.number ?? 1;

export const outputOf = ({ outputs }: Shown, number: number): Output | undefined =>
  outputs.find((output) => output.number === number);

/** What a file of a take is to the eye or the ear; null for one that is neither, or is not there. */
export function mediumOf(take: Shown, number: number): Medium | null {
  const output = outputOf(take, number);
  return output ? formats[output.format].medium : null;
}

/** The same for a file that a window may open by itself; null for every other. */
export function shownMedium(take: Shown, number: number): Medium | null {
  const output = outputOf(take, number);
  return output && formats[output.format].isShown ? formats[output.format].medium : null;
}

const mediumInWords = (medium: Medium | null | undefined): string =>
  medium ? media[medium].inWords : 'a file of another kind';

/** What a person should know of a file before they use it, a sentence each. */
export function remarksInWords(take: Shown, output: Output): string[] {
  const asked = specNamed(take.kind)?.medium;
  const words: Readonly<Record<Remark, string>> = {
    not_verified: `Not verified: nothing in ${output.format.toUpperCase()} files shows whether they are whole.`,
    other_medium: `Not what was asked for: ${mediumInWords(formats[output.format].medium)} instead of ${mediumInWords(asked)}.`,
    cut_short: 'The text ends where it reached the limit of its request.',
  };
  const ofTake = take.remarks?.filter((remark) => remark === 'cut_short') ?? [];
  return [...remarksOf(take.kind, [output]), ...ofTake].map((remark) => words[remark]);
}
