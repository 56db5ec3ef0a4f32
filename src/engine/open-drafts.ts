import { requireUnarchived, projectFor } from './projects/overview.ts';
import type { EngineEvents } from './engine-events.ts';
import type { NoteOf } from './db/history-store.ts';
import type { Project } from './db/project-store.ts';
import type { TakeCounter } from './db/job-queries.ts';
import { realPath } from './files/existing-paths.ts';
import type { ExpectedEnds } from './jobs/expected-work.ts';
import { agreedIn } from './jobs/planning.ts';
import { filesNamed, shotsOfFiles } from './jobs/shot-sources.ts';
import type { StepContext } from './jobs/step-context.ts';
import { isStrangeFolder } from './kinds/media-reference.ts';
import type { Library } from './library/library.ts';
import { agreedFile, outsideFiles } from './library/needs.ts';
import type { ListedModels } from './models/index.ts';
import type { SpendingService } from './projects/spending.ts';
import type { DraftRepository } from './batches/draft-repository.ts';
import { Drafts } from './batches/drafts.ts';
import type { DraftsContext } from './batches/drafts-context.ts';
import { pricesOn } from './batches/price.ts';
import type { BatchStarts } from './batch-starts.ts';

export function openDrafts({
  steps,
  tally,
  note,
  library,
  listedModels,
  expected,
  spending,
  events,
  repository,
  starts,
}: {
  readonly steps: StepContext;
  readonly tally: TakeCounter;
  readonly note: NoteOf;
  readonly library: (projectId: string) => Library;
  readonly listedModels: ListedModels;
  readonly expected: ExpectedEnds;
  readonly spending: SpendingService;
  readonly events: EngineEvents;
  readonly repository: DraftRepository;
  readonly starts: BatchStarts;
}): Drafts {
  const { projects, batches, ports, claims, clients, agreements } = steps;
  const known = (projectId: string): Project => projectFor(projects, projectId);
  const context: DraftsContext = {
    ...{ note, starts, batches, textsOf: steps.textsOf, clock: ports.clock },
    settings: (projectId) => ({
      ...steps.settings,
      prices: pricesOn(projects.service(projectId), steps.settings.prices),
    }),
    accountModels: (projectId) => listedModels.of(clients.currentIfAny(projects.service(projectId))),
    project(projectId) {
      requireUnarchived(projects, projectId);
      return known(projectId);
    },
    currentPlace(projectId, folder) {
      const project = known(projectId);
      const isStrange = isStrangeFolder(folder, project.path) && !agreements.of(projectId).includes(folder);
      return isStrange ? project.path : projects.currentPlace(project, folder);
    },
    batchView(batch) {
      const row = batches.rows(batch.projectId).find(({ id }) => id === batch.id);
      if (!row) throw new Error(`Batch ${batch.id} is gone.`);
      return { ...row, counts: tally.counts({ batchId: batch.id }) };
    },
    upToDate: (projectId) => claims.claimIfThere(projectId),
    upToDateIfFree: (projectId) => claims.claimIfFree(projectId),
    plannedUploads: (projectId, shots, listFolder) => library(projectId).plannedUploads(shots, listFolder),
    outside: async (projectId, shots, listFolder) =>
      outsideFiles(shots, listFolder, await agreedIn(steps, known(projectId))),
    async agreedFile(projectId, path) {
      const { file, isOpen } = await agreedFile(path, await agreedIn(steps, known(projectId)));
      return isOpen ? file : null;
    },
    lasts(projectId, lines) {
      const service = projects.service(projectId);
      return expected.lengthWith(lines.map(({ model, takes }) => ({ service, model, waiting: takes })));
    },
    capPlan: ({ projectId, batchId }, shots) => ({
      cap: batchId === null ? null : spending.capOf({ scope: 'batch', batchId }),
      withoutPrice: spending.withoutPrice(shots, { projectId }),
    }),
    shotFiles: (batchId, names) => filesNamed(steps, batchId, names),
    shotsOfFiles: (paths) => shotsOfFiles(steps, paths),
    agree: async (projectId, paths) =>
      agreements.add(projectId, await Promise.all(paths.map((path) => realPath(path)))),
    changed: ({ projectId, id: draftId }) => events.emit({ type: 'draft', projectId, draftId }),
  };
  return new Drafts(context, repository);
}
