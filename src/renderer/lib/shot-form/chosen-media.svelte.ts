import { SvelteMap } from 'svelte/reactivity';
import { mediaOfRole, type UploadTarget } from '../../../contract/asset.ts';
import { t, sayText, saySentences } from '../../../contract/messages/words.ts';
import { sendFile } from '../assets/send-file.ts';
import { bridge } from '../client.ts';
import { toPath } from '../lists.ts';
import type { MediaParameter } from './media-cell.ts';

/** Pictures of media that a person has chosen here, by the text that names them in a cell: they are shown at once. */
export const chosenPictures = new SvelteMap<string, string>();

interface FilesFor {
  readonly parameter: MediaParameter;
  readonly projectId: string;
  readonly model: string;
  /** The files are uploaded now, also where their paths are known: nobody is asked about them later. */
  readonly uploadsNow: boolean;
  readonly signal: AbortSignal;
}

/** The texts by which a cell names chosen or dropped files: their paths, else the assets that they become. */
export async function namesForFiles(files: readonly File[], to: FilesFor): Promise<readonly string[]> {
  const { media, type } = to.parameter;
  const fitting = files.filter((file) => media === 'any' || file.type === '' || file.type.startsWith(`${media}/`));
  if (fitting.length < files.length) throw new Error(t('media.otherType', { type: media }));
  const taken = type === 'media' ? fitting.slice(0, 1) : fitting;
  return Promise.all(
    taken.map(async (file) => {
      const name = (to.uploadsNow ? null : toPath(file)) ?? (await uploaded(file, to));
      if (file.type.startsWith('image/')) chosenPictures.set(name, URL.createObjectURL(file));
      return name;
    }),
  );
}

/** Whether a chosen file leaves this computer at once; else it does when its shot is sent. */
export const uploadsAtOnce = (uploadsNow: boolean): boolean => uploadsNow || !bridge;

async function uploaded(file: File, { parameter, projectId, model, signal }: FilesFor): Promise<string> {
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
