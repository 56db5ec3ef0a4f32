import type { ProjectFolders } from './projects/project-folders.ts';
import type { NightsApi } from './nights/nights.ts';
import type { SpendingService } from './projects/spending.ts';
import type { NightWindows } from './jobs/night-windows.ts';
import type { RecoveryReport } from './jobs/recovery.ts';
import type { JobCommands } from './jobs/job-commands.ts';
import type { Scheduler } from './jobs/scheduler.ts';
import type { StartBatch, StartedBatch } from './batches/start-batch.ts';
import type { EngineEvent } from '../contract/events.ts';
import type { Counts } from '../contract/job.ts';
import type { Settings } from '../contract/settings.ts';
import type { ImportPlan, ShotSpec } from '../contract/shot.ts';
import type { PlannedRequest } from '../contract/take.ts';
import type { AppSections } from './app-api.ts';
import type { Batch } from './db/batch-store.ts';
import type { CommandRunner } from './run-command.ts';
import type { Scope } from './db/job-store.ts';
import type { Stores } from './db/stores.ts';
import type { PlaceStore } from './db/place-store.ts';
import type { Library } from './library/library-api.ts';
import type { ListedModel } from './models/listed-models.ts';
import type { Ports } from './base/ports.ts';
import type { Tools } from './tools/tools.ts';

export interface EngineOptions {
  /** Database, lock, logs. Created when absent. */
  readonly dataFolder: string;
  /** The id of this machine; without one, its name tells it from others. */
  readonly machine?: string | undefined;
  readonly settings: Settings;
  /** The settings when another program has changed them since the last call, else null. Asked before each charge. */
  readonly changedSettings?: () => Settings | null;
  readonly ports: Ports;
  /** What holds the data folder, for the message a second engine gets: `dailies run`. */
  readonly command: string;
  /** How long a write waits for another program's lock on the database, ms. */
  readonly lockWaitMs?: number;
}

/** The engine as its hosts use it. One a data folder. */
export interface Engine extends AppSections {
  readonly recovery: RecoveryReport;

  /** What people can change: see `contract/commands` and `CommandRunner`. */
  readonly commands: Pick<CommandRunner, 'run' | 'undo'>;

  /** What is known, for those who look: changed by commands alone. */
  readonly stores: Stores;

  /** Reference media: the service's assets and groups beside the local files they came from. */
  readonly library: Library;

  /** Billable calls that make no take. */
  readonly tools: Tools;

  /** What requests cost, and caps on it. */
  readonly spending: SpendingService;

  /** When takes may be sent. */
  readonly windows: NightWindows;

  /** The reports of nights. */
  readonly nights: NightsApi;

  /** Where a window was last. */
  readonly places: Pick<PlaceStore, 'last' | 'keep'>;

  readonly projects: ProjectFolders;

  readonly batches: {
    list(projectId: string): Batch[];
    named(projectId: string, name: string): Batch | null;
    /** What starting this list would do; writes nothing. */
    plan(projectId: string, name: string, shots: readonly ShotSpec[]): ImportPlan;
    /**
     * Stores the list and makes jobs of its new and changed shots; sends nothing. Throws RefusedError, before anything is
     * stored, when shots name files that are neither in the project's folder nor agreed to.
     */
    start(request: StartBatch): Promise<StartedBatch>;
    /** Resolves when the manifests match the database. */
    written(): Promise<void>;
  };

  /** The exact request a shot would make, and nothing else: for `--dry-run`. */
  planRequest(shot: ShotSpec, listFolder: string): PlannedRequest;

  readonly jobs: JobCommands & { counts(scope: Scope): Counts };

  readonly queue: Pick<Scheduler, 'run' | 'settled' | 'pause' | 'resume' | 'rest' | 'wake' | 'status'>;

  /** Calls `listener` on each change until the returned function is called. */
  subscribe(listener: (event: EngineEvent) => void): () => void;

  /** The models the account may use (`GET /v1/models`). Throws an api error. */
  models(): Promise<readonly ListedModel[]>;

  /**
   * Starts nothing more, lets running submits finish (they are paid for), cuts polls and downloads short, writes the
   * manifests, closes the database and frees the data folder.
   */
  stop(): Promise<void>;
}

export type StartEngine = (options: EngineOptions) => Promise<Engine>;
