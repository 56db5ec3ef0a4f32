import { kindSpecs } from '../../contract/kinds/index.ts';
import { Kind } from '../../contract/kinds/kind.ts';
import type { Parameter } from '../../contract/kinds/spec.ts';
import { promptColumn, type SharedColumn, type SharedColumnName } from '../../contract/kinds/shared.ts';
import { rulesFor } from '../kinds/index.ts';
import { readCell, type CellReader } from './cells.ts';
import type { Column } from './columns.ts';

export interface CellPlace {
  readonly index: number;
  readonly header: string;
}

interface SharedPlace extends CellPlace {
  readonly column: SharedColumn;
  readonly read: CellReader;
}

interface ParameterPlaces {
  readonly parameter: Parameter;
  /** Two, when the list has both `size` and `resolution`. */
  readonly places: readonly CellPlace[];
  readonly read: CellReader;
}

export interface Layout {
  readonly shared: Readonly<Partial<Record<SharedColumnName, SharedPlace>>>;
  readonly parameters: Readonly<Record<Kind, readonly ParameterPlaces[]>>;
  /** Parameters that only other kinds have. */
  readonly foreign: Readonly<Record<Kind, readonly CellPlace[]>>;
  readonly extras: readonly (CellPlace & { readonly name: string })[];
  readonly others: readonly (CellPlace & { readonly name: string })[];
  readonly nameless: readonly number[];
  readonly width: number;
}

export function toLayout(columns: readonly Column[]): Layout {
  const shared: Partial<Record<SharedColumnName, SharedPlace>> = {};
  const extras: (CellPlace & { name: string })[] = [];
  const others: (CellPlace & { name: string })[] = [];
  const nameless: number[] = [];
  for (const { index, header, meaning } of columns) {
    switch (meaning.is) {
      case 'shared': {
        const { column } = meaning;
        shared[column.name] = { index, header, column, read: (text) => readCell(column, text) };
        break;
      }
      case 'extra':
        extras.push({ index, header, name: meaning.name });
        break;
      case 'other':
        others.push({ index, header, name: meaning.name });
        break;
      case 'nothing':
        nameless.push(index);
        break;
      case 'parameter':
        break;
    }
  }
  const byKind = <Value>(make: (kind: Kind) => Value) =>
    Object.fromEntries(Kind.options.map((kind) => [kind, make(kind)])) as Record<Kind, Value>;
  return {
    shared,
    parameters: byKind((kind) => parametersFor(kind, columns)),
    foreign: byKind((kind) => columns.filter(({ meaning }) => meaning.is === 'parameter' && !meaning.byKind.has(kind))),
    extras,
    others,
    nameless,
    width: columns.length,
  };
}

function parametersFor(kind: Kind, columns: readonly Column[]): ParameterPlaces[] {
  return [...kindSpecs[kind].parameters, promptColumn]
    .map((parameter) => ({
      parameter,
      places: columns.filter(({ meaning }) => isFor(kind, parameter, meaning)),
      read: (text: string) => readCell(parameter, text, rulesFor(kind).schemas?.[parameter.name]),
    }))
    .filter(({ places }) => places.length > 0);
}

/** The prompt is a column of every kind, and of some under headers of their own. */
const isFor = (kind: Kind, parameter: Parameter, meaning: Column['meaning']): boolean =>
  meaning.is === 'parameter'
    ? meaning.byKind.get(kind) === parameter
    : meaning.is === 'shared' && meaning.column === parameter;
