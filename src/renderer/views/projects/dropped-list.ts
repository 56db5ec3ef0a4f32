import { api } from '../../lib/client.ts';
import { base64Of } from '../../lib/files.ts';
import { navigation } from '../../lib/state/navigation.svelte.ts';

/** Longest list that is taken in, bytes: the contract's limit for a file in base64. */
const LARGEST_LIST = 200_000_000;

/** Makes a draft of a dropped shot list and shows it in the batch view. Throws with words for people. */
export async function openDroppedList(projectId: string, file: File): Promise<void> {
  if (file.size > LARGEST_LIST) {
    throw new Error(`“${file.name}” is larger than a shot list can be. Drop a CSV, TSV or XLSX file.`);
  }
  const content = await base64Of(file);
  const draft = await api.drafts.open({ projectId, source: { type: 'file', name: file.name, content } });
  navigation.go('batch', { projectId, detail: { draft: draft.id } });
}
