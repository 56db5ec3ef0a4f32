import { formats, type Medium, type OutputFormat } from '../../../contract/formats.ts';
import type { JobView } from '../../../contract/job.ts';
import { t } from '../../../contract/messages/words.ts';
import { remarksOfFile, type Remark, type Output } from '../../../contract/take.ts';
import type { TakeView } from '../../../contract/review.ts';

type Shown = Pick<TakeView, 'medium' | 'outputs' | 'remarks'>;
export type ShownTake = Pick<TakeView, 'id' | 'kind' | 'trash'> & WithFiles;

interface WithFiles {
  readonly outputs: readonly Pick<Output, 'number' | 'format'>[];
}

/** A saved take by its first file; null in the trash, or without a file that a window knows. Files are named by their format. */
export function toShownTake({ id, kind, standing, trash, files: [file = ''] }: JobView): ShownTake | null {
  const format = file.slice(file.lastIndexOf('.') + 1).toLowerCase();
  if (standing !== 'saved' || trash !== undefined || !Object.hasOwn(formats, format)) return null;
  return { id, kind, outputs: [{ number: 1, format: format as OutputFormat }] };
}

/** The number of the file that represents a take. The first one may be missing. */
export const firstOutput = ({ outputs }: WithFiles): number => outputs[0]?.number ?? 1;

export const outputFor = ({ outputs }: Shown, number: number): Output | undefined =>
  outputs.find((output) => output.number === number);

/** The medium of a take's file; null for one without, or a missing file. */
export function mediumFor({ outputs }: WithFiles, number: number): Medium | null {
  const output = outputs.find((each) => each.number === number);
  return output ? formats[output.format].medium : null;
}

/** The same for a file that a window may open by itself; null for every other. */
export function shownMedium({ outputs }: WithFiles, number: number): Medium | null {
  const output = outputs.find((each) => each.number === number);
  return output && formats[output.format].isShown ? formats[output.format].medium : null;
}

export function remarksInWords(take: Shown, output: Output): string[] {
  const wanted = take.medium ?? 'other';
  const words: Readonly<Record<Remark, string>> = {
    not_verified: t('review.remarkNotVerified', { format: output.format.toUpperCase() }),
    other_medium: t('review.remarkOtherMedium', { found: formats[output.format].medium ?? 'other', wanted }),
    cut_short: t('review.remarkCutShort'),
    other_model: t('review.remarkOtherModel'),
    dark_frame: t('media.madeFromDarkFrame'),
  };
  return remarksOfFile(take, output).map((remark) => words[remark]);
}

/** The loudest sample of each of `points` equal parts, over all channels, from 0 to 1. Pure. */
export function computePeaks(channels: readonly Float32Array[], points: number): number[] {
  const length = channels[0]?.length ?? 0;
  const count = Math.min(points, length);
  return Array.from({ length: count }, (_, point) => {
    const start = Math.floor((point * length) / count);
    const end = Math.floor(((point + 1) * length) / count);
    let loudest = 0;
    for (const samples of channels) {
      for (let at = start; at < end; at += 1) loudest = Math.max(loudest, Math.abs(samples[at] ?? 0));
    }
    return Math.min(1, Math.round(loudest * 10_000) / 10_000);
  });
}
