import { type JobState, standingFor } from '../contract/job.ts';
import { type Json, parsedJson } from '../contract/json.ts';
import { toPriceFacts } from '../engine/batches/price.ts';
import type { Engine } from '../engine/engine.ts';
import type { Job } from '../engine/db/job-store.ts';
import { toAttempt, toTask } from '../engine/machine/job-facts.ts';
import { type TakeSpec, toPriority, toStudioAccount } from './take-facts.ts';
import type { BudgetState, NewStudioTake, StudioKnowledge } from './types.ts';

type Known = StudioKnowledge['takes'][number];
type KnownList = StudioKnowledge['batches'][number] & { readonly takes: NewStudioTake[] };

/**
 * What this data folder knows, for a database that was restored: its own takes as they are, takes that nobody had yet, and
 * what people cancelled. Other takes are left to their machines: told as waiting from here, they would be made again.
 */
export function knowledgeOf(
  { stores, studio: link }: Engine,
  specOf: (jobId: string) => TakeSpec | null,
): StudioKnowledge {
  const { jobs, batches, projects } = stores;
  const known: Known[] = [];
  /** By batch and person. */
  const lists = new Map<string, KnownList>();
  const budgets = parsedJson(jobs.studio.budgets) as readonly BudgetState[] | undefined;

  function listFor(batchId: string, person: string | null): KnownList | undefined {
    const key = JSON.stringify([batchId, person]);
    const batch = batches.get(batchId);
    const place = batch && jobs.studio.placeOf(batch.projectId);
    if (!place || lists.has(key)) return lists.get(key);
    const { id, name, order, source, projectId } = batch;
    const project = { id: projectId, name: projects.get(projectId)?.name ?? '', root: place.root, path: place.path };
    const budget = budgets?.find((each) => each.scope === 'batch' && each.name === batchId)?.limit;
    const about = { batch: { id, name, project, list: { order, source } }, person: person ?? undefined, budget };
    lists.set(key, { ...about, takes: [] });
    return lists.get(key);
  }

  for (const { jobId, epoch, isHere, worker, ...queued } of jobs.studio.all()) {
    const job = jobs.get(jobId);
    const spec = job && specOf(jobId);
    if (!spec) continue;
    const isCancelled = job.state.state === 'cancelled';
    const waits = worker === null && standingFor(job.state.state, null) === 'unfinished';
    if (!isHere && !waits && !isCancelled) continue;
    const { keyFingerprint, origin, person, isOnHold } = queued;
    const own = keyFingerprint !== null && origin !== null ? { keyFingerprint, origin } : null;
    const account = own ?? toAttempt(job.state) ?? link.account(job.projectId);
    if (!account) continue;
    const take: NewStudioTake = {
      ...{ id: jobId, shotKey: job.shotKey, account: toStudioAccount(account), model: job.model },
      priceMicros: link.priceOf(job.projectId, toPriceFacts(spec.shot)),
      ...{ priority: toPriority(spec.shot), isHeld: isOnHold, waits: link.lookAtWait(job), spec: spec as Json },
    };
    listFor(job.batchId, person)?.takes.push(take);
    if (isHere || isCancelled)
      known.push({ takeId: jobId, epoch, ...standing(job.state), attempt: isHere ? attemptOf(job, take) : null });
  }
  return { batches: [...lists.values()], takes: known };
}

function attemptOf({ id, model, state }: Job, { priceMicros }: NewStudioTake): Known['attempt'] {
  const attempt = toAttempt(state);
  if (!attempt) return null;
  const isOpen =
    ['submitting', 'submit_unknown'].includes(state.state) || standingFor(state.state, null) === 'unfinished';
  return {
    ...{ takeId: id, epoch: 0, attemptId: attempt.id, bodyHash: attempt.bodyHash, model, priceMicros },
    ...{ taskId: toTask(state)?.id ?? null, isOpen, account: toStudioAccount(attempt) },
  };
}

function standing({ state }: JobState): Pick<Known, 'state' | 'outcome'> {
  switch (state) {
    case 'needs_assets':
    case 'ready':
      return { state: 'held', outcome: null };
    case 'submitting':
      return { state: 'granted', outcome: null };
    case 'accepted':
    case 'polling':
    case 'downloading':
      return { state: 'sent', outcome: null };
    case 'submit_unknown':
      return { state: 'unclear', outcome: null };
    case 'cancelled':
      return { state: 'cancelled', outcome: null };
    case 'saved':
      return { state: 'done', outcome: 'saved' };
    default:
      return { state: 'done', outcome: 'failed' };
  }
}
