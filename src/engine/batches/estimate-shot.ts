import type { Estimate } from '../../contract/batch.ts';
import type { Settings } from '../../contract/settings.ts';
import { estimate } from './estimate.ts';
import { checkList } from './validate.ts';

/** What one shot would come to, given as the cells of its row by column; null while there is no such shot yet. */
export async function estimateShot(
  cells: Readonly<Record<string, string>>,
  listFolder: string,
  settings: Settings,
): Promise<Estimate | null> {
  const table = { headers: Object.keys(cells), headerRow: 1, rows: [Object.values(cells)], rowNumbers: [2] };
  const nothingElse = { encoding: null, delimiter: null, sheet: null, sheets: [], emptyRows: 0, defects: [] };
  const { shots } = await checkList({ format: 'csv', ...table, ...nothingElse }, { listFolder, settings });
  const [shot] = shots;
  return shot ? estimate([{ shot, takes: shot.takes }], settings) : null;
}
