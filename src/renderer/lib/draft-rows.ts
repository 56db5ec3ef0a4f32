import type { DraftView } from '../../contract/batch.ts';
import { t } from '../../contract/messages/words.ts';
import { api } from './client.ts';

export type Row = readonly string[];

/** Rows read in one call: most lists are one, and an answer of this size does not hold up the window. */
const PAGE = 5000;

/** All rows of a list; null when it was edited while they were read. */
export async function readDraftRows(
  { id, revision, rows: count }: Pick<DraftView, 'id' | 'revision' | 'rows'>,
  progress: (share: number) => void = () => undefined,
): Promise<readonly Row[] | null> {
  const rows: Row[] = [];
  while (rows.length < count) {
    const page = await api.drafts.rows({ draftId: id, start: rows.length, count: PAGE });
    if (page.revision !== revision) return null;
    if (page.rows.length === 0) throw new Error(t('list.listShrank'));
    rows.push(...page.rows);
    progress(rows.length / count);
  }
  return rows;
}
