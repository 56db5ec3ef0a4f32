import { SvelteMap } from 'svelte/reactivity';
import { mediaOfRole, type UploadTarget } from '../../../contract/asset.ts';
import { t, sayText, saySentences } from '../../../contract/messages/words.ts';
import { sendFile } from '../assets/send-file.ts';
import { toPath } from '../files.ts';
import { toastError } from '../toasts.ts';
import type { MediaParameter } from './media-cell.ts';

/** Pictures of media that a person has chosen here, by the text that names them in a cell: they are shown at once. */
export const chosenPictures = new SvelteMap<string, string>();

export interface MediaField {
  readonly parameter: MediaParameter;
  readonly projectId: string;
  readonly model: string;
  /** Files are uploaded now, also where their paths are known: nobody is asked about them later. */
  readonly uploadsNow?: boolean;
  readonly shots?: ShotsBeside | undefined;
}

/** The other shots of the list that a field is in, which it may name. */
export interface ShotsBeside {
  readonly draftId: string;
  /** As a cell has them: `Shot://KEY`. */
  readonly names: () => readonly string[];
}

/** The texts by which a cell names files: their paths, else the assets that they become. None where that fails, which is said. */
export async function namesForFiles(files: readonly File[], to: MediaField, signal: AbortSignal): Promise<string[]> {
  const { media, type } = to.parameter;
  try {
    if (media !== 'any' && files.some((file) => file.type !== '' && !file.type.startsWith(`${media}/`)))
      throw new Error(t('media.otherType', { type: media }));
    const names = files.slice(0, type === 'media' ? 1 : files.length).map(async (file) => {
      const name = (to.uploadsNow ? null : toPath(file)) ?? (await uploaded(file, to, signal));
      if (file.type.startsWith('image/')) chosenPictures.set(name, URL.createObjectURL(file));
      return name;
    });
    return await Promise.all(names);
  } catch (error) {
    if (!signal.aborted) toastError(error);
    return [];
  }
}

async function uploaded(file: File, { parameter, projectId, model }: MediaField, signal: AbortSignal): Promise<string> {
  const report = await sendFile({ file, target: targetFor(parameter, model), projectId, signal, onSent: () => {} });
  if (!report.ok) throw new Error(saySentences(sayText(report.problem), sayText(report.remedy)));
  return report.reference;
}

/** What the engine uploads such a file for, before it sends the shot. */
function targetFor(parameter: MediaParameter, model: string): UploadTarget {
  const { name, media } = parameter;
  const purpose = parameter.type === 'media' ? parameter.purpose : undefined;
  const role = name in mediaOfRole ? name : media === 'any' ? undefined : `reference_${media}`;
  return { ...(model !== '' && { model }), ...(purpose === undefined ? { role } : { purpose }) };
}
