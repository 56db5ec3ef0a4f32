import type { BatchView } from '../contract/batch.ts';
import type { PowerState } from '../contract/desktop.ts';
import type { QueueView } from '../contract/events.ts';
import type { HistoryLine, HistoryRequest } from '../contract/history.ts';
import type { Counts, JobView } from '../contract/job.ts';
import type { ProjectView } from '../contract/project.ts';
import type { ProjectFacts } from '../contract/project-facts.ts';
import type { Settings } from '../contract/settings.ts';
import type { Drafts } from './batches/drafts.ts';
import type { JobsWanted, Window } from './db/review-store.ts';
import type { ServiceAccess } from './api/service-clients.ts';
import type { Library } from './library/library-api.ts';
import type { verifyTakes } from './projects/verify-takes.ts';
import type { Review } from './review/review.ts';
import type { Trash } from './review/trash/trash.ts';

/** The data of the app's views, page by page. Throws RefusedError for an unknown project. */
export interface Views {
  projects(): Promise<ProjectView[]>;
  /** Those in the archive. */
  archived(): Promise<ProjectView[]>;
  project(projectId: string): Promise<ProjectView>;
  /** What there is of a project, its files included. Throws RefusedError where its folder cannot be found. */
  facts(projectId: string): Promise<ProjectFacts>;
  /** Checks the files of a project's takes; see `verifyTakes`. */
  verify(projectId: string, signal: AbortSignal): ReturnType<typeof verifyTakes>;
  /** The history of a project, or of all of them, the newest first. */
  history(wanted: HistoryRequest): HistoryLine[];
  batches(projectId: string): BatchView[];
  job(jobId: string): JobView | null;
  jobs(wanted: JobsWanted, window: Window): Promise<{ total: number; jobs: JobView[]; counts: Counts }>;
  /** What lists say of jobs in a column of their own, in the order of the ids. */
  columnTexts(jobIds: readonly string[], column: string): string[];
  /** The library of the service a project is on; without a project, of the service of the settings. */
  library(projectId?: string): Library;
  queue(): Promise<Omit<QueueView, keyof PowerState>>;
}

/** The app's work beyond importing lists and running the queue. */
export interface AppSections {
  readonly views: Views;
  readonly drafts: Drafts;
  readonly review: Review;
  readonly trash: Trash;
  /** Address, limits, rates and prices hold from the next request on. */
  updateSettings(settings: Settings): void;
  /** The key was changed: takes that waited for another one continue. */
  keyChanged(): void;
  /** Makes a built-in service known under a name, for the projects that are on it; its key goes nowhere else. */
  useService(name: string, access: ServiceAccess): void;
  /** Notes for those who find the data folder in use at which socket this engine answers. */
  announce(socket: string): void;
}
