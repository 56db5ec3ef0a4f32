import { kindSpecs, mediumFor } from '../../contract/kinds/index.ts';
import { asProblem, messageFor } from '../../contract/messages/message.ts';
import type { Problem, Defect, ShotSpec } from '../../contract/shot.ts';
import { fits, shotNamed, shotReferences, type ShotReference } from '../kinds/shot-reference.ts';
import { findCircles, keyFinder } from './shot-graph.ts';
import { toExtensions, localPath, toMediaType, readMediaReference } from '../kinds/media-reference.ts';
import type { MediaUse } from '../kinds/rules.ts';

export interface NamingRow {
  readonly row: number;
  readonly spec: ShotSpec;
  readonly references: readonly (ShotReference & { readonly header: string })[];
}

interface KnownShots {
  /** Row of each key, rows with errors included. */
  readonly rows: ReadonlyMap<string, number>;
  readonly skipped: ReadonlyMap<string, number>;
  /** A shot that the batch has beside the table: where one row of it is checked. */
  readonly beside: (key: string) => ShotSpec | null;
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
  const needsFor = (key: string): readonly string[] => needed.get(key) ?? needsBeside(known.beside(key), find);
  const byKey = new Map(naming.map((row) => [row.spec.key, row]));
  for (const { at, to, path } of findCircles(needed.keys(), needsFor)) {
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

function judge({ name, wants, purpose }: ShotReference, own: ShotSpec, { known, find, specs }: List): Problem | null {
  const named = shotNamed(name, find);
  if (!named) {
    const problem = name === '' ? 'defect.namesNoShot' : messageFor('defect.noRowOfKey', { key: name });
    return asProblem(problem, 'remedy.writeKeyOfRow');
  }
  const { key, output } = named;
  if (key === own.key) return asProblem('defect.namesItself', 'remedy.chooseOther');
  const skipped = known.rows.has(key) ? undefined : known.skipped.get(key);
  if (skipped !== undefined)
    return asProblem(messageFor('defect.namedRowSkipped', { row: skipped }), 'remedy.clearSkip');
  // A row that cannot be read shows its own defects.
  const spec = specs.get(key) ?? known.beside(key);
  if (!spec) return null;
  const { assetOf, outputs } = kindSpecs[spec.kind];
  const namesFile = find(name) !== key;
  // Only a whole task of the same kind can be continued.
  if (wants === 'task' && spec.kind !== own.kind) {
    const problem = messageFor('defect.shotOfOtherKind', { shot: key, made: spec.kind, wanted: own.kind });
    return asProblem(problem, 'remedy.chooseOther');
  }
  if (wants === 'task') return namesFile ? namesOneFile(key) : null;
  if (purpose !== undefined && assetOf?.(spec.params) === purpose) return namesFile ? namesOneFile(key) : null;
  const medium = mediumFor(spec.kind, spec.params);
  if (!fits(medium, wants)) {
    const problem = messageFor('defect.shotMakesOther', { shot: key, made: medium, wanted: wants });
    return asProblem(problem, 'remedy.chooseOther');
  }
  const most = outputs?.(spec.params) ?? Number.POSITIVE_INFINITY;
  if (output >= 1 && output <= most) return null;
  const problem =
    output < 1 ? messageFor('defect.filesFromOne') : messageFor('defect.filesOfShot', { shot: key, count: most });
  const isWhole = output < 1 || most === 1;
  const remedy = isWhole
    ? messageFor('remedy.writeValue', { value: `Shot://${key}` })
    : messageFor('remedy.writeShotFile', { shot: key, most });
  return asProblem(problem, remedy);
}

const namesOneFile = (shot: string): Problem =>
  asProblem('defect.namesOneFile', messageFor('remedy.writeValue', { value: `Shot://${shot}` }));

function needsBeside(spec: ShotSpec | null, find: (text: string) => string | null): string[] {
  return spec ? shotReferences(spec).flatMap(({ name }) => shotNamed(name, find)?.key ?? []) : [];
}

const circle = (path: readonly string[]): Problem =>
  asProblem(messageFor('defect.circle', { shots: path.join(' → ') }), 'remedy.breakCircle');

const SHOWN = 300;

function defect(
  { row, spec }: Pick<NamingRow, 'row' | 'spec'>,
  { header, cell }: NamingRow['references'][number],
  complaint: Problem,
): Defect {
  return { severity: 'error', row, column: header, shot: spec.key, value: cell.slice(0, SHOWN), ...complaint };
}

export interface MediaOptions {
  /** Absolute folder that relative paths start at. */
  readonly listFolder: string;
}

/** What the text of a media cell alone shows: a problem, or the absolute path of the local file to check next. */
export function judgeMedium(use: MediaUse, options: MediaOptions): Problem | string | null {
  const reference = readMediaReference(use.cell);
  switch (reference.at) {
    case 'nowhere':
      return reference;
    // Which shot it is, and what that makes, the whole list shows.
    case 'shot':
      return null;
    case 'asset':
      return use.sentAs === 'file' ? needsFile : null;
    case 'url':
      return use.sentAs === 'file' ? needsFile : wrongType(use, toPath(reference.url));
    case 'local':
      return wrongType(use, reference.path) ?? localPath(reference.path, options.listFolder);
  }
}

const needsFile = asProblem('defect.needsFile', 'remedy.copyAndName');

function wrongType(use: MediaUse, path: string): Problem | null {
  const extension = /\.([A-Za-z0-9]{2,5})$/.exec(path)?.[1];
  const type = extension === undefined ? null : toMediaType(extension);
  // An address without a telling extension may be anything; a file on disk with a strange one is a slip.
  const strange = type === null && use.sentAs === 'file';
  if (extension === undefined || (type === use.media && !strange) || (type === null && !strange)) return null;
  if (use.media === 'any') return null;
  const wanted = use.media;
  const problem = messageFor('defect.otherMedium', { found: type ?? extension.toLowerCase(), wanted });
  return asProblem(problem, messageFor('remedy.nameFileOf', { endings: toExtensions(wanted) }));
}

/** The path of a URL: without the address of the server, whose name may end like a file, and without the query. */
function toPath(url: string): string {
  return /^https?:\/\/[^/?#]*([^?#]*)/i.exec(url)?.[1] ?? '';
}
