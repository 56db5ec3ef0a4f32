import type { Finding } from './finding.ts';

export interface RowOptions {
  /** Counted rounds of each comparison. */
  readonly rounds: number;
  /** Empty folder for the files of the row; the caller removes it. */
  readonly folder: string;
}

/** What a file of `rows/` exports as `measure`. */
export type MeasureRow = (options: RowOptions) => Promise<Finding[]>;

/** Names of the rows, in the order of the table; each is measured by the file of its name. */
export const rowNames = [
  'transitions',
  'syncs',
  'calls',
  'run',
  'speech',
  'meaning',
  'downloads',
  'upload',
  'sync',
  'import',
  'adopt',
  'polling',
  'places',
  'night',
  'in-flight',
  'recovery',
  'start',
  'stalls',
  'first-view',
  'grid-scroll',
  'review-scroll',
  'review-pages',
  'review-open',
  'verdict',
  'stale',
  'reel',
  'queue-open',
  'studio',
] as const;

/** Rows that take minutes: measured only when they are named. */
export const longRowNames = ['run-long', 'studio-in-flight'] as const;
export type RowName = (typeof rowNames)[number] | (typeof longRowNames)[number];

export const isRowName = (name: string): name is RowName =>
  [...rowNames, ...longRowNames].some((known) => known === name);
