import type { LedgerLine } from '../../contract/ledger.ts';
import { reportLines } from '../batches/csv-text.ts';

const COLUMNS = ['at', 'state', 'project', 'batch', 'shot', 'take', 'tool', 'model', 'price', 'currency', 'told'];
/** A spreadsheet takes the file for Unicode then. */
const MARK = '\uFEFF';
const LINES_AT_ONCE = 500;

export function* ledgerCsv(lines: Iterable<LedgerLine>, currency: string): Generator<string> {
  let piece = [MARK, ...reportLines([COLUMNS])];
  for (const line of lines) {
    piece.push(...reportLines([cellsFor(line, currency)]));
    if (piece.length < LINES_AT_ONCE) continue;
    yield piece.join('');
    piece = [];
  }
  yield piece.join('');
}

const cellsFor = (line: LedgerLine, currency: string): (string | number)[] => [
  new Date(line.at).toISOString(),
  ...[line.state, line.project ?? '', line.batch ?? '', line.shot ?? '', line.take ?? '', line.tool ?? ''],
  ...[line.model, line.price ?? '', line.price === null ? '' : currency, line.told ?? ''],
];
