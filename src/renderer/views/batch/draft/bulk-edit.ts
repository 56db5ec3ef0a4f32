import { finderFor } from './find-cells.ts';

/** What can be done to one column in many rows. */
export const bulkActions = ['set', 'append', 'prepend', 'replace', 'clear'] as const;
export type BulkAction = (typeof bulkActions)[number];

export interface BulkEdit {
  readonly action: BulkAction;
  /** The new text; for `replace`, what replaces `find`. */
  readonly text: string;
  readonly find: string;
  readonly matchCase: boolean;
}

/** The text of a cell after it. A text that is joined to another is set apart by a blank, unless it says otherwise. */
export function bulkText(before: string, { action, text, find, matchCase }: BulkEdit): string {
  switch (action) {
    case 'set':
      // Nothing typed yet: to empty cells is an action of its own.
      return text === '' ? before : text;
    case 'clear':
      return '';
    case 'append':
      return joined(before, text);
    case 'prepend':
      return joined(text, before);
    case 'replace':
      return finderFor({ text: find, matchCase, wholeCell: false })?.replaced(before, text) ?? before;
  }
}

/** Signs that follow a word without a blank. */
const CLINGS = /^[\s.,;:!?)\]}、。，；：！？）】”’'"]/u;

function joined(one: string, other: string): string {
  const isApart = one === '' || other === '' || /\s$/u.test(one) || CLINGS.test(other);
  return isApart ? `${one}${other}` : `${one} ${other}`;
}

export interface BulkChange {
  readonly row: number;
  readonly before: string;
  readonly after: string;
}

export function bulkChanges(
  edit: BulkEdit,
  { top, bottom }: { readonly top: number; readonly bottom: number },
  text: (row: number) => string,
): readonly BulkChange[] {
  const changes: BulkChange[] = [];
  for (let row = top; row <= bottom; row += 1) {
    const before = text(row);
    const after = bulkText(before, edit);
    if (after !== before) changes.push({ row, before, after });
  }
  return changes;
}
