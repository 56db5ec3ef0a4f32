import type { DraftEdit, PlacedEdit } from '../../contract/batch.ts';
import { RefusedError } from '../errors.ts';
import { placed, type DraftList } from './draft-list.ts';

/** A moment in the life of a draft, and the window it is about. */
interface Moment {
  readonly revision: number;
  readonly by: string;
}

/**
 * When what of a draft was last touched, and by which window. Two windows may edit one list at once: an edit that was
 * thought out on an older list is made as long as nobody else has touched what it concerns.
 */
export class DraftTrace {
  /** Since when columns stand where they stand. */
  #columnsSince: number;
  /** The last change of what is no row: headers, meanings, kind. */
  #shape: Moment;
  readonly #rows = new Map<number, Moment>();

  constructor(revision: number) {
    this.#columnsSince = revision;
    this.#shape = { revision, by: '' };
  }

  /** Takes down what a step has touched. */
  note(before: DraftList, after: DraftList, moment: Moment): void {
    if (haveMoved(before.headers, after.headers)) this.#columnsSince = moment.revision;
    if (haveOtherShape(before, after)) this.#shape = moment;
    if (before.rows === after.rows) return;
    for (const id of touchedRows(before, after)) this.#rows.set(id, moment);
  }

  /** The edit with its rows by their place. Throws RefusedError when it does not mean any more what was meant. */
  fitted(list: DraftList, edit: DraftEdit, made: Moment): PlacedEdit {
    switch (edit.type) {
      case 'cells': {
        if (made.revision < this.#columnsSince) throw columnsMoved();
        const fitting = placed(list, edit);
        if (fitting.type === 'cells') checkCells(list, fitting.cells);
        return withoutTextsReplaced(fitting);
      }
      case 'insert':
        if (made.revision < this.#columnsSince) throw columnsMoved();
        break;
      case 'remove':
        if (edit.rows.some((row) => isOthers(this.#rows.get(row), made))) throw rowChanged();
        break;
      default:
        if (isOthers(this.#shape, made)) throw columnsMoved();
    }
    return placed(list, edit);
  }
}

/** Whether something was touched by another window after the list of `made` was seen. */
const isOthers = (touched: Moment | undefined, made: Moment): boolean =>
  touched !== undefined && touched.revision > made.revision && (touched.by === '' || touched.by !== made.by);

function haveOtherShape(before: DraftList, after: DraftList): boolean {
  const { rows: _rows, ids: _ids, ...shape } = after;
  const was = new Map<string, unknown>(Object.entries(before));
  return Object.entries(shape).some(([part, now]) => was.get(part) !== now);
}

/** A new name moves no column, nor does one added behind the others. */
function haveMoved(before: readonly string[], after: readonly string[]): boolean {
  if (before.length === after.length) return false;
  const both = Math.min(before.length, after.length);
  return before.slice(0, both).some((header, index) => header !== after[index]);
}

function* touchedRows(before: DraftList, after: DraftList): Generator<number> {
  if (before.ids === after.ids) {
    for (let place = 0; place < after.rows.length; place += 1) {
      const id = after.ids[place];
      if (id !== undefined && before.rows[place] !== after.rows[place]) yield id;
    }
    return;
  }
  const rows = new Map(before.ids.map((id, place) => [id, before.rows[place]]));
  for (const [place, id] of after.ids.entries()) {
    const row = rows.get(id);
    if (row !== undefined && row !== after.rows[place]) yield id;
  }
}

function checkCells(list: DraftList, cells: Extract<PlacedEdit, { type: 'cells' }>['cells']): void {
  const stands = new Map<string, string>();
  for (const { row, column, value, was } of cells) {
    const text = stands.get(`${row} ${column}`) ?? list.rows[row]?.[column] ?? '';
    if (was !== undefined && text !== was && text !== value) throw cellChanged();
    stands.set(`${row} ${column}`, value);
  }
}

/** The journal keeps what was made, not what it replaced: the list before tells that. */
function withoutTextsReplaced(edit: PlacedEdit): PlacedEdit {
  if (edit.type !== 'cells') return edit;
  return { ...edit, cells: edit.cells.map(({ row, column, value }) => ({ row, column, value })) };
}

const cellChanged = (): RefusedError =>
  new RefusedError('cell_changed', 'Another text was written there meanwhile.', 'Choose which of the two is to stay.');
const rowChanged = (): RefusedError =>
  new RefusedError('row_changed', 'A row was edited in another window meanwhile.', 'Look at it, then remove it.');
const columnsMoved = (): RefusedError =>
  new RefusedError(
    'draft_changed',
    'The columns of the list were changed meanwhile.',
    'Look at them, then do it once more.',
  );
