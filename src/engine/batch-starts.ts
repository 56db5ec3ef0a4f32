import { givenName } from './projects/rename-project.ts';
import type { EngineEvents } from './engine-events.ts';
import type { SpendingService } from './projects/spending.ts';
import { requireUnarchivedBatch } from './batches/batch-rules.ts';
import { paidAgain } from './batches/paid-again.ts';
import {
  planChanged,
  startBatch,
  type BatchStarter,
  type StartBatch,
  type StartedBatch,
} from './batches/start-batch.ts';
import { listOfBatch, mergeLists, toList, writeList } from './batches/written-list.ts';
import { writeBatchFile } from './files/batch-file.ts';
import { agreedIn } from './jobs/planning.ts';
import type { Scheduler } from './jobs/scheduler.ts';
import type { StepContext } from './jobs/step-context.ts';
import { filesOutside, outsideFiles } from './library/needs.ts';
import type { CoalescedWriter } from './base/coalesced-writer.ts';

interface BatchStartsParts {
  readonly steps: StepContext;
  readonly spending: SpendingService;
  readonly scheduler: Scheduler;
  readonly events: EngineEvents;
  readonly arrangements: CoalescedWriter;
}

export class BatchStarts {
  readonly #parts: BatchStartsParts;

  constructor(parts: BatchStartsParts) {
    this.#parts = parts;
  }

  /** Throws RefusedError, before anything is stored; see `Engine.batches.start`. */
  async start(request: StartBatch): Promise<StartedBatch> {
    const { steps, spending, scheduler, events, arrangements } = this.#parts;
    const { project, name, cap, shots, window, texts = new Map() } = request;
    const changed = new Set<string>();
    if (cap) spending.checkCap(cap, shots, project.id);
    try {
      using _turn = await steps.claims.turn(project.id);
      const known = steps.batches.named(project.id, name);
      if (known) requireUnarchivedBatch(steps.batches, known);
      else givenName(name);
      await this.#agree(request);
      await this.#agreePaidAgain(request);
      if (steps.variables.keepCopies(project.id, texts)) {
        arrangements.touch(project.id);
        await arrangements.flush();
      }
      const isMerged = request.keepOthers === true && known !== null;
      const before = isMerged ? await listOfBatch(steps.batches, project.path, known) : null;
      const list = before ? mergeLists(before, request.list ?? toList(shots), shots) : request.list;
      const wanted = { ...request, list };
      return await startBatch(this.#starter(wanted, changed), wanted);
    } finally {
      // Cut off midway, it has made some takes and cancelled others all the same.
      const batch = steps.batches.named(project.id, name);
      if (batch) steps.touchManifest(batch.id);
      events.jobs([...changed]);
      events.emit({ type: 'batches', projectId: project.id });
      if (cap) scheduler.capsChanged();
      if (window) steps.nightWindows.reread();
      else if (!cap) scheduler.lookAgain();
    }
  }

  async #agree({ project, shots, listFolder, agreed = [] }: StartBatch): Promise<void> {
    const { agreements } = this.#parts.steps;
    const known = await agreedIn({ agreements }, project);
    const outside = await outsideFiles(shots, listFolder, [...known, ...agreed]);
    if (outside.length > 0) throw filesOutside(outside);
    agreements.add(project.id, agreed);
  }

  /** The last look: what a person has seen before may have been made from another data folder since. */
  async #agreePaidAgain({ project, name, shots, again, paidAgain: seen }: StartBatch): Promise<void> {
    if (seen === undefined) return;
    const { steps } = this.#parts;
    const place = { projectId: project.id, name, ownName: name, again, settings: steps.settings, shots };
    const found = await paidAgain(steps.batches, place);
    if (found?.needsAgreement && found.takes > seen) throw planChanged();
  }

  #starter({ project, list }: StartBatch, changed: Set<string>): BatchStarter {
    const { steps, spending } = this.#parts;
    const { batches, jobs, projects, history, ports } = steps;
    const { clock } = ports;
    return {
      batches,
      jobs,
      clock,
      nameTemplate: steps.settings.nameTemplate,
      async writeBatchFile(batch, shots, rows) {
        const { path } = projects.get(batch.projectId) ?? project;
        if (list) await writeList(path, batch, list);
        const defaults = { ...list?.defaults };
        await writeBatchFile(path, { format: 1, ...batch, defaults, rows: [...rows], shots: [...shots] });
      },
      limitsFound: (batch) => steps.claims.readLimits(batch.projectId),
      changeWindow: (batchId, window) => steps.nightWindows.set({ scope: 'batch', batchId }, window),
      changeCap: (batchId, change) => spending.setCap({ scope: 'batch', batchId }, change),
      holdForTonight(jobId, hours, now) {
        jobs.setPaused(jobId, 'user', now);
        steps.windows.holdForTonight(jobId, hours);
      },
      noteStart: ({ id, projectId, name }, { newTakes, isMerge }, by) =>
        history.note({
          ...{ code: isMerge ? 'batch.merged' : 'batch.started', by, at: clock.now(), projectId, batchId: id },
          facts: { batch: name, newTakes },
        }),
      changed: (jobId) => void changed.add(jobId),
    };
  }
}
