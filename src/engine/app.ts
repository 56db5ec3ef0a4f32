import type { StartBatch, StartedBatch } from './batches/start-batch.ts';
import type { BatchView } from '../contract/batch.ts';
import type { DraftRepository } from './batches/draft-repository.ts';
import { Drafts } from './batches/drafts.ts';
import { pricesOn } from './batches/price.ts';
import type { AppSections } from './app-api.ts';
import type { Batch } from './db/batch-store.ts';
import type { HistoryStore, NoteOf } from './db/history-store.ts';
import type { JobQueries } from './db/job-queries.ts';
import type { Project } from './db/project-store.ts';
import type { ProjectFilesStore } from './db/project-files-store.ts';
import type { ReviewStore } from './db/review-store.ts';
import type { TakeTally } from './db/take-tally.ts';
import type { EngineEvents } from './engine-events.ts';
import { isStrangeFolder } from './kinds/media-reference.ts';
import type { ListedModels } from './models/listed-models.ts';
import type { Library } from './library/library-api.ts';
import type { ExpectedEnds } from './jobs/expected-work.ts';
import type { Scheduler } from './jobs/scheduler.ts';
import type { StepContext } from './jobs/step-context.ts';
import { agreedIn } from './jobs/planning.ts';
import { filesNamed } from './jobs/shot-sources.ts';
import { agreedFile, outsideFiles } from './library/outside-files.ts';
import { readFacts } from './projects/project-facts.ts';
import { verifyTakes } from './projects/verify-takes.ts';
import { projectView, projectViews, requireUnarchived, projectOf } from './projects/overview.ts';
import type { SpendingService } from './projects/spending.ts';
import { realPath } from './files/existing-paths.ts';
import { queueView } from './queue-view.ts';
import { readEach } from './base/slices.ts';
import { Review, type ReviewContext } from './review/review.ts';
import { VerdictNotes } from './review/verdict-notes.ts';

export interface AppParts {
  readonly steps: StepContext;
  readonly queries: JobQueries;
  readonly tally: TakeTally;
  readonly shelf: DraftRepository;
  readonly store: ReviewStore;
  readonly history: HistoryStore;
  readonly note: NoteOf;
  readonly scheduler: Scheduler;
  readonly expected: ExpectedEnds;
  readonly library: Library;
  readonly listedModels: ListedModels;
  readonly start: (request: StartBatch) => Promise<StartedBatch>;
  /** Runs work that numbers new takes of a project, one after the other for each project. */
  readonly inTurn: <Result>(projectId: string, work: () => Promise<Result>) => Promise<Result>;
  readonly news: EngineEvents;
  readonly files: ProjectFilesStore;
  readonly scores: ReviewContext['scores'];
  readonly spending: SpendingService;
}

export type App = Pick<AppSections, 'views' | 'drafts' | 'review'> & {
  /** Resolves when every verdict that can be written is in its recipe. */
  verdictsWritten(): Promise<void>;
  stop(): Promise<void>;
};

/** Composes the app's parts beside the queue, over the same stores. */
export function composeApp(parts: AppParts): App {
  const {
    steps,
    queries,
    tally,
    shelf,
    store,
    history,
    note,
    scheduler,
    expected,
    library,
    listedModels,
    start,
    inTurn,
    news,
    scores,
    spending,
    files,
  } = parts;
  const { projects, batches, ports } = steps;
  const project = (projectId: string): Project => projectOf(projects, projectId);
  const batchView = (batch: Batch): BatchView => {
    const row = batches.rows(batch.projectId).find(({ id }) => id === batch.id);
    if (!row) throw new Error(`Batch ${batch.id} is gone.`);
    return { ...row, counts: tally.counts({ batchId: batch.id }) };
  };
  const libraryOf = (projectId?: string): Library =>
    library.on(projectId === undefined ? null : projects.service(project(projectId).id));
  const settingsOf = (projectId: string) => ({
    ...steps.settings,
    prices: pricesOn(projects.service(projectId), steps.settings.prices),
  });
  const notes = new VerdictNotes(steps, store);
  notes.lookAgain();
  const drafts = new Drafts(
    {
      clock: ports.clock,
      batches,
      settings: settingsOf,
      accountModels: (projectId) => listedModels.of(steps.clients.currentIfAny(projects.service(projectId))),
      textsOf: steps.textsOf,
      project: (projectId) => {
        requireUnarchived(projects, projectId);
        return project(projectId);
      },
      currentPlace(projectId, folder) {
        const { path } = project(projectId);
        const isForeign = isStrangeFolder(folder, path) && !steps.agreements.of(projectId).includes(folder);
        return isForeign ? path : projects.currentPlace(project(projectId), folder);
      },
      start,
      batchView,
      changed: (draft) => news.draft(draft.projectId, draft.id),
      note,
      upToDate: (projectId) => steps.claims.claimIfThere(projectId),
      upToDateIfFree: (projectId) => steps.claims.claimIfFree(projectId),
      plannedUploads: (projectId, shots, listFolder) => libraryOf(projectId).plannedUploads(shots, listFolder),
      outside: async (projectId, shots, listFolder) =>
        outsideFiles(shots, listFolder, await agreedIn(steps, project(projectId))),
      agreedFile: async (projectId, path) => {
        const { file, isOpen } = await agreedFile(path, await agreedIn(steps, project(projectId)));
        return isOpen ? file : null;
      },
      lasts: (projectId, lines) => {
        const service = projects.service(projectId);
        return expected.lengthWith(lines.map(({ model, takes }) => ({ service, model, waiting: takes })));
      },
      capPlan: ({ projectId, batchId }, shots) => ({
        cap: batchId === null ? null : spending.capOf({ scope: 'batch', batchId }),
        withoutPrice: spending.withoutPrice(shots, { projectId }),
      }),
      shotFiles: (batchId, names) => filesNamed(steps, batchId, names),
      trustFolder: async (projectId, folder) => steps.agreements.add(projectId, [await realPath(folder)]),
    },
    shelf,
  );
  return {
    drafts,
    review: new Review({
      steps,
      store,
      notes,
      history,
      inTurn,
      scores,
      judged: (verdicts) => news.verdicts(verdicts),
      added(take) {
        news.job(take.id);
        news.batches(take.projectId);
      },
      lookAgain: () => scheduler.lookAgain(),
    }),
    views: {
      projects: () => projectViews({ projects, tally }),
      archived: () => projectViews({ projects, tally }, 'archived'),
      project: (projectId) => projectView({ projects, tally }, projectId),
      facts: async (projectId) => ({
        ...(await readFacts({ files, tally, review: store, ledger: steps.ledger }, project(projectId))),
        currency: steps.settings.currency,
      }),
      verify: (projectId, signal) => verifyTakes({ projectId, files, folder: () => project(projectId).path }, signal),
      history: ({ projectId, before, count }) =>
        history
          .page({ count, ...(projectId !== undefined && { projectId }), ...(before !== undefined && { before }) })
          .map(({ id, at, by, text, projectId: of }) => ({
            ...{ id, at, by, text },
            project: of === null ? null : (projects.get(of)?.name ?? null),
          })),
      batches: (projectId) =>
        batches.rows(project(projectId).id).map((row) => ({ ...row, counts: tally.counts({ batchId: row.id }) })),
      job: (jobId) => queries.view(jobId),
      async jobs(wanted, window) {
        const { total, ids } = store.jobs(wanted, window);
        const { projectId, batchId } = wanted;
        const scope = { ...(projectId !== undefined && { projectId }), ...(batchId !== undefined && { batchId }) };
        return { total, jobs: await readEach(ids, (id) => queries.view(id)), counts: tally.counts(scope) };
      },
      columnTexts: (jobIds, column) => store.columnTexts(jobIds, column),
      library: libraryOf,
      queue: () => queueView({ steps, tally, store, scheduler }),
    },
    verdictsWritten: () => notes.written(),
    async stop() {
      await drafts.stop();
      await notes.stop();
    },
  };
}
