import { messageFor } from '../../contract/messages/message.ts';
import type { DraftDefect, DraftView } from '../../contract/batch.ts';
import { applyEdit, EditRefusedError, type DraftList } from '../../contract/draft-list.ts';
import { foldHeader, kindNamed, kindSpecs } from '../../contract/kinds/index.ts';
import type { Defect } from '../../contract/shot.ts';
import { refused } from '../base/errors.ts';
import { canonicalName, planColumns, type Column } from './columns.ts';
import type { DraftFile, DraftStep } from './draft-file.ts';
import type { Table } from './table.ts';
import type { CheckedTable } from './validate.ts';
import { Kind } from '../../contract/kinds/kind.ts';
import { guessedKind, kindOfModel } from '../models/index.ts';

/** Rows in all lists that undo can return to. They share rows, so this counts places, not texts. */
const MAX_HISTORY_ROWS = 3_000_000;
const MAX_STEPS_BACK = 200;

export interface DraftCheck {
  readonly revision: number;
  /** When it began, ms: files that rows name come and go. */
  readonly at: number;
  /** Of the texts that its prompts were expanded with; see `toStamp`. */
  readonly texts: string;
  readonly checked: CheckedTable;
  readonly defects: readonly DraftDefect[];
  readonly errors: number;
  readonly warnings: number;
}

/** Does what the contract may refuse, as a refusal of the engine. */
export function asRefusal<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof EditRefusedError) throw refused(error.code, error.text, error.remedy);
    throw error;
  }
}

export class Draft {
  readonly id: string;
  readonly projectId: string;
  readonly file: DraftFile;
  list: DraftList;
  revision: number;
  #past: DraftList[] = [];
  #future: DraftList[] = [];
  /** Batch it was started as; undefined before that. */
  startedAs: string | null | undefined;
  batchId: string | null;
  /** It is kept for a while, and may be restored. */
  isDiscarded = false;
  /** Name for its batch that a person chose; null while it has the name that was read. */
  chosenName: string | null;
  readonly #versions = new WeakMap<DraftList, string>();
  readonly made = new Set<string>();
  /** Defects from reading the file, for as long as their row is unchanged. */
  readonly #readDefects = new Map<readonly string[], Defect[]>();
  check: DraftCheck | null = null;
  /** The list has changed since its last check, or must be checked again. */
  isUnchecked = true;

  constructor(projectId: string, file: DraftFile) {
    this.projectId = projectId;
    this.id = file.id;
    this.file = file;
    const { headers, rows, mapping, kind, defaults, revision, chosenName, batchId } = file;
    this.batchId = batchId ?? null;
    this.chosenName = chosenName ?? null;
    this.list = { headers, rows, mapping, kind, defaults: defaults ?? {} };
    this.revision = revision;
    for (const defect of file.defects) {
      const row = rows[defect.row - 2];
      if (row) this.#readDefects.set(row, [...(this.#readDefects.get(row) ?? []), defect]);
    }
  }

  /** Nothing was done to it since it was read. */
  get isUntouched(): boolean {
    return this.revision === this.file.revision && this.chosenName === (this.file.chosenName ?? null);
  }

  /** Throws RefusedError when it was edited since `revision`. */
  checkUnchanged(revision: number): void {
    if (revision === this.revision) return;
    throw refused('draft_changed', 'failure.listChanged', 'remedy.lookAndRepeat');
  }

  /** The list that a step would make, without making it; throws RefusedError when it does not fit. */
  after(step: DraftStep): DraftList {
    if ('edit' in step) return asRefusal(() => applyEdit(this.list, step.edit));
    if ('started' in step || 'named' in step || 'discarded' in step) return this.list;
    const way = 'undo' in step ? 'undo' : 'redo';
    const left = way === 'undo' ? this.#past.at(-1) : this.#future.at(-1);
    if (left) return left;
    throw refused('nothing_there', messageFor('failure.nothingToUndo', { way }), 'remedy.none');
  }

  take(step: DraftStep, outcome: DraftList): void {
    if ('started' in step) {
      this.startedAs = step.batch ?? null;
      this.batchId = step.batch ?? this.batchId;
    } else if ('named' in step) this.chosenName = step.named;
    else if ('discarded' in step) this.isDiscarded = step.discarded;
    else this.#change(step, outcome);
  }

  #change(
    step: Exclude<DraftStep, { started: true } | { named: string } | { discarded: boolean }>,
    outcome: DraftList,
  ) {
    this.revision += 1;
    if ('edit' in step) {
      const kept = Math.max(20, Math.min(MAX_STEPS_BACK, Math.floor(MAX_HISTORY_ROWS / (this.list.rows.length + 1))));
      this.#past = [...this.#past, this.list].slice(-kept);
      this.#future = [];
      if (step.id !== undefined) this.made.add(step.id);
    } else if ('undo' in step) {
      this.#future.push(this.list);
      this.#past.pop();
    } else {
      this.#past.push(this.list);
      this.#future.pop();
    }
    if ('edit' in step && step.edit.type === 'remove_column') this.#keepReadDefects(outcome);
    this.list = outcome;
    this.isUnchecked = true;
    this.startedAs = undefined;
  }

  table(): Table {
    const { headers, rows } = this.list;
    const filled = rows.flatMap((cells, index) => (cells.some((cell) => cell.trim() !== '') ? [index] : []));
    return {
      format: 'csv',
      encoding: this.file.encoding,
      delimiter: this.file.delimiter,
      sheet: this.file.sheet,
      sheets: this.file.sheets,
      headerRow: 1,
      ...withDefaults({ headers, rows: filled.map((index) => rows[index] ?? []) }, this.list),
      rowNumbers: filled.map((index) => index + 2),
      emptyRows: rows.length - filled.length,
      defects: this.#defectsOfReading(),
    };
  }

  view(): DraftView {
    const { id, name, source, encoding, delimiter, sheet, sheets } = this.file;
    const { columns } = planColumns({ headers: this.list.headers, headerRow: 1 }, this.list.mapping);
    const version = this.#versions.get(this.list) ?? crypto.randomUUID();
    this.#versions.set(this.list, version);
    return {
      id,
      projectId: this.projectId,
      name: this.chosenName ?? name,
      isNamed: this.chosenName !== null,
      createdAt: this.file.createdAt,
      source,
      encoding,
      delimiter,
      sheet,
      sheets,
      columns: columns.map(({ header, meaning }) => {
        return { header, column: canonicalName(meaning), isExtra: meaning.is === 'extra' };
      }),
      rows: this.list.rows.length,
      kind: this.list.kind,
      defaults: { ...this.list.defaults },
      revision: this.revision,
      version,
      errors: this.check?.errors ?? 0,
      warnings: this.check?.warnings ?? 0,
      checkedRevision: this.check?.revision ?? -1,
      canUndo: this.#past.length > 0,
      canRedo: this.#future.length > 0,
      startedAs: this.startedAs ?? null,
      batchId: this.batchId,
    };
  }

  /** A row without one of its columns is still that row: its defects from reading stay. */
  #keepReadDefects({ rows }: DraftList): void {
    if (this.#readDefects.size === 0) return;
    for (const [index, row] of this.list.rows.entries()) {
      const defects = this.#readDefects.get(row);
      const now = rows[index];
      if (defects && now) this.#readDefects.set(now, defects);
    }
  }

  #defectsOfReading(): Defect[] {
    const ofList = this.file.defects.filter(({ row }) => this.file.rows[row - 2] === undefined);
    if (this.#readDefects.size === 0) return ofList;
    const ofRows = this.list.rows.flatMap((cells, index) =>
      (this.#readDefects.get(cells) ?? []).map((defect) => ({ ...defect, row: index + 2 })),
    );
    return [...ofList, ...ofRows];
  }
}

export function placeDefects(
  checked: CheckedTable,
  width: number,
): Pick<DraftCheck, 'defects' | 'errors' | 'warnings'> {
  const columnOf = new Map<string, number>();
  for (const column of [...checked.columns].reverse()) {
    const canonical = canonicalName(column.meaning);
    if (canonical !== null) columnOf.set(canonical, column.index);
  }
  for (const { header, index } of [...checked.columns].reverse()) if (header !== '') columnOf.set(header, index);
  // A name without a column of its own: the list's defaults say it for all rows.
  const columnIn = (name: string): number => {
    const place = columnOf.get(name) ?? columnOf.get(foldHeader(name)) ?? -1;
    return place < width ? place : -1;
  };
  const defects = checked.defects.map((defect) => ({
    ...defect,
    rowIndex: defect.row >= 2 ? defect.row - 2 : -1,
    columnIndex: columnIn(defect.column),
  }));
  const errors = defects.filter(({ severity }) => severity === 'error').length;
  return { defects, errors, warnings: defects.length - errors };
}

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
