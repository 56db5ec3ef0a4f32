import type { Variables } from '../../contract/prompt-library.ts';
import type { CapNear } from '../../contract/ledger.ts';
import type { PriceFacts } from '../batches/price.ts';
import type { Attempt, PauseReason } from '../../contract/job.ts';
import type { Settings } from '../../contract/settings.ts';
import type { PlannedRequest } from '../../contract/take.ts';
import type { ServiceClients } from '../api/service-clients.ts';
import type { Job } from '../db/job-store.ts';
import type { Stores } from '../db/stores.ts';
import type { createPublisher } from '../downloads/publish.ts';
import type { Frames } from '../library/frames.ts';
import type { Preparer } from '../library/prepare.ts';
import type { Ports } from '../base/ports.ts';
import type { LimitFiles } from '../projects/limits.ts';
import type { ProjectClaims } from '../projects/project-claims.ts';
import type { JobEvent } from '../machine/job-machine.ts';
import type { createDatabaseBackoff } from './gates.ts';
import type { OutputFacts } from './output-facts.ts';
import type { NightWindows } from './night-windows.ts';
import type { ResultHosts } from './result-hosts.ts';
import type { StudioDesk, StudioPorts } from './studio-ports.ts';

export interface StepContext extends Omit<Stores, 'tools'> {
  readonly ports: Ports;
  /** Where the database lies; absolute. */
  readonly dataFolder: string;
  readonly settings: Settings;
  readonly clients: ServiceClients;
  readonly downloader: ResultHosts;
  readonly publisher: ReturnType<typeof createPublisher>;
  readonly claims: ProjectClaims;
  readonly preparer: Preparer;
  readonly frames: Frames;
  readonly facts: OutputFacts;
  readonly textsOf: (projectId: string) => Variables;
  readonly limitFiles: LimitFiles;
  readonly capsNear: () => CapNear[];
  /** Await before each charge: prices just changed, here or elsewhere, hold for it and all requests before it. */
  readonly pricesInForce: () => Promise<void>;
  /** Aborted when the queue stops: polls and downloads end early, submits never do. */
  readonly stopping: AbortSignal;
  readonly nightWindows: NightWindows;
  readonly studio: StudioPorts;
  readonly desk: StudioDesk | null;
  /** Throws TakeElsewhereError unless this machine may write the files of a take. */
  readonly requireOurs: (job: Job) => Promise<void>;
  /** False while the queue is paused, its window closed, or the machine about to sleep: checked before each POST. */
  readonly maySend: (job: Job) => boolean;
  /** A download of the job became slow, or is no longer slow: a slow one takes no place from others. */
  readonly notePace: (job: Job, isSlow: boolean) => void;
  /** A person has decided about the job, and `JobStore.decisions` has it: its recipe says so as soon as it can. */
  readonly decided: (job: Job) => void;
  /** Writes the take's recipe file into its project folder, durably. Rejects when the folder cannot be written. */
  readonly writeRecipe: (job: Job, request?: PlannedRequest) => Promise<void>;
  readonly touchManifest: (batchId: string) => void;
  /** Other takes of these shots may count now: those made from them may be stale, or no longer. */
  readonly sourcesChanged: (shots: readonly Pick<Job, 'batchId' | 'shotKey'>[]) => void;
  readonly databaseBackoff: ReturnType<typeof createDatabaseBackoff>;
  readonly advance: (job: Job, event: JobEvent, also?: () => void) => Job;
  /** Stores the intent of one POST; see `JobStore.intend`. Throws CapReachedError when nothing was stored. */
  readonly intend: (job: Job, attempt: Attempt, request: PlannedRequest, price: PriceFacts) => Job;
  readonly hold: (job: Job, reason: PauseReason | null) => void;
  readonly prioritise: (job: Job, priority: number) => void;
}
