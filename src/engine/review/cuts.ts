import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { Cut, cutFromPicks, type CutSummary, type ShotToCut, type StoredCut } from '../../contract/cut.ts';
import { formats } from '../../contract/formats.ts';
import { kindSpecs, mediumFor } from '../../contract/kinds/index.ts';
import { messageFor } from '../../contract/messages/message.ts';
import type { TakeView } from '../../contract/review.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import { layOut, type CutLookup, type CutTake, type Timeline } from '../../contract/timeline.ts';
import { refused } from '../base/errors.ts';
import { createYielder, readEach } from '../base/slices.ts';
import { keysIn } from '../batches/shot-graph.ts';
import type { Stores } from '../db/stores.ts';
import { placeIn } from '../files/place.ts';
import { areThere } from '../files/project-files.ts';
import { shotNamed, shotReferences, type FindKey } from '../kinds/shot-reference.ts';
import { projectFor } from '../projects/overview.ts';
import { soundsIn } from './cut-sounds.ts';

type ReadFrom = Pick<Stores, 'batches' | 'cuts' | 'outputs' | 'projects' | 'review'>;

/** Names the content of a cut. Pure. */
export const revisionOf = (cut: Cut): string =>
  createHash('sha256')
    .update(JSON.stringify(Cut.parse(cut)))
    .digest('hex')
    .slice(0, 32);

export const listCuts = ({ cuts }: Pick<Stores, 'cuts'>, projectId: string): CutSummary[] =>
  cuts.list(projectId).map((cut) => ({ name: cut.name, clips: cut.clips.length, revision: revisionOf(cut) }));

/** Throws RefusedError where there is none of this name. */
export function cutCalled({ cuts }: Pick<Stores, 'cuts'>, projectId: string, name: string): StoredCut {
  const cut = cuts.get(projectId, name);
  if (cut) return { cut, revision: revisionOf(cut) };
  throw refused('unknown_cut', messageFor('failure.noSuchItem', { what: 'cut' }), 'remedy.lookAndRepeat');
}

export async function timelineOf(stores: ReadFrom, projectId: string, cut: Cut): Promise<Timeline> {
  return layOut(cut, await lookUp(stores, projectId, cut));
}

/** What a cut names, as far as its takes are neither in the trash nor gone, and their files are there. */
async function lookUp(stores: ReadFrom, projectId: string, cut: Cut): Promise<CutLookup> {
  const { path } = projectFor(stores.projects, projectId);
  const takes = new Map((await takesOf(stores, projectId, path, cut)).map((take) => [take.takeId, take]));
  const sounds = cut.music.length === 0 ? new Map() : await soundsIn(path);
  const names = new Map(stores.batches.list(projectId).map(({ id, name }) => [id, name]));
  return {
    take: (takeId) => takes.get(takeId) ?? null,
    music: (sha256) => sounds.get(sha256) ?? null,
    shot({ batchId, key }) {
      const batch = names.get(batchId);
      return batch === undefined
        ? null
        : { batch, text: stores.batches.currentShot(batchId, key)?.prompt.slice(0, MAX_TEXT) ?? '' };
    },
  };
}

/** Of the text of a shot, for its slate, characters. */
const MAX_TEXT = 1000;

async function takesOf({ review }: ReadFrom, projectId: string, path: string, cut: Cut): Promise<CutTake[]> {
  const ids = [
    ...cut.clips.flatMap(({ take, alternates }) => [take ?? '', ...alternates]),
    ...cut.music.flatMap(({ source }) => (source.type === 'take' ? [source.take] : [])),
  ];
  const read = await readEach(
    [...new Set(ids)].filter((id) => id !== ''),
    (id) => review.take(id),
  );
  const takes = read.filter((take) => take.projectId === projectId && take.trash === undefined);
  const there = await filesThere(path, takes);
  return takes.map(({ id, take, verdict, outputs }) => ({
    ...{ takeId: id, take, verdict },
    files: outputs
      .filter(({ file }) => there.has(file))
      .map(({ number, file, sha256, bytes, format, facts }) => ({
        ...{ output: number, name: posix.basename(file), sha256, bytes, format, facts },
      })),
  }));
}

async function filesThere(path: string, takes: readonly TakeView[]): Promise<ReadonlySet<string>> {
  const there = new Set<string>();
  const files = takes.flatMap(({ outputs }) => outputs.map(({ file }) => file));
  for (const [folder, inFolder] of Map.groupBy(files, (file) => posix.dirname(file))) {
    const place = folder === '.' ? { project: path, names: [] } : placeIn(path, folder);
    const found = await areThere(
      place,
      inFolder.map((file) => posix.basename(file)),
    );
    for (const [index, file] of inFolder.entries()) if (found[index]) there.add(file);
  }
  return there;
}

/** A cut of the picks of a project in the order of its lists: batches as people ordered them, else the oldest first. */
export async function picksAsCut(stores: ReadFrom, projectId: string, name: string): Promise<Cut> {
  return cutFromPicks(name, await shotsToCut(stores, projectId));
}

export async function shotsToCut(stores: ReadFrom, projectId: string): Promise<ShotToCut[]> {
  const { batches } = stores;
  const rows = batches.rows(projectId).filter(({ archivedAt, importing }) => archivedAt === null && !importing);
  if (batches.order(projectId) === 'date') rows.reverse();
  const lists = rows.map(({ id, name: batch }) => ({ batchId: id, batch, shots: batches.currentShots(id) }));
  const specs = lists.flatMap(({ batch, batchId, shots }) => shots.map(({ spec }) => ({ batch, batchId, spec })));
  const sources = await stillsUsed(specs);
  const shown = specs.filter(({ batch, spec }) => isShown(spec) && !sources.has(`${batch}\0${spec.key}`));
  const flagged = new Map(
    lists.map(({ batchId }) => [batchId, Map.groupBy(stores.review.flagged(batchId), ({ shot }) => shot)]),
  );
  return shown.map(({ batchId, spec: { key } }) => {
    const takes = flagged.get(batchId)?.get(key) ?? [];
    const pick = takes.find(({ flag }) => flag === 'pick');
    const file = pick && stores.outputs.outputs(pick.id).find(({ format }) => formats[format].medium !== 'words');
    return {
      shot: { batchId, key },
      pick: pick && file ? { take: pick.id, output: file.number, rate: file.facts?.rate } : null,
      alternates: takes.filter(({ flag }) => flag === 'alternate').map(({ id }) => id),
    };
  });
}

/** Takes as shots of a cut, in their order, each by its first file or, with `all`, by each that can be seen or heard. */
export const takesToCut = (
  { review }: Pick<Stores, 'review'>,
  takeIds: readonly string[],
  { all = false } = {},
): ShotToCut[] =>
  takeIds.flatMap((take) => {
    const found = review.take(take);
    const outputs = (found?.outputs ?? []).filter(({ format }) => formats[format].medium !== 'words');
    return outputs.slice(0, all ? outputs.length : 1).map(({ number, facts }) => ({
      shot: { batchId: found?.batchId ?? '', key: found?.shot ?? '' },
      ...{ pick: { take, output: number, rate: facts?.rate }, alternates: [] },
    }));
  });

/** A cut that is not saved: these takes in a row. */
export const takesAsCut = (stores: Pick<Stores, 'review'>, name: string, takeIds: readonly string[]): Cut =>
  cutFromPicks(name, takesToCut(stores, takeIds, { all: true }));

const isShown = ({ kind, params }: ShotSpec): boolean =>
  !kindSpecs[kind].isBelowPictures && mediumFor(kind, params) !== 'words';

interface RowOfBatch {
  readonly batch: string;
  readonly spec: ShotSpec;
}

/** Stills that other rows start from: what is seen is what was made of them. By batch and key. */
async function stillsUsed(rows: readonly RowOfBatch[]): Promise<ReadonlySet<string>> {
  const stills = new Set(
    rows.flatMap(({ batch, spec }) => (mediumFor(spec.kind, spec.params) === 'still' ? [`${batch}\0${spec.key}`] : [])),
  );
  const finders = new Map<string, FindKey>();
  for (const [batch, ofBatch] of Map.groupBy(rows, (row) => row.batch)) {
    finders.set(batch, keysIn(new Set(ofBatch.map(({ spec }) => spec.key))));
  }
  const used = new Set<string>();
  const giveWay = createYielder();
  for (const { batch, spec } of rows) {
    await giveWay();
    for (const { name } of shotReferences(spec)) {
      const named = shotNamed(name, finders.get(batch) ?? (() => null), (other) => finders.get(other) ?? null);
      if (named) used.add(`${named.batch ?? batch}\0${named.key}`);
    }
  }
  return new Set([...used].filter((shot) => stills.has(shot)));
}
