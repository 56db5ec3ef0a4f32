import { kindNamed, kindSpecs } from '../../contract/kinds/index.ts';
import { Kind } from '../../contract/kinds/kind.ts';
import { guessedKind, kindOfModel } from '../models/index.ts';
import type { DraftList } from '../../contract/draft-list.ts';
import { planColumns, type Column } from './columns.ts';

interface Lines {
  readonly headers: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Fills empty cells of rows with the defaults their kind knows, adds lacking columns; blank rows stay blank. Pure. */
export function withDefaults({ headers, rows }: Lines, list: Pick<DraftList, 'mapping' | 'kind' | 'defaults'>): Lines {
  const defaults = Object.entries(list.defaults).filter(([, text]) => text.trim() !== '');
  if (defaults.length === 0) return { headers, rows };
  const { columns } = planColumns({ headers, headerRow: 1 }, list.mapping);
  const added: string[] = [];
  const newPlace = (name: string): number => {
    const known = added.indexOf(name);
    return headers.length + (known >= 0 ? known : added.push(name) - 1);
  };
  const placesOf = new Map(
    Kind.options.map((kind) => [
      kind,
      defaults
        .filter(([name]) => isColumnOf(kind, name))
        .map(([name, text]) => {
          const places = placesIn(columns, kind, name);
          return { name, text, places: places.length > 0 ? places : [newPlace(name)] };
        }),
    ]),
  );
  const [modelAt, kindAt] = [placesIn(columns, null, 'model')[0], placesIn(columns, null, 'kind')[0]];
  const filled = rows.map((row) => {
    if (row.every((cell) => cell.trim() === '')) return row;
    const cellAt = (place: number | undefined): string => (place === undefined ? '' : (row[place]?.trim() ?? ''));
    const written = kindNamed(cellAt(kindAt));
    const model = cellAt(modelAt) || (list.defaults['model'] ?? '').trim();
    const kind = written ?? kindOfModel(model) ?? list.kind ?? guessedKind(model);
    if (kind === null) return row;
    const cells = [...row];
    for (const { name, text, places } of placesOf.get(kind) ?? []) {
      if (places.some((place) => cellAt(place) !== '')) continue;
      // A model that makes something else would only turn the row into a defect.
      if (name === 'model' && (kindOfModel(text.trim()) ?? kind) !== kind) continue;
      const [place = 0] = places;
      while (cells.length < place) cells.push('');
      cells[place] = text;
    }
    return cells;
  });
  return { headers: [...headers, ...added], rows: filled };
}

const isColumnOf = (kind: Kind, name: string): boolean =>
  name === 'model' || name === 'takes' || kindSpecs[kind].parameters.some((parameter) => parameter.name === name);

/** Columns whose cells mean `name` in a row of this kind. */
function placesIn(columns: readonly Column[], kind: Kind | null, name: string): number[] {
  return columns.flatMap(({ index, meaning }) => {
    if (meaning.is === 'shared') return meaning.column.name === name ? [index] : [];
    if (meaning.is !== 'parameter' || kind === null) return [];
    return meaning.byKind.get(kind)?.name === name ? [index] : [];
  });
}
