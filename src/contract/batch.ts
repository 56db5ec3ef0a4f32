import * as z from 'zod';
import { Counts, TimeSpan, Wait } from './job.ts';
import { CapChange, CapState } from './ledger.ts';
import { NightWindow } from './night-window.ts';
import { OutputFormat } from './formats.ts';
import { Kind } from './kinds/kind.ts';
import { listOf } from './json.ts';
import { Defect } from './shot.ts';

/** `list`: row by row. `scout`: the first take of every shot before any second one. */
export const TakeOrder = z.enum(['list', 'scout']);
export type TakeOrder = z.infer<typeof TakeOrder>;

export const BatchView = z.object({
  id: z.string(),
  projectId: z.string(),
  name: z.string(),
  folder: z.string(),
  source: z.string(),
  createdAt: z.number(),
  shots: z.int(),
  counts: Counts,
  /** Its import was cut off: the list has to be run again. */
  importing: z.boolean(),
  /** When it was put away, ms; null while it is on the list. */
  archivedAt: z.number().nullable(),
  notes: z.string(),
});
export type BatchView = z.infer<typeof BatchView>;

export const ListSource = z.discriminatedUnion('type', [
  /** A dropped or chosen file, base64. */
  z.object({ type: z.literal('file'), name: z.string().max(500), content: z.string().max(300_000_000) }),
  /** A file of this machine, by its absolute path: local paths in it start at its folder. */
  z.object({ type: z.literal('path'), path: z.string().min(1).max(4096) }),
  /** Images, videos and audio files of this machine, and folders of them, by their absolute paths: a row for each. */
  z.object({ type: z.literal('media'), paths: z.array(z.string().min(1).max(4096)).min(1).max(10_000) }),
  z.object({ type: z.literal('text'), name: z.string().max(500), text: z.string().max(200_000_000) }),
  z.object({
    type: z.literal('batch'),
    batchId: z.string(),
    /** Name for a copy of the batch; a free number is added when the name is taken. */
    copyAs: z.string().min(1).max(180).optional(),
  }),
  /** An empty list with the columns of a kind. */
  z.object({ type: z.literal('template'), kind: Kind }),
]);
export type ListSource = z.infer<typeof ListSource>;

export const ReadOptions = z.object({
  encoding: z.string().optional(),
  delimiter: z.string().max(1).optional(),
  sheet: z.string().optional(),
});
export type ReadOptions = z.infer<typeof ReadOptions>;

export const DraftColumn = z.object({
  header: z.string(),
  /** Canonical column name; null when the column is kept but never sent. */
  column: z.string().nullable(),
  /** `param.NAME`: sent as NAME. */
  isExtra: z.boolean(),
});
export type DraftColumn = z.infer<typeof DraftColumn>;

export const DraftView = z.object({
  id: z.string(),
  projectId: z.string(),
  name: z.string(),
  isNamed: z.boolean(),
  createdAt: z.number(),
  source: z.string(),
  encoding: z.string().nullable(),
  delimiter: z.string().nullable(),
  sheet: z.string().nullable(),
  sheets: z.array(z.string()),
  columns: z.array(DraftColumn),
  rows: z.int(),
  /** Kind of rows that do not say; null when none was chosen. */
  kind: Kind.nullable(),
  /** What rows that do not say ask for, by column. */
  defaults: z.record(z.string(), z.string()),
  /** Grows with each edit. */
  revision: z.int(),
  /** Names the content: after an undo it is that of before. */
  version: z.string(),
  /** Defects as last counted, which was at `checkedRevision`: checking a long list lags behind its edits. */
  errors: z.int(),
  warnings: z.int(),
  /** -1 before the first check. */
  checkedRevision: z.int(),
  canUndo: z.boolean(),
  canRedo: z.boolean(),
  /** Id of the batch that it was started as; null before that, and once it was edited since. */
  startedAs: z.string().nullable(),
  /** Id of the batch whose list it is: it was read from that batch, or was last started as it; null for none. */
  batchId: z.string().nullable(),
});
export type DraftView = z.infer<typeof DraftView>;

/** Rows of one edit. */
const MAX_EDIT_ROWS = 100_000;
/** As many cells as a row of a spreadsheet has. */
const RowCells = z.array(z.string()).max(16_384);
const AddedRows = listOf(RowCells, MAX_EDIT_ROWS);
const EditedCell = z.object({ row: z.int().min(0), column: z.int().min(0), value: z.string().max(1_000_000) });
export type EditedCell = Readonly<z.infer<typeof EditedCell>>;

const CellsEdit = z.object({
  type: z.literal('cells'),
  /** Columns added on the right in the same step; the cells may be in them. */
  columns: z.array(z.string().min(1).max(500)).max(20).optional(),
  cells: listOf(EditedCell, 200_000),
  /** Rows put below the last one in the same step: what of a pasted block is beyond the end. */
  added: AddedRows.optional(),
  /** Rows put below other rows in the same step, by the places that rows have before it. */
  below: listOf(z.object({ row: z.int().min(0), cells: RowCells }), MAX_EDIT_ROWS).optional(),
});
/** An edit of a list. Rows and columns are counted from 0, the header left out. */
export const DraftEdit = z.discriminatedUnion('type', [
  CellsEdit,
  z.object({ type: z.literal('insert'), at: z.int().min(0), rows: AddedRows }),
  z.object({ type: z.literal('remove'), rows: listOf(z.int().min(0), MAX_EDIT_ROWS) }),
  z.object({ type: z.literal('add_column'), header: z.string().min(1).max(500) }),
  z.object({ type: z.literal('rename_column'), column: z.int().min(0), header: z.string().min(1).max(500) }),
  z.object({ type: z.literal('remove_column'), column: z.int().min(0) }),
  z.object({ type: z.literal('map'), column: z.int().min(0), to: z.string().nullable() }),
  z.object({ type: z.literal('kind'), kind: Kind.nullable() }),
  /** What rows that do not say ask for; an empty value takes it back. */
  z.object({ type: z.literal('default'), column: z.string().max(100), value: z.string().max(10_000) }),
]);
export type DraftEdit = z.infer<typeof DraftEdit>;

export const DraftRows = z.object({
  revision: z.int(),
  start: z.int(),
  rows: z.array(z.array(z.string())),
});
export type DraftRows = z.infer<typeof DraftRows>;

/** A defect with its cell; -1 where it concerns no single row or column. */
export const DraftDefect = Defect.extend({ rowIndex: z.int(), columnIndex: z.int() });
export type DraftDefect = z.infer<typeof DraftDefect>;

const EstimateLine = z.object({
  kind: Kind,
  model: z.string(),
  /** Its requests carry video input, which the service bills differently. */
  videoInput: z.literal(true).optional(),
  takes: z.int(),
  /** Seconds of generated video, where durations are given; null otherwise. */
  seconds: z.number().nullable(),
  /** By the user's own price table; null where it names no price. */
  price: z.number().nullable(),
});

export const Estimate = z.object({
  newTakes: z.int(),
  lines: z.array(EstimateLine),
  currency: z.string(),
  /** Sum of the known prices; null when none is known. */
  price: z.number().nullable(),
  /** Takes without a known price. */
  unpriced: z.int(),
});
export type Estimate = z.infer<typeof Estimate>;

export const ChainSum = z.object({ takes: z.int(), price: z.number().nullable(), unpriced: z.int() });
export type ChainSum = z.infer<typeof ChainSum>;

/** Rows may wait for a person: what is sent in any case, what follows once they are picked and released, and both. */
export const ChainSums = z.object({ tonight: ChainSum, afterPicks: ChainSum, atMost: ChainSum });
export type ChainSums = z.infer<typeof ChainSums>;

/**
 * All rows of a batch at the same depth of a chain, in numbers of rows: those with a saved take or a pick, those under
 * way, those without a result, and those that wait for a person.
 */
export const Stage = z.object({
  kinds: z.array(z.string()),
  shots: z.int(),
  ...{ saved: z.int(), picked: z.int(), underWay: z.int(), failed: z.int(), undecided: z.int() },
  waits: z.record(Wait, z.int()),
});
export type Stage = z.infer<typeof Stage>;

/** Something that a person has to do before rows go on, and the take to look at for it. */
export const NextWait = z.object({
  wait: Wait,
  projectId: z.string(),
  /** Batch and key of that take. */
  batchId: z.string(),
  shot: z.string(),
  takeId: z.string(),
  /** It can be looked at in review. */
  isSaved: z.boolean(),
});
export type NextWait = z.infer<typeof NextWait>;

/** One of the batches that a list could go into, and what that would make. */
export const StartMode = Estimate.pick({ newTakes: true, currency: true, price: true, unpriced: true }).extend({
  name: z.string(),
  isNew: z.boolean(),
  /** Shots of the batch that the list does not have. */
  leftOut: z.int(),
});
export type StartMode = z.infer<typeof StartMode>;

const PaidAgainCounts = z.object({
  batch: z.string(),
  shots: z.int(),
  ofShots: z.int(),
  /** Takes that would be charged once more. */
  takes: z.int(),
  /** So much that a person is asked before. */
  needsAgreement: z.boolean(),
});

export const PaidAgain = z.discriminatedUnion('reason', [
  /** Most of it is in a batch already, by its keys; there it makes fewer new takes than elsewhere. */
  PaidAgainCounts.extend({ reason: z.literal('other_batch'), there: StartMode, elsewhere: StartMode }),
  /**
   * `moved_rows`: its own batch has made rows under other keys: they were renamed or moved. `made_elsewhere`: batches of
   * the project have made them, `batch` the first of them.
   */
  PaidAgainCounts.extend({
    reason: z.enum(['moved_rows', 'made_elsewhere']),
    /** The first of them, and the key under which the same was made. */
    example: z.object({ shot: z.string(), madeAs: z.string() }),
  }),
]);
export type PaidAgain = z.infer<typeof PaidAgain>;

/** A local file outside of the folders of its list and its project that no one has agreed to send yet. */
export const OutsideFile = z.object({
  path: z.string(),
  shots: z.array(z.string()),
});
export type OutsideFile = z.infer<typeof OutsideFile>;

/** The file that a cell means by `Shot://KEY`, as it would be used now; of a film, the frame as it is written. */
export const ShownShot = z.object({
  ...{ takeId: z.string(), kind: Kind, number: z.int(), format: OutputFormat },
  frame: z.string().optional(),
  /** How many the film shows, where its facts say so. */
  frames: z.int().optional(),
});
export type ShownShot = z.infer<typeof ShownShot>;

export const MAX_NAMED = 200;

export const ShotCells = z.record(z.string().max(200), z.string().max(200_000));

/** What became of one described shot: `ok: false` lists what to correct or to agree to first, and nothing was queued. */
export const AddedShot = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), batch: BatchView, newTakes: z.int() }),
  z.object({ ok: z.literal(false), defects: z.array(Defect), outside: z.array(OutsideFile) }),
]);
export type AddedShot = z.infer<typeof AddedShot>;

/** Real paths that a person agrees to send: files, and folders with everything below them. */
export const AgreedPaths = z.array(z.string().min(1).max(4096)).max(100_000);

export const StartOptions = z.object({
  name: z.string().min(1).max(1000),
  /** Make new takes of unchanged shots too: those that the batch's open round lacks, or a round of them. */
  again: z.boolean(),
  /** The batch keeps its shots that the list has not, behind which the list's new ones come; none of them gets takes by this. */
  keepOthers: z.boolean().default(false),
  /** Real paths that the project may send from now on: files, and folders with everything below them. */
  agreed: AgreedPaths.default([]),
  /** How many takes a person saw that it makes: it is refused where it would make more. */
  newTakes: z.int().min(0).optional(),
  /** How many takes a person agreed to pay for again: it is refused where more need their agreement; see `paidAgain`. */
  paidAgain: z.int().min(0).optional(),
  cap: CapChange.optional(),
  /** In which order its takes are sent; absent, as before, and for a new batch as the list has them. */
  order: TakeOrder.optional(),
  window: NightWindow.optional(),
});
export type StartOptions = z.input<typeof StartOptions>;

export const StartPlan = Estimate.extend({
  ...ChainSums.shape,
  /** How long it takes together with what is queued already, ms; null when we cannot say. */
  lasts: TimeSpan.nullable(),
  added: z.array(z.string()),
  changed: z.array(z.string()),
  unchanged: z.int(),
  removed: z.array(z.string()),
  /** Unchanged shots of which a take failed, one entry a take: starting the list does not send it again. */
  failed: z.array(z.string()),
  uploads: z.array(z.object({ path: z.string(), bytes: z.number() })),
  outside: z.array(OutsideFile),
  /** Null where nothing is paid for again, whichever batch the list goes into. */
  paidAgain: PaidAgain.nullable(),
  cap: CapState.nullable(),
  /** Of the texts that prompts name. A start that is given another one is refused. */
  texts: z.string(),
  /** Models of the list whose price is not known: a cap in money is refused. */
  withoutPrice: z.array(z.string()),
});
export type StartPlan = z.infer<typeof StartPlan>;

export const BatchOrder = z.enum(['date', 'name', 'hand']);
export type BatchOrder = z.infer<typeof BatchOrder>;

interface Ordered {
  readonly name: string;
  readonly createdAt: number;
  /** Where a person put it among the others; null where none did. */
  readonly place: number | null;
}

/** Batches in an order. One without a place is newer than those with one, so it comes first. Pure. */
export function batchesInOrder<Batch extends Ordered>(batches: readonly Batch[], order: BatchOrder): Batch[] {
  const newestFirst = batches.toSorted((one, other) => other.createdAt - one.createdAt);
  if (order === 'date') return newestFirst;
  if (order === 'name') {
    // The same for every language and host: Chinese by Pinyin, numbers by their value.
    const { compare } = new Intl.Collator('zh-CN', { numeric: true });
    return newestFirst.sort((one, other) => compare(one.name, other.name));
  }
  return newestFirst.sort((one, other) => (one.place ?? -1) - (other.place ?? -1));
}

/** The batches of a run after a reading: the unfinished ones, and those that ended in the same run. */
export function nextRun(run: ReadonlyMap<string, Counts>, batches: readonly BatchView[]): Map<string, Counts> {
  const underWay = batches.some((batch) => batch.counts.unfinished > 0);
  const wasUnderWay = [...run.values()].some((counts) => counts.unfinished > 0);
  // A new run after an idle queue starts from nothing; an ended one stays shown until then.
  const kept = underWay && !wasUnderWay ? new Set<string>() : new Set(run.keys());
  return new Map(
    batches
      .filter((batch) => batch.counts.unfinished > 0 || kept.has(batch.id))
      .map((batch) => [batch.id, batch.counts]),
  );
}

export const countTakes = (counts: Counts): number =>
  counts.saved + counts.failed + counts.unknown + counts.cancelled + counts.unfinished;

export function sumOf(all: Iterable<Counts>): Counts {
  const sum = { saved: 0, failed: 0, unknown: 0, cancelled: 0, unfinished: 0 };
  for (const counts of all) {
    sum.saved += counts.saved;
    sum.failed += counts.failed;
    sum.unknown += counts.unknown;
    sum.cancelled += counts.cancelled;
    sum.unfinished += counts.unfinished;
  }
  return sum;
}
