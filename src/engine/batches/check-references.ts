import { kindSpecs } from '../../contract/kinds/index.ts';
import type { Kind } from '../../contract/kinds/kind.ts';
import type { Defect, ShotSpec } from '../../contract/shot.ts';
import { fits, shotNamed, shotReferences, wantedInWords, type ShotReference } from '../kinds/shot-reference.ts';
import { keyFinder, orderShots } from './shot-graph.ts';

type Complaint = Pick<Defect, 'problem' | 'remedy'>;

/** A row with the shots it names. */
export interface NamingRow {
  readonly row: number;
  readonly spec: ShotSpec;
  readonly references: readonly (ShotReference & { readonly header: string })[];
}

/** What a reference may mean. */
export interface KnownShots {
  /** Row of each key, rows with errors included. */
  readonly rows: ReadonlyMap<string, number>;
  /** Row of each key that is left out by its `skip` cell. */
  readonly skipped: ReadonlyMap<string, number>;
  /** A shot that the batch has beside the table: where one row of it is checked. */
  readonly beside: (key: string) => ShotSpec | null;
  /** Cells for which the take to use is known already. */
  readonly settled: ReadonlySet<string>;
}

/** Everything wrong with the shots that rows name: a list with one of these would wait for ever. */
export function referenceDefects(rows: readonly NamingRow[], known: KnownShots): Defect[] {
  const naming = rows.filter(({ references }) => references.length > 0);
  if (naming.length === 0) return [];
  const specs = new Map(rows.map(({ spec }) => [spec.key, spec]));
  const { rows: keys, skipped, beside } = known;
  const find = keyFinder(
    (text) => keys.has(text) || skipped.has(text) || beside(text) !== null,
    () => keys.keys(),
  );
  const needed = new Map<string, string[]>();
  const defects: Defect[] = [];
  for (const { row, spec, references } of naming) {
    const needs: string[] = [];
    needed.set(spec.key, needs);
    for (const reference of references) {
      if (known.settled.has(reference.cell)) continue;
      const complaint = judge(reference, spec, { known, find, specs });
      if (complaint) defects.push(defect({ row, spec }, reference, complaint));
      const key = shotNamed(reference.name, find)?.key;
      if (key !== undefined && key !== spec.key) needs.push(key);
    }
  }
  const needsOf = (key: string): readonly string[] => needed.get(key) ?? needsBeside(known.beside(key), find);
  const byKey = new Map(naming.map((row) => [row.spec.key, row]));
  for (const { at, to, path } of orderShots(needed.keys(), needsOf).circles) {
    const row = byKey.get(at) ?? naming[0];
    const reference = row?.references.find(({ name }) => shotNamed(name, find)?.key === to) ?? row?.references[0];
    if (row && reference) defects.push(defect(row, reference, circle([...path, to])));
  }
  return defects;
}

interface List {
  readonly known: KnownShots;
  readonly find: (text: string) => string | null;
  readonly specs: ReadonlyMap<string, ShotSpec>;
}

function judge({ name, wants }: ShotReference, own: ShotSpec, { known, find, specs }: List): Complaint | null {
  const named = shotNamed(name, find);
  if (!named) {
    const problem = name === '' ? 'The reference names no shot.' : `No row of the list has the key ${name}.`;
    return { problem, remedy: 'Write the key of a row of this list after Shot://.' };
  }
  const { key, output } = named;
  if (key === own.key) return { problem: 'The row names itself.', remedy: 'Name another row.' };
  const skipped = known.rows.has(key) ? undefined : known.skipped.get(key);
  if (skipped !== undefined) {
    const problem = `Row ${skipped}, which has this key, is left out by its skip cell.`;
    return { problem, remedy: 'Clear that skip cell: a shot that is made already is not made again.' };
  }
  // Of a row that cannot be read its own defects are told.
  const spec = specs.get(key) ?? known.beside(key);
  if (!spec) return null;
  const { medium, outputs } = kindSpecs[spec.kind];
  if (wants === 'task') return judgeTask(key, { namesFile: find(name) !== key, made: spec.kind, wanted: own.kind });
  if (!fits(medium, wants)) {
    const [made, wanted] = [wantedInWords[medium], wantedInWords[wants]];
    return {
      problem: `Shot ${key} makes ${made}, where ${wanted} is wanted.`,
      remedy: `Name a shot that makes ${wanted}.`,
    };
  }
  const most = outputs?.(spec.params) ?? Number.POSITIVE_INFINITY;
  if (output >= 1 && output <= most) return null;
  const files = most === 1 ? 'one file' : `${most} files`;
  const problem = output < 1 ? 'Files of a take are numbered from 1.' : `A take of shot ${key} has ${files}.`;
  return { problem, remedy: `Write Shot://${key}${output < 1 || most === 1 ? '' : `/N with N from 1 to ${most}`}.` };
}

interface TaskNamed {
  readonly namesFile: boolean;
  readonly made: Kind;
  readonly wanted: Kind;
}

/** What is continued is a whole task of the same kind. */
function judgeTask(key: string, { namesFile, made, wanted }: TaskNamed): Complaint | null {
  if (made !== wanted) {
    const remedy = `Name a shot of the kind ${wanted}.`;
    return { problem: `Shot ${key} is of the kind ${made}, where ${wanted} is wanted.`, remedy };
  }
  if (!namesFile) return null;
  return { problem: 'This column names a whole take, not one of its files.', remedy: `Write Shot://${key}.` };
}

function needsBeside(spec: ShotSpec | null, find: (text: string) => string | null): string[] {
  return spec ? shotReferences(spec).flatMap(({ name }) => shotNamed(name, find)?.key ?? []) : [];
}

const circle = (path: readonly string[]): Complaint => ({
  problem: `These shots wait for each other: ${path.join(' → ')}.`,
  remedy: 'Name another shot, or a file, in one of these rows.',
});

/** A defect shows the beginning of a long value. */
const SHOWN = 300;

function defect(
  { row, spec }: Pick<NamingRow, 'row' | 'spec'>,
  { header, cell }: NamingRow['references'][number],
  complaint: Complaint,
): Defect {
  return { severity: 'error', row, column: header, shot: spec.key, value: cell.slice(0, SHOWN), ...complaint };
}
