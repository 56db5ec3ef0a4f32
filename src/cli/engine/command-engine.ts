import type { CommandInput, CommandName, DoneBy } from '../../contract/commands/index.ts';
import type { CapChange } from '../../contract/ledger.ts';
import type { NightWindow } from '../../contract/night-window.ts';
import type { RecoveryReport } from '../../engine/jobs/recovery.ts';
import type { JobAnswer } from '../../engine/jobs/job-commands.ts';
import type {
  AssetFilter,
  AssetGroup,
  AssetUse,
  LibraryAsset,
  LibraryGroup,
  Readiness,
  SyncReport,
  UploadReport,
  UploadTarget,
} from '../../contract/asset.ts';
import type { EngineEvent } from '../../contract/events.ts';
import type { JobView, Resolution } from '../../contract/job.ts';
import type { Rewritten, RewriteRequest, Scripted, ScriptRequest } from '../../contract/prompts.ts';
import type { Described, DescribeRequest } from '../../contract/describe.ts';
import type { Indexed, IndexRequest, MeaningSearch, Nearest } from '../../contract/meaning.ts';
import type { Findings, ReadPageRequest, SearchRequest } from '../../contract/research.ts';
import type { Estimate, TakeOrder } from '../../contract/batch.ts';
import type { NewTake, TakeDetails } from '../../contract/review.ts';
import type { TrashPlan } from '../../contract/trash.ts';
import type { RunEnd, RunScope, StartedRun } from '../../contract/run.ts';
import type { Holder } from '../../engine/base/instance-lock.ts';
import type { UploadOptions } from '../../engine/library/library-api.ts';
import type { ReadList } from '../read-list.ts';

type Soon<Value> = Value | Promise<Value>;

/** Commands of a person for jobs: retry, cancel or decide. */
export type Action =
  | { readonly action: 'retry' }
  | { readonly action: 'cancel' }
  | { readonly action: 'resolve'; readonly resolution: Resolution };

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

/** A command may be interrupted at every wait. */
type Waiting = UploadOptions & { readonly signal: AbortSignal };

/** The library, as commands use it. */
export interface CommandLibrary {
  groups(): Soon<LibraryGroup[]>;
  createGroup(fields: { readonly name: string; readonly description?: string }): Promise<AssetGroup>;
  /** `group` is an id or a name. */
  renameGroup(group: string, fields: { readonly name: string }): Promise<AssetGroup>;
  assets(filter: AssetFilter): Soon<LibraryAsset[]>;
  asset(assetId: string): Soon<LibraryAsset | null>;
  upload(paths: readonly string[], target: UploadTarget, options: Waiting): Promise<UploadReport[]>;
  addUrl(url: string, target: UploadTarget, options: Waiting): Promise<UploadReport>;
  untilReady(assetIds: readonly string[], options: Waiting): Promise<ReadonlyMap<string, Readiness>>;
  sync(signal: AbortSignal): Promise<SyncReport>;
  whereUsed(assetId: string): Soon<AssetUse[]>;
  hide(assetId: string, hidden: boolean): Soon<unknown>;
}

/** Billable calls that make no take, as commands use them. */
export interface CommandTools {
  rewrite(request: RewriteRequest, signal: AbortSignal): Promise<Rewritten>;
  shots(request: ScriptRequest, signal: AbortSignal): Promise<Scripted>;
  search(request: SearchRequest, signal: AbortSignal): Promise<Findings>;
  readPage(request: ReadPageRequest, signal: AbortSignal): Promise<Findings>;
  describe(request: DescribeRequest, signal: AbortSignal): Promise<Described>;
  index(request: IndexRequest, signal: AbortSignal): Promise<Indexed>;
  nearest(request: MeaningSearch, signal: AbortSignal): Promise<Nearest>;
  /** Called when its answer is where the person wanted it. */
  used(callId: string): Promise<void>;
}

/** What is asked about takes before something is done to them. */
interface TakesAtWork {
  details(takeId: string): Soon<TakeDetails>;
  estimate(wanted: NewTake): Promise<Estimate>;
  trashPlan(takeIds: readonly string[]): Promise<TrashPlan>;
}

/**
 * What commands need from the engine of a data folder, whether this process or another one started it. Reading is not
 * part of it: commands read the database directly, with or without an engine.
 */
export interface CommandEngine {
  /** The process that shares its engine; null for an engine of this process, which ends with the command. */
  readonly sharedBy: Holder | null;
  /** The repairs at its start, if it was started now. */
  readonly recovery: RecoveryReport;
  readonly library: CommandLibrary;
  readonly tools: CommandTools;
  readonly takes: TakesAtWork;
  /** See `CommandRunner`. */
  run<Name extends CommandName>(name: Name, input: CommandInput<Name>): Promise<DoneBy<Name> | null>;
  openProject(path: string): Promise<StartedRun['project']>;
  /** Stores a list as a batch of its project. */
  startList(start: ListStart, signal: AbortSignal): Promise<StartedList>;
  watch(scope: RunScope, options: WatchOptions): Promise<Watch>;
  readonly batches: {
    /** Opens its shots as a list that becomes a new batch, under this name or the next free one. */
    duplicate(batch: { readonly id: string; readonly projectId: string }, name: string): Promise<{ name: string }>;
  };
  /** Answers in the order of the jobs. */
  ask(jobs: readonly JobView[], action: Action): Soon<JobAnswer[]>;
}
