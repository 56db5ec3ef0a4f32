import * as z from 'zod';
import { Json } from './json.ts';
import { Kind } from './kinds/kind.ts';
import { Text } from './messages/message.ts';
import { MAX_KEY } from './units.ts';

export type Priced = Pick<ShotSpec, 'kind' | 'model' | 'params'> & Partial<Pick<ShotSpec, 'extra' | 'prompt'>>;

/** Characters in the longest text of a shot: several times what a cell of a list may hold. */
const MAX_TEXT = 200_000;
const Texts = z.record(z.string().max(MAX_KEY + 100), z.string().max(MAX_TEXT));

/** One row of a shot list after checking: everything that is wanted, nothing about what came back. */
export const ShotSpec = z.object({
  /** Unique in its batch; text, so `001` stays `001`. */
  key: z.string().min(1).max(MAX_KEY),
  kind: Kind,
  model: z.string().min(1).max(MAX_KEY),
  prompt: z.string().max(MAX_TEXT),
  takes: z.int().min(1),
  /** Values of the kind's parameters under our names, typed. Absent cells are absent keys. */
  params: z.record(z.string().max(MAX_KEY), Json),
  /** `param.NAME` columns: sent under NAME, untouched. */
  extra: Texts,
  /** Every other column: kept with the shot, usable in file names, never sent. */
  columns: Texts,
  /** Output name from the list, before it is made safe. */
  fileName: z.string().max(MAX_TEXT).optional(),
  /** Higher goes first. */
  priority: z.int(),
  notes: z.string().max(MAX_TEXT).optional(),
  group: z.string().max(MAX_KEY).optional(),
  /** What it waits for before it is sent. */
  waitFor: z.enum(['pick', 'release']).optional(),
  /** Address that the service is to report to. */
  callbackUrl: z.string().max(MAX_TEXT).optional(),
});
export type ShotSpec = z.infer<typeof ShotSpec>;

/** The key of a row: the one it names, else its place among the rows that are not blank, from 0: `0007`. */
export const keyForRow = (named: string | null | undefined, place: number): string =>
  named?.trim() || String(place + 1).padStart(4, '0');

export const Defect = z.object({
  severity: z.enum(['error', 'warning']),
  /** Line of the table as a spreadsheet numbers it: the header is row 1. 0 when it concerns the whole list. */
  row: z.int(),
  /** Header of the column as written in the list, or the canonical name when the column is absent. */
  column: z.string(),
  shot: z.string().optional(),
  value: z.string(),
  problem: Text,
  remedy: Text,
});
export type Defect = z.infer<typeof Defect>;

export type Problem = Pick<Defect, 'problem' | 'remedy'>;

/** A shot list after reading and checking. Nothing may be sent while `defects` holds an error. */
export interface CheckedList {
  readonly shots: readonly ShotSpec[];
  readonly defects: readonly Defect[];
}

export interface ImportPlan {
  readonly added: readonly ShotSpec[];
  readonly changed: readonly ShotSpec[];
  readonly unchanged: readonly ShotSpec[];
  readonly removed: readonly string[];
}
