import { t } from '../../contract/messages/words.ts';
import { toast, toastError } from './toasts.ts';
import { api, bridge } from './client.ts';
import type { DraftView, ListSource, ReadOptions } from '../../contract/batch.ts';
import { navigation } from './state/navigation.svelte.ts';
import { between, toastWithUndo } from './undo.svelte.ts';

function base64Of(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(new Error(t('window.fileUnreadable')));
    reader.readAsDataURL(file);
  });
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (letter) => letter.codePointAt(0) ?? 0);

export function downloadText(fileName: string, text: string): void {
  // Spreadsheet programs take a CSV for UTF-8 only when it begins with this mark.
  const isList = fileName.endsWith('.csv');
  const content = isList ? ['\uFEFF', text.replace(/^\uFEFF/, '')] : [text];
  download(fileName, new Blob(content, { type: `text/${isList ? 'csv' : 'plain'};charset=utf-8` }));
}

function download(fileName: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export async function saveDiagnostics(): Promise<void> {
  try {
    const { fileName, text } = await api.desktop.diagnostics();
    downloadText(fileName, text);
  } catch (error) {
    toastError(error);
  }
}

/** Saves a copy of a person's own list with the status of its shots in a batch. */
export async function saveWithStatus(batchId: string, list: File): Promise<void> {
  try {
    if (list.size > MAX_LIST) throw new Error(t('window.listTooLarge', { file: list.name }));
    const { content, rows, found } = await api.batches.withStatus({
      ...{ batchId, name: list.name, content: await base64Of(list) },
    });
    const [, name = list.name, ending = ''] = /^(.+?)(\.[^.]+)?$/.exec(list.name) ?? [];
    download(t('status.fileName', { name, ending }), new Blob([bytesOf(content)]));
    toast(t('status.saved', { found, rows }));
  } catch (error) {
    toastError(error);
  }
}

/** The last part of a path. */
export const fileName = (path: string): string => path.split(/[\\/]/).filter(Boolean).at(-1) ?? path;

const MAX_LIST = 200_000_000;

export const LIST_FILES = '.csv,.tsv,.txt,.xlsx';

/**
 * The source of a chosen or dropped file: in the desktop app its path, so that the files it names are found beside it;
 * in a browser its bytes. Throws with words for people when it is too large.
 */
async function sourceFor(file: File): Promise<ListSource> {
  const path = toPath(file);
  if (path !== null) return { type: 'path', path };
  if (file.size > MAX_LIST) throw new Error(t('window.listTooLarge', { file: file.name }));
  return { type: 'file', name: file.name, content: await base64Of(file) };
}

export const MEDIA_FILES = 'image/*,video/*,audio/*,.txt';

/**
 * The source of chosen or dropped files: a list, or media that become one, each file a row. Media are opened where they
 * are, which a browser does not reveal: there it throws with words for people.
 */
export async function sourceOfAll(files: readonly File[]): Promise<ListSource> {
  const [first] = files;
  const isMedia = ({ type }: File) => /^(?:image|video|audio)\//.test(type);
  if (first && files.length === 1 && !isMedia(first) && !isFolder(first)) return sourceFor(first);
  const paths = files.flatMap((file) => toPath(file) ?? []);
  if (paths.length < files.length) throw new Error(t('batch.mediaInBrowser'));
  return { type: 'media', paths };
}

/** A dropped folder is a file without a type, whose size is that of its entry. */
const isFolder = ({ type, name }: File): boolean => type === '' && !name.includes('.');

export function toPath(file: File): string | null {
  const path = bridge?.pathOfFile(file) ?? '';
  return path === '' ? null : path;
}

/** Makes a draft of a source and shows it, at the row of a shot if one is named. Throws the engine's refusal. */
export async function openList(
  projectId: string,
  source: ListSource,
  { shot = '', ...read }: ReadOptions & { readonly shot?: string } = {},
): Promise<DraftView> {
  const draft = await api.drafts.open({ projectId, source, read });
  // What a list of media still needs is the same for all of its rows.
  const form = source.type === 'media' && { form: 'defaults' };
  navigation.go('batch', { projectId, detail: { draft: draft.id, ...(shot !== '' && { shot }), ...form } });
  return draft;
}

/** Opens the list of a batch at the row of a shot. Throws the engine's refusal. */
export const editShot = (of: { projectId: string; batchId: string }, shot: string): Promise<DraftView> =>
  openList(of.projectId, { type: 'batch', batchId: of.batchId }, { shot });

/** The dropped folder, as the desktop app finds it; null when there is none. */
export function droppedFolder({ dataTransfer }: DragEvent): { readonly path: string | null } | null {
  const index = [...(dataTransfer?.items ?? [])].findIndex((item) => item.webkitGetAsEntry()?.isDirectory === true);
  const folder = index < 0 ? undefined : dataTransfer?.files[index];
  return folder ? { path: toPath(folder) } : null;
}

export async function discardList({ id: draftId, projectId, name }: DraftView): Promise<void> {
  const discard = () => api.drafts.discard({ draftId });
  try {
    await discard();
  } catch (error) {
    return void toastError(error);
  }
  const restore = async (): Promise<void> => void (await api.drafts.restore({ projectId, draftId }));
  toastWithUndo(t('batch.discardedList', { list: name }), between(restore, discard));
}
