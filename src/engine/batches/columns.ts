import { fieldsWithoutColumn, foldHeader, kindSpecs } from '../../contract/kinds/index.ts';
import { Kind } from '../../contract/kinds/kind.ts';
import type { Parameter } from '../../contract/kinds/spec.ts';
import { promptColumn, sharedColumns, type SharedColumn, type SharedColumnName } from '../../contract/kinds/shared.ts';
import { asProblem, messageFor } from '../../contract/messages/message.ts';
import type { Problem, Defect } from '../../contract/shot.ts';
import { MAX_KEY } from '../../contract/units.ts';
import { nearestWord } from '../../contract/near-miss.ts';
import type { Table } from './table.ts';
import { rulesFor } from '../kinds/index.ts';
import { readCell, type CellReader } from './cells.ts';

type Meaning =
  | { readonly is: 'shared'; readonly column: SharedColumn }
  /** The same header can be different parameters: `resolution` is the size of a video, and a field of its own for images. */
  | { readonly is: 'parameter'; readonly byKind: ReadonlyMap<Kind, Parameter> }
  /** `param.NAME`; the name may end in `:json`. */
  | { readonly is: 'extra'; readonly name: string }
  /** Kept with the shot under this name, never sent. */
  | { readonly is: 'other'; readonly name: string }
  | { readonly is: 'nothing' };

export interface Column {
  readonly index: number;
  readonly header: string;
  readonly meaning: Meaning;
}

interface Columns {
  readonly columns: readonly Column[];
  readonly defects: readonly Defect[];
}

/** Header (as written, or folded) to the column it means; an empty name keeps it without a meaning. */
export type ColumnMapping = Readonly<Record<string, string>>;

const knownMeanings: ReadonlyMap<string, Meaning> = collectMeanings();

function collectMeanings(): Map<string, Meaning> {
  const meanings = new Map<string, Meaning>();
  for (const kind of Kind.options) {
    for (const parameter of kindSpecs[kind].parameters) {
      for (const name of [parameter.name, ...parameter.aliases]) {
        const before = meanings.get(foldHeader(name));
        const byKind = before?.is === 'parameter' ? before.byKind : new Map<Kind, Parameter>();
        meanings.set(foldHeader(name), { is: 'parameter', byKind: new Map([...byKind, [kind, parameter]]) });
      }
    }
    for (const name of kindSpecs[kind].promptAliases ?? []) {
      meanings.set(foldHeader(name), { is: 'parameter', byKind: new Map([[kind, promptColumn]]) });
    }
  }
  for (const column of sharedColumns) {
    for (const name of [column.name, ...column.aliases]) meanings.set(foldHeader(name), { is: 'shared', column });
  }
  return meanings;
}

/** Names that a misspelt header may have meant: not `line`, since headers of one's own often resemble it. */
const misspeltNames: readonly string[] = [...knownMeanings].flatMap(([name, meaning]) =>
  meaning.is === 'parameter' && [...meaning.byKind.values()].includes(promptColumn) ? [] : [name],
);

function extraName(header: string): string | null {
  const dot = header.indexOf('.');
  const isExtra = dot > 0 && header.slice(0, dot).trim().toLowerCase() === 'param';
  return isExtra ? header.slice(dot + 1).trim() : null;
}

export function isKnownHeader(header: string): boolean {
  return knownMeanings.has(foldHeader(header)) || extraName(header) !== null;
}

export function planColumns(table: Pick<Table, 'headers' | 'headerRow'>, mapping: ColumnMapping = {}): Columns {
  const chosen = new Map(Object.entries(mapping).map(([header, name]) => [foldHeader(header), name]));
  const place: ToDefect = (column, severity, complaint) => ({
    ...{ severity, row: table.headerRow, column, value: column },
    ...complaint,
  });
  const columns = table.headers.map((written, index): Column => {
    const header = written.trim().slice(0, MAX_KEY + 1);
    const request = chosen.get(foldHeader(header));
    return { index, header, meaning: request === undefined ? toMeaning(header) : chosenMeaning(header, request) };
  });
  const defects = [
    ...mappingDefects(columns, mapping, place),
    ...columns.flatMap((column) => headerDefects(column, table.headers[column.index]?.length ?? 0, place, chosen)),
    ...repeatedDefects(columns, place),
  ];
  return { columns: withUniqueNames(columns), defects };
}

type ToDefect = (column: string, severity: Defect['severity'], complaint: Problem) => Defect;

function toMeaning(header: string): Meaning {
  // `__proto__` would not be a key like any other in the objects that rows become.
  if (header === '' || header === '__proto__' || header.length > MAX_KEY) return { is: 'nothing' };
  const name = extraName(header);
  if (name !== null) return { is: 'extra', name };
  return knownMeanings.get(foldHeader(header)) ?? { is: 'other', name: header };
}

function chosenMeaning(header: string, request: string): Meaning {
  return request.trim() === '' ? { is: 'other', name: header } : toMeaning(request.trim());
}

function mappingDefects(columns: readonly Column[], mapping: ColumnMapping, place: ToDefect): Defect[] {
  const present = new Set(columns.map((column) => foldHeader(column.header)));
  return Object.entries(mapping).flatMap(([header, name]) => {
    if (!present.has(foldHeader(header))) {
      const problem = messageFor('defect.mappedColumnMissing', { column: header });
      return [place(header, 'error', asProblem(problem, 'remedy.correctMapping'))];
    }
    if (name.trim() === '' || isKnownHeader(name)) return [];
    const suggestion = nearestColumn(name);
    const problem = messageFor('defect.mappedToNoColumn', { name });
    const remedy = suggestion === null ? 'remedy.mapToColumn' : messageFor('remedy.didYouMean', { name: suggestion });
    return [place(header, 'error', asProblem(problem, remedy))];
  });
}

/** Names JSON bodies and forms carry without surprises. */
const FIELD_NAME = /^[A-Za-z_][\w.[\]-]*(:json)?$/i;

function headerDefects(
  { header, meaning }: Column,
  length: number,
  place: ToDefect,
  chosen: ReadonlyMap<string, string>,
): Defect[] {
  if (header.length > MAX_KEY) {
    const problem = messageFor('defect.nameTooLong', { length, most: MAX_KEY });
    return [place(header.slice(0, MAX_KEY), 'error', asProblem(problem, 'remedy.shortenOrDelimiter'))];
  }
  if (meaning.is === 'extra' && (!FIELD_NAME.test(meaning.name) || /^__proto__/.test(meaning.name))) {
    const problem = messageFor('defect.badFieldName', { name: meaning.name });
    return [place(header, 'error', asProblem(problem, 'remedy.fieldName'))];
  }
  if (meaning.is !== 'other') return [];
  const isChosen = chosen.has(foldHeader(header));
  const field = isChosen ? undefined : fieldsWithoutColumn.find((name) => foldHeader(name) === foldHeader(header));
  if (field !== undefined) {
    const problem = messageFor('defect.fieldNotColumn', { column: header });
    return [place(header, 'error', asProblem(problem, messageFor('remedy.fieldAsParam', { field })))];
  }
  const suggestion = isChosen ? null : nearestColumn(header);
  if (suggestion === null) return [];
  const problem = messageFor('defect.unknownColumn', { column: header });
  return [place(header, 'warning', asProblem(problem, messageFor('remedy.renameColumn', { name: suggestion })))];
}

function nearestColumn(header: string): string | null {
  const word = nearestWord(foldHeader(header), misspeltNames);
  return word === null ? null : canonicalName(knownMeanings.get(word));
}

export function canonicalName(meaning: Meaning | undefined): string | null {
  switch (meaning?.is) {
    case 'shared':
      return meaning.column.name;
    case 'parameter':
      return [...meaning.byKind.values()][0]?.name ?? null;
    case 'extra':
      return `param.${meaning.name}`;
    case 'other':
    case 'nothing':
    case undefined:
      return null;
  }
}

function repeatedDefects(columns: readonly Column[], place: ToDefect): Defect[] {
  const first = new Map<string, string>();
  return columns.flatMap(({ header, meaning }) => {
    const identity = toIdentity(meaning);
    if (identity === null) return [];
    const earlier = first.get(identity);
    if (earlier === undefined) {
      first.set(identity, header);
      return [];
    }
    if (meaning.is === 'other') {
      const problem = messageFor('defect.columnTwice', { column: header });
      return [place(header, 'warning', asProblem(problem, 'remedy.chooseOther'))];
    }
    const problem = messageFor('defect.columnsMeanSame', { column: earlier, other: header });
    return [place(header, 'error', asProblem(problem, 'remedy.keepOneColumn'))];
  });
}

/** Columns with the same one mean the same; null for one without a meaning. */
export function toIdentity(meaning: Meaning): string | null {
  switch (meaning.is) {
    case 'shared':
      return `column ${meaning.column.name}`;
    case 'parameter':
      return [...meaning.byKind].map(([kind, parameter]) => `${kind} ${parameter.name}`).join();
    case 'extra':
      return `param ${meaning.name.replace(/:json$/i, '')}`;
    case 'other':
      return `other ${meaning.name}`;
    case 'nothing':
      return null;
  }
}

/** A column of one's own whose name another has before it is kept under a name with a number. */
function withUniqueNames(columns: readonly Column[]): Column[] {
  const times = new Map<string, number>();
  return columns.map((column) => {
    if (column.meaning.is !== 'other') return column;
    const { name } = column.meaning;
    const time = (times.get(name) ?? 0) + 1;
    times.set(name, time);
    return time === 1 ? column : { ...column, meaning: { is: 'other', name: `${name} (${time})` } };
  });
}

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
