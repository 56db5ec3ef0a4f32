import { nextInReadingOrder, type Place } from '../grid/places.ts';

interface Searched {
  readonly rows: number;
  readonly columns: number;
  readonly text: (row: number, column: number) => string;
}

/** The next cell after `from` that holds the text, case apart, going round at the end; null when none does. */
export function findNext(text: string, from: Place, back: boolean, list: Searched): Place | null {
  const wanted = text.toLocaleLowerCase();
  const { rows, columns } = list;
  if (rows === 0 || columns === 0 || wanted === '') return null;
  const around = back ? { row: rows - 1, column: columns - 1 } : { row: 0, column: 0 };
  let place = from;
  for (let count = rows * columns; count > 0; count -= 1) {
    place = nextInReadingOrder(place, back, list) ?? around;
    if (list.text(place.row, place.column).toLocaleLowerCase().includes(wanted)) return place;
  }
  return null;
}
