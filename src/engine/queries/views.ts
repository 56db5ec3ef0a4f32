import type { HistoryRequest } from '../../contract/history.ts';
import { readEach } from '../base/slices.ts';
import type { JobsWanted, Window } from '../db/review-store.ts';
import type { Scheduler } from '../jobs/scheduler.ts';
import type { StepContext } from '../jobs/step-context.ts';
import type { Library } from '../library/library.ts';
import type { OpenedProject } from '../projects/project-claims.ts';
import { projectFor, projectView, projectViews } from '../projects/overview.ts';
import { readFacts } from '../projects/project-facts.ts';
import { verifyTakes } from '../projects/verify-project.ts';
import { REQUEST_CLASSES } from '../../contract/settings.ts';
import type { PowerState } from '../../contract/desktop.ts';
import type { QueueView } from '../../contract/events.ts';
import { limitsFor } from '../api/request-queue.ts';

export type Views = ReturnType<typeof openViews>;

/** The data of the app's views, page by page. Throws RefusedError for an unknown project. */
export function openViews(steps: StepContext, scheduler: Scheduler, library: Library) {
  const { projects, batches, queries, tally, history, files, ledger, review: store } = steps;

  return {
    projects: () => projectViews(steps),
    archived: () => projectViews(steps, 'archived'),
    project: (projectId: string) => projectView(steps, projectId),
    opened: async ({ id, adoptedTakes, limits, problems }: OpenedProject) => ({
      project: await projectView(steps, id),
      ...{ adoptedTakes, limits: [...limits], problems: [...problems] },
    }),
    /** What there is of a project, its files included. Throws RefusedError where its folder cannot be found. */
    facts: async (projectId: string) => ({
      ...(await readFacts({ files, queries, review: store, ledger }, projectFor(projects, projectId))),
      currency: steps.settings.currency,
    }),
    verify: (projectId: string, signal: AbortSignal) =>
      verifyTakes({ projectId, files, folder: () => projectFor(projects, projectId).path }, signal),
    history: ({ projectId, before, count }: HistoryRequest) =>
      history.page({ count, projectId, before }).map(({ id, at, by, text, projectId: of }) => ({
        ...{ id, at, by, text },
        project: of === null ? null : (projects.get(of)?.name ?? null),
      })),
    batches: (projectId: string) =>
      batches
        .rows(projectFor(projects, projectId).id)
        .map((row) => ({ ...row, counts: tally.counts({ batchId: row.id }) })),
    async jobs(wanted: JobsWanted, window: Window) {
      const { total, ids } = store.jobs(wanted, window);
      return { total, jobs: await readEach(ids, (id) => queries.view(id)), counts: tally.counts(wanted) };
    },
    /** The library of the service a project is on; without a project, of the service of the settings. */
    library: (projectId?: string): Library =>
      library.on(projectId === undefined ? null : projects.service(projectFor(projects, projectId).id)),
    queue: () => queueView(steps, scheduler),
  };
}

async function queueView(steps: StepContext, scheduler: Scheduler): Promise<Omit<QueueView, keyof PowerState>> {
  return {
    status: scheduler.status(),
    running: scheduler.isRunning,
    pausedByUser: scheduler.isPausedByUser,
    run: scheduler.state(),
    waitsForTonight: steps.windows.tonight().length > 0,
    counts: steps.tally.counts({}),
    rates: toRates(steps),
    taskTimes: steps.service.usualTaskTimes(),
    freeBytes: await freeBytes(steps),
  };
}

/** Requests a second allowed now, by class, beside the limits of the settings. */
function toRates({ clients, settings }: StepContext): QueueView['rates'] {
  const account = clients.currentIfAny();
  return REQUEST_CLASSES.map((requests) => {
    const limit = limitsFor(settings, requests).maxRate;
    return { requests, now: account ? clients.queues(account)[requests].rate : limit, limit };
  });
}

/** Bytes free where the project that was opened last lies; null when that cannot be told. */
async function freeBytes({ projects, ports }: StepContext): Promise<number | null> {
  const [project] = projects.list();
  if (!project) return null;
  return ports.disk.freeBytes(project.path).catch(() => null);
}
