import { say } from '../../contract/messages/words.ts';
import type { DraftView, ListSource, ReadOptions } from '../../contract/batch.ts';
import { api, bridge } from './client.ts';
import { base64Of } from './files.ts';
import { navigation } from './state/navigation.svelte.ts';

/** What the engine reads at most, bytes. */
const LARGEST_LIST = 200_000_000;

/** Names the file chooser offers. */
export const LIST_FILES = '.csv,.tsv,.txt,.xlsx';

/**
 * The source a chosen or dropped file is: in the desktop app the file where it lies, so that what it names is found
 * beside it; in a browser its bytes. Throws with words for people when it is too large.
 */
export async function sourceOf(file: File): Promise<ListSource> {
  const path = pathOf(file);
  if (path !== null) return { type: 'path', path };
  if (file.size > LARGEST_LIST) throw new Error(say('window.listTooLarge', { file: file.name }));
  return { type: 'file', name: file.name, content: await base64Of(file) };
}

/** Where a dropped or chosen file lies; null in a browser, which does not tell, and for one that was never on a disk. */
function pathOf(file: File): string | null {
  const path = bridge?.pathOfFile(file) ?? '';
  return path === '' ? null : path;
}

/** Makes a draft of a source and shows it, at the row of a shot where one is named. Throws what the engine refuses. */
export async function openList(
  projectId: string,
  source: ListSource,
  { shot = '', ...read }: ReadOptions & { readonly shot?: string } = {},
): Promise<DraftView> {
  const draft = await api.drafts.open({ projectId, source, read });
  navigation.go('batch', { projectId, detail: { draft: draft.id, ...(shot !== '' && { shot }) } });
  return draft;
}

/** Opens the list of a batch at the row of a shot. Throws what the engine refuses. */
export const editShot = (of: { projectId: string; batchId: string }, shot: string): Promise<DraftView> =>
  openList(of.projectId, { type: 'batch', batchId: of.batchId }, { shot });

/** The folder among what is being dropped, as the desktop app finds it; null when there is none. */
export function droppedFolder({ dataTransfer }: DragEvent): { readonly path: string | null } | null {
  const index = [...(dataTransfer?.items ?? [])].findIndex((item) => item.webkitGetAsEntry()?.isDirectory === true);
  const folder = index < 0 ? undefined : dataTransfer?.files[index];
  return folder ? { path: pathOf(folder) } : null;
}
