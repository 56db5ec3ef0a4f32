import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { t } from '../../../src/contract/messages/words.ts';
import type { RowGrouping } from '../../../src/renderer/lib/grouping.ts';
import {
  groupNames,
  ownColumns,
  rowGroupTitle,
  textsOfGroup,
} from '../../../src/renderer/views/batch/draft/list-groups.ts';
import type { GridColumn } from '../../../src/renderer/views/batch/grid/grid-source.ts';
import { GridCursor } from '../../../src/renderer/views/batch/grid/grid-cursor.svelte.ts';
import {
  GroupedRows,
  atLine,
  groupRows,
  headingFor,
  lineOfHeading,
  lineOfRow,
  shownRows,
} from '../../../src/renderer/views/batch/grid/row-groups.svelte.ts';

const all = (count: number) => Int32Array.from({ length: count }, (_none, row) => row);
const scenes = ['Pier', 'Sea', 'Pier', '', 'Scene 10', 'Scene 2', 'Sea'];
const grouped = () => groupRows(all(scenes.length), (row) => scenes[row] ?? '');

describe('rows in groups', () => {
  it('are sorted by name, the one without a name last, each in its order', () => {
    const { rows, groups } = grouped();
    expect([...rows]).toEqual([0, 2, 5, 4, 1, 6, 3]);
    expect(groups.map(({ name, count }) => [name, count])).toEqual([
      ['Pier', 2],
      ['Scene 2', 1],
      ['Scene 10', 1],
      ['Sea', 2],
      ['', 1],
    ]);
  });

  it('lose no row and no line, whichever groups are folded', () => {
    const names = fc.array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 30 });
    fc.assert(
      fc.property(names, fc.subarray(['a', 'b', 'c', 'd', '']), (named, folded) => {
        const ordered = groupRows(all(named.length), (row) => named[row] ?? '');
        expect([...ordered.rows].sort((one, other) => one - other)).toEqual([...all(named.length)]);
        const shown = shownRows(ordered, new Set(folded));
        const isOpen = (row: number) => !folded.includes(named[row] ?? '');
        expect([...shown.rows].every(isOpen)).toBe(true);
        expect(shown.rows.length).toBe(named.filter((_name, row) => isOpen(row)).length);
        for (const [row, listRow] of shown.rows.entries()) {
          expect(atLine(shown.headings, lineOfRow(shown.headings, row))).toEqual({ row });
          expect(shown.headings[headingFor(shown.headings, row)]?.name).toBe(named[listRow]);
        }
        for (const index of shown.headings.keys())
          expect(atLine(shown.headings, lineOfHeading(shown.headings, index))).toEqual({ heading: index });
      }),
    );
  });

  it('of 100,000 rows are made in one pass', () => {
    let asked = 0;
    const { groups } = groupRows(all(100_000), (row) => {
      asked += 1;
      return String(row % 1000);
    });
    expect([asked, groups.length, groups[7]?.start]).toEqual([100_000, 1000, 700]);
  });

  it('that are folded are opened for the rows that a person is led to', () => {
    const rows = new GroupedRows(grouped, () => scenes.length);
    rows.fold(0, true);
    rows.fold(3, true);
    expect([rows.rowCount, rows.onScreen(2), rows.placeOf(2), rows.total]).toEqual([3, -1, 1, 7]);
    rows.openFor([2]);
    expect([rows.rowCount, rows.onScreen(2), rows.onScreen(6)]).toEqual([5, 1, -1]);
    expect(rows.groupOf(6)?.name).toBe('Sea');
  });
});

describe('what rows are put together by', () => {
  const column = (header: string, meaning: string | null, isExtra = false) => ({ header, column: meaning, isExtra });
  const columns = [
    column('shot', 'shot'),
    column('Scene', null),
    column('model', 'model'),
    column('.seed', 'seed', true),
  ];
  const cells = [
    ['010', ' Pier ', 'm1', ''],
    ['020', '', '', ''],
  ];
  const list = {
    columns,
    defaults: { model: 'm2' },
    text: (row: number, at: number) => cells[row]?.[at] ?? '',
    kindOf: (row: number) => (row === 0 ? ('video' as const) : null),
  };
  const namesBy = (grouping: RowGrouping) => [0, 1].map(groupNames(grouping, list));

  it('is a column of the person’s own, the model that counts, or the kind', () => {
    expect(ownColumns(columns).map(({ label }) => label)).toEqual(['Scene', '.seed']);
    expect(namesBy({ by: 'column', column: 'scene' })).toEqual(['Pier', '']);
    expect(namesBy({ by: 'model' })).toEqual(['m1', 'm2']);
    expect(namesBy({ by: 'kind' })).toEqual(['video', '']);
  });

  it('is said by a new row, where a column of the list says it', () => {
    const scene = { by: 'column', column: 'scene' } as const;
    expect(textsOfGroup(scene, 'Pier', columns)).toEqual([{ column: 1, name: 'Scene', value: 'Pier' }]);
    expect(textsOfGroup({ by: 'kind' }, 'video', columns)).toEqual([]);
    expect(rowGroupTitle(scene, '', columns)).toBe(t('review.groupWithoutColumn', { column: 'Scene' }));
  });
});

describe('the keyboard among headings', () => {
  const cursorIn = (...folded: string[]) => {
    const rows = new GroupedRows(grouped, () => scenes.length);
    for (const [index, { name }] of rows.headings.entries()) rows.fold(index, folded.includes(name));
    const shown = rows.headings;
    const cursor = new GridCursor({ rows, columns: Array<GridColumn>(3), text: () => 'filled' });
    const press = (key: string, shiftKey = false) =>
      cursor.press({ key, shiftKey, ctrlKey: false, metaKey: false, altKey: false } as KeyboardEvent, 3);
    const at = () => (cursor.heading === null ? cursor.active.row : (shown[cursor.heading]?.name ?? '?'));
    const walk = (key: string) => {
      const places = [at()];
      for (let before = NaN as string | number; before !== at() && places.length < 20;) {
        before = at();
        press(key);
        places.push(at());
      }
      return places.slice(0, -1);
    };
    return { cursor, press, at, walk };
  };

  it('goes over headings and rows as they stand, down and up', () => {
    const { cursor, walk } = cursorIn('Sea', '');
    cursor.to({ row: 0, column: 2 });
    expect(walk('ArrowDown')).toEqual([0, 1, 'Scene 2', 2, 'Scene 10', 3, 'Sea', '']);
    expect(walk('ArrowUp')).toEqual(['', 'Sea', 3, 'Scene 10', 2, 'Scene 2', 1, 0, 'Pier']);
    expect(cursor.active.column).toBe(2);
  });

  it('begins at the first heading where all groups are folded', () => {
    const { press, at, cursor } = cursorIn(...scenes);
    press('ArrowDown');
    expect([at(), cursor.isEmpty]).toEqual(['Pier', true]);
    press('End');
    expect(at()).toBe('');
  });

  it('passes over them where cells are selected or typing ends', () => {
    const { cursor, press, at } = cursorIn();
    cursor.to({ row: 1, column: 0 });
    press('ArrowDown', true);
    expect(cursor.selection).toMatchObject({ top: 1, bottom: 2 });
    cursor.to({ row: 1, column: 0 });
    cursor.leaveCell('ArrowDown');
    expect(at()).toBe(2);
  });

  it('selects the rows of a heading, and none of a folded one', () => {
    const { cursor } = cursorIn('Pier');
    cursor.toHeading(3);
    cursor.selectGroup(3);
    expect([cursor.heading, cursor.selection]).toEqual([null, { top: 2, bottom: 3, left: 0, right: 2 }]);
    cursor.toHeading(0);
    cursor.selectGroup(0);
    expect(cursor.heading).toBe(0);
  });
});
