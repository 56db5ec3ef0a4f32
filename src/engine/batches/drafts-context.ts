import type { NoteOf } from '../db/history-store.ts';
import type { Clock } from '../base/ports.ts';
import type { AccountModels } from '../models/index.ts';
import type { Project } from '../db/project-store.ts';
import type { Batch, BatchStore } from '../db/batch-store.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import type { Variables } from '../../contract/prompt-library.ts';
import type { Settings } from '../../contract/settings.ts';
import type { BatchView, ShownShot, StartPlan } from '../../contract/batch.ts';
import type { StartBatch, StartedBatch } from './start-batch.ts';

export interface DraftsContext {
  readonly note: NoteOf;
  readonly clock: Clock;
  readonly batches: BatchStore;
  /** As they hold for shots of the project. */
  readonly settings: (projectId: string) => Settings;
  /** Models that the account of the project lists; undefined while that is not known. */
  readonly accountModels: (projectId: string) => AccountModels | undefined;
  readonly textsOf: (projectId: string) => Variables;
  /** Throws RefusedError when there is none. */
  readonly project: (projectId: string) => Project;
  /** A folder as it is called now, where the project was renamed since that was written down. */
  readonly currentPlace: (projectId: string, folder: string) => string;
  readonly starts: { start(request: StartBatch): Promise<StartedBatch> };
  readonly batchView: (batch: Batch) => BatchView;
  /**
   * Reads the project's folder into the database. Throws ProjectInUseError while another data folder's engine works
   * there.
   */
  readonly upToDate: (projectId: string) => Promise<void>;
  /** The same, unless another engine works there: to look at what is known is never refused. */
  readonly upToDateIfFree: (projectId: string) => Promise<void>;
  readonly plannedUploads: (
    projectId: string,
    shots: readonly ShotSpec[],
    listFolder: string,
  ) => Promise<readonly { readonly path: string; readonly bytes: number }[]>;
  readonly outside: (
    projectId: string,
    shots: readonly ShotSpec[],
    listFolder: string,
  ) => Promise<StartPlan['outside']>;
  /** The real path of a local file that shots of the project may send as they are; null for any other. */
  readonly agreedFile: (projectId: string, path: string) => Promise<string | null>;
  readonly capPlan: (
    place: { readonly projectId: string; readonly batchId: string | null },
    shots: readonly ShotSpec[],
  ) => Pick<StartPlan, 'cap' | 'withoutPrice'>;
  /** How long new takes of a project take together with what is queued, ms; null when we cannot say. */
  readonly lasts: (projectId: string, lines: StartPlan['lines']) => StartPlan['lasts'];
  /** See `filesNamed`. */
  readonly shotFiles: (batchId: string, names: readonly string[]) => (ShownShot | null)[];
  /** See `shotsOfFiles`. */
  readonly shotsOfFiles: (paths: readonly string[]) => Promise<ReadonlyMap<string, ShotSpec>>;
  readonly agree: (projectId: string, paths: readonly string[]) => Promise<void>;
  readonly changed: (draft: { readonly id: string; readonly projectId: string }) => void;
}
