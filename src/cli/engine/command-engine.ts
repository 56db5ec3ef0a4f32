import type { CapChange } from '../../contract/ledger.ts';
import type { NightWindow } from '../../contract/night-window.ts';
import type { RecoveryReport } from '../../engine/jobs/recovery.ts';
import type { UploadProgress, UploadReport, UploadTarget } from '../../contract/asset.ts';
import type { EngineEvent } from '../../contract/events.ts';
import type { JobView } from '../../contract/job.ts';
import type { TakeOrder } from '../../contract/batch.ts';
import type { RunEnd, RunScope, StartedRun } from '../../contract/run.ts';
import type { Holder } from '../../engine/base/instance-lock.ts';
import type { ReadList } from '../read-list.ts';
import type { Api } from './connection.ts';

/** A checked list to be stored by an engine. */
export interface ListStart {
  readonly list: ReadList;
  /** Absolute folder of the project; created when missing. */
  readonly project: string;
  readonly batch: string;
  readonly again: boolean;
  /** See `StartBatch`. */
  readonly keepOthers?: boolean;
  /** Real paths that a person agrees to send in addition to what is in the list's folder. */
  readonly agreed: readonly string[];
  readonly paidAgain?: number | undefined;
  /** The most that the batch may cost from now on. */
  readonly cap?: CapChange | undefined;
  /** When takes of the batch may be sent from now on. */
  readonly window?: NightWindow | undefined;
  /** In which order its takes are sent; see `StartBatch`. */
  readonly order?: TakeOrder | undefined;
}

/** A run that is followed. */
export interface Watch {
  /** Its takes: what the list wants now, and everything else that is not over. */
  readonly takes: readonly JobView[];
  /** Lets it continue and reports its changes, until nothing in it can continue automatically or the queue stops. */
  go(hear: (event: EngineEvent) => void): Promise<RunEnd>;
  /** What to do when the queue is paused; null where this command resumes it itself. */
  readonly whenPaused: string | null;
  /** The text for a person who stops following. */
  farewell(): string;
}

export interface WatchOptions {
  /** Whether what a person has paused continues. */
  readonly resumePaused: boolean;
}

export interface StartedList {
  readonly started: StartedRun;
  /** An engine that others share was paused by them: there, this resumes nothing. */
  watch(options: WatchOptions): Promise<Watch>;
}

/** What commands need from the engine of a data folder, whether this process or another one started it. */
export interface CommandEngine {
  /** Its procedures. Calls end when the person asks to stop. */
  readonly api: Api;
  /** The process that shares its engine; null for an engine of this process, which ends with the command. */
  readonly sharedBy: Holder | null;
  /** The repairs at its start, if it was started now. */
  readonly recovery: RecoveryReport;
  /** Brings files into the library; an engine of another process says nothing of its progress. */
  upload(
    paths: readonly string[],
    target: UploadTarget,
    onProgress: (progress: UploadProgress) => void,
  ): Promise<UploadReport[]>;
  /** Stores a list as a batch of its project. */
  startList(start: ListStart, signal: AbortSignal): Promise<StartedList>;
  watch(scope: RunScope, options: WatchOptions): Promise<Watch>;
}
