import type { DraftView, ListSource } from '../../../../contract/batch.ts';
import { api } from '../../../lib/client.ts';
import { base64Of } from '../../../lib/files.ts';
import { navigation } from '../../../lib/state/navigation.svelte.ts';

/** What the engine reads at most, bytes. */
const LARGEST_LIST = 200_000_000;

/** Names the file chooser offers. */
export const LIST_FILES = '.csv,.tsv,.txt,.xlsx';

/** The source a chosen or dropped file is. Throws with words for people when it is too large. */
export async function sourceOf(file: File): Promise<ListSource> {
  if (file.size > LARGEST_LIST) throw new Error(`“${file.name}” is larger than 200 MB. Split it into several lists.`);
  return { type: 'file', name: file.name, content: await base64Of(file) };
}

/** Makes a draft of a source and shows it. Throws what the engine refuses. */
export async function openList(projectId: string, source: ListSource): Promise<DraftView> {
  const draft = await api.drafts.open({ projectId, source });
  navigation.go('batch', { projectId, detail: { draft: draft.id } });
  return draft;
}

/** Gives a text to the person as a file. */
export function downloadText(fileName: string, text: string): void {
  // Spreadsheet programs take a CSV for UTF-8 only when it begins with this mark.
  const url = URL.createObjectURL(
    new Blob(['\uFEFF', text.replace(/^\uFEFF/, '')], { type: 'text/csv;charset=utf-8' }),
  );
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
