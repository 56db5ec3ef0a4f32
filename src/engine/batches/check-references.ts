import { kindSpecs, mediumFor } from '../../contract/kinds/index.ts';
import { asProblem, messageFor, type Message } from '../../contract/messages/message.ts';
import type { Problem, Defect, ShotSpec } from '../../contract/shot.ts';
import {
  type FindKey,
  fits,
  type Frame,
  type NamedShot,
  readFrame,
  shotNamed,
  type ShotReference,
  shotReferences,
} from '../kinds/shot-reference.ts';
import { findCircles, keyFinder } from './shot-graph.ts';
import { toExtensions, localPath, toMediaType, readMediaReference } from '../kinds/media-reference.ts';
import type { MediaUse } from '../kinds/rules.ts';

export interface NamingRow {
  readonly row: number;
  readonly spec: ShotSpec;
  readonly references: readonly (ShotReference & { readonly header: string })[];
}

/** A batch of the project, for references from other batches. */
export interface NamedBatch {
  readonly find: FindKey;
  readonly spec: (key: string) => ShotSpec | null;
  readonly isArchived: boolean;
  /** Its takes have files in the trash alone, and none is to come. */
  readonly isTrashed: (key: string) => boolean;
}

/** The batches of the project, and the name of the one that a list is checked for. */
export interface BatchesBeside {
  readonly own: string | undefined;
  readonly named: (name: string) => NamedBatch | null;
}

interface KnownShots {
  /** Row of each key, rows with errors included. */
  readonly rows: ReadonlyMap<string, number>;
  readonly skipped: ReadonlyMap<string, number>;
  /** A shot that the batch has beside the table: where one row of it is checked. */
  readonly beside: (key: string) => ShotSpec | null;
  readonly settled: ReadonlySet<string>;
  /** Absent where the project is not known: shots of other batches are judged when it is. */
  readonly batches?: BatchesBeside | undefined;
}

/** Frames of films in a row that an image can come through before it shows. */
const MAX_FRAMES = 4;

/** Everything wrong with the shots that rows name: a list with an error of these would wait for ever. */
export function referenceDefects(rows: readonly NamingRow[], known: KnownShots): Defect[] {
  const naming = rows.filter(({ references }) => references.length > 0);
  if (naming.length === 0) return [];
  const list = listOf(rows, known);
  const graph = new Map<string, Link[]>();
  const defects: Defect[] = [];
  for (const row of naming) {
    const links: Link[] = [];
    graph.set(row.spec.key, links);
    for (const reference of row.references) {
      if (known.settled.has(reference.cell)) continue;
      const named = list.named(reference.name);
      const complaint = judge(reference, named, row.spec, list);
      if (complaint) defects.push(defect(row, reference, complaint));
      if (named && named.node !== row.spec.key) links.push(named);
    }
  }
  const linksOf = (node: string): readonly Link[] => graph.get(node) ?? list.linksOf(node);
  const frames = new Map<string, number>();
  const measure = (node: string): void => {
    const through = linksOf(node).map((link) => (frames.get(link.node) ?? 0) + (link.frame ? 1 : 0));
    frames.set(node, Math.max(0, ...through));
  };
  const needs = (node: string): string[] => linksOf(node).map((link) => link.node);
  const referenceTo = (row: NamingRow, node: string) =>
    row.references.find(({ name }) => list.named(name)?.node === node) ?? row.references[0];
  const byKey = new Map(naming.map((row) => [row.spec.key, row]));
  for (const { at, to, path } of findCircles(graph.keys(), needs, measure)) {
    const row = byKey.get(at) ?? byKey.get(to) ?? naming[0];
    const reference = row && referenceTo(row, to);
    if (row && reference) defects.push(defect(row, reference, circle([...path, to])));
  }
  for (const row of naming) {
    const count = frames.get(row.spec.key) ?? 0;
    const links = graph.get(row.spec.key) ?? [];
    // Said once, where a chain becomes too long.
    if (count <= MAX_FRAMES || links.some(({ node }) => (frames.get(node) ?? 0) > MAX_FRAMES)) continue;
    const longest = links.find((link) => link.frame && frames.get(link.node) === count - 1);
    const reference = longest && referenceTo(row, longest.node);
    const softens = asProblem(messageFor('defect.chainSoftens', { count }), 'remedy.chainSoftens');
    if (reference) defects.push({ ...defect(row, reference, softens), severity: 'warning' });
  }
  return defects;
}

interface Link {
  /** A key of the list, or batch and key of a shot elsewhere. */
  readonly node: string;
  readonly frame: Frame | null;
}

type Linked = NamedShot & Link;

/** No key has it. */
const BETWEEN = '\0';

function listOf(rows: readonly NamingRow[], known: KnownShots) {
  const { rows: keys, skipped, beside, batches } = known;
  const specs = new Map(rows.map(({ spec }) => [spec.key, spec]));
  const find = keyFinder(
    (text) => keys.has(text) || skipped.has(text) || beside(text) !== null,
    () => keys.keys(),
  );
  const found = new Map<string, NamedBatch | null>();
  const batchNamed = (name: string): NamedBatch | null => {
    const batch = found.get(name) ?? batches?.named(name) ?? null;
    found.set(name, batch);
    return batch;
  };
  const elsewhere = (name: string): FindKey | null => (name === batches?.own ? find : (batchNamed(name)?.find ?? null));
  const linked = (named: NamedShot | null, from: string | null): Linked | null => {
    const batch = named?.batch === batches?.own ? null : (named?.batch ?? from);
    return named && { ...named, batch, node: batch === null ? named.key : `${batch}${BETWEEN}${named.key}` };
  };
  const linksOf = (node: string): readonly Link[] => {
    const [from, key] = node.includes(BETWEEN) ? node.split(BETWEEN, 2) : [null, node];
    const batch = from == null ? null : batchNamed(from);
    const spec = (from == null ? beside(node) : batch?.spec(key ?? '')) ?? null;
    const findHere = batch ? batch.find : find;
    const names = spec ? shotReferences(spec) : [];
    return names.flatMap(({ name }) => linked(shotNamed(name, findHere, elsewhere), from ?? null) ?? []);
  };
  return {
    known,
    batchNamed,
    linksOf,
    specOf: ({ batch, key }: Linked): ShotSpec | null =>
      batch === null ? (specs.get(key) ?? beside(key)) : (batchNamed(batch)?.spec(key) ?? null),
    named: (name: string): Linked | null => linked(shotNamed(name, find, elsewhere), null),
  };
}

type List = ReturnType<typeof listOf>;

function judge(
  { name, wants, purpose }: ShotReference,
  named: Linked | null,
  own: ShotSpec,
  list: List,
): Problem | null {
  if (!named) return nobodyNamed(name, list);
  const { key, output, frame, namesFile, batch } = named;
  const shot = batch === null ? key : `${batch}:${key}`;
  if (batch === null) {
    if (key === own.key) return asProblem('defect.namesItself', 'remedy.chooseOther');
    const skipped = list.known.rows.has(key) ? undefined : list.known.skipped.get(key);
    if (skipped !== undefined)
      return asProblem(messageFor('defect.namedRowSkipped', { row: skipped }), 'remedy.clearSkip');
  } else {
    const other = list.batchNamed(batch);
    if (other?.isArchived) return asProblem(messageFor('defect.batchArchived', { batch }), 'remedy.unarchiveBatch');
    if (other?.isTrashed(key)) return asProblem(messageFor('defect.takesInTrash', { shot }), 'remedy.restoreFromTrash');
  }
  // A row that cannot be read shows its own defects.
  const spec = list.specOf(named);
  if (!spec) return null;
  const { assetOf, outputs } = kindSpecs[spec.kind];
  const medium = mediumFor(spec.kind, spec.params);
  if (frame) {
    if (wants === 'task' || !fits('still', wants))
      return asProblem(messageFor('defect.frameIsImage', { wanted: wants }), 'remedy.chooseOther');
    if (medium !== 'moving')
      return asProblem(messageFor('defect.frameOfNoFilm', { shot, made: medium }), 'remedy.leaveOutFrame');
  } else {
    // Only a whole task of the same kind can be continued.
    if (wants === 'task' && spec.kind !== own.kind) {
      const problem = messageFor('defect.shotOfOtherKind', { shot, made: spec.kind, wanted: own.kind });
      return asProblem(problem, 'remedy.chooseOther');
    }
    if (wants === 'task') return namesFile ? namesOneFile(shot) : null;
    if (purpose !== undefined && assetOf?.(spec.params) === purpose) return namesFile ? namesOneFile(shot) : null;
    if (!fits(medium, wants)) {
      const problem = messageFor('defect.shotMakesOther', { shot, made: medium, wanted: wants });
      const isFilm = medium === 'moving' && wants === 'still';
      return asProblem(problem, isFilm ? writeReference(`${shot}#last`) : 'remedy.chooseOther');
    }
  }
  const most = outputs?.(spec.params) ?? Number.POSITIVE_INFINITY;
  if (output >= 1 && output <= most) return null;
  const problem =
    output < 1 ? messageFor('defect.filesFromOne') : messageFor('defect.filesOfShot', { shot, count: most });
  const isWhole = output < 1 || most === 1;
  return asProblem(problem, isWhole ? writeReference(shot) : messageFor('remedy.writeShotFile', { shot, most }));
}

/** Why a name means no shot. */
function nobodyNamed(name: string, { known, batchNamed, named }: List): Problem | null {
  if (name === '') return asProblem('defect.namesNoShot', 'remedy.writeKeyOfRow');
  const mark = name.lastIndexOf('#');
  const frame = mark < 0 ? null : readFrame(name.slice(mark + 1));
  if (mark >= 0 && frame === null && named(name.slice(0, mark)) !== null)
    return asProblem(messageFor('defect.notAFrame', { text: name.slice(mark) }), 'remedy.writeFrame');
  const shots = frame === null ? name : name.slice(0, mark);
  const colon = shots.indexOf(':');
  if (colon > 0 && colon < shots.length - 1) {
    if (!known.batches) return null;
    const batch = shots.slice(0, colon);
    if (batchNamed(batch) === null && batch !== known.batches.own)
      return asProblem(messageFor('defect.noSuchBatch', { key: shots, batch }), 'remedy.writeKeyOfRow');
    const problem = messageFor('defect.noShotInBatch', { batch, key: shots.slice(colon + 1) });
    return asProblem(problem, 'remedy.writeKeyOfBatch');
  }
  return asProblem(messageFor('defect.noRowOfKey', { key: shots }), 'remedy.writeKeyOfRow');
}

const writeReference = (name: string): Message => messageFor('remedy.writeValue', { value: `Shot://${name}` });

const namesOneFile = (shot: string): Problem => asProblem('defect.namesOneFile', writeReference(shot));

const circle = (path: readonly string[]): Problem => {
  const shots = path.map((node) => node.replace(BETWEEN, ':')).join(' → ');
  return asProblem(messageFor('defect.circle', { shots }), 'remedy.breakCircle');
};

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
