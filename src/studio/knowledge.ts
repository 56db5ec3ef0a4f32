import { type JobState, standingFor } from '../contract/job.ts';
import type { Json } from '../contract/json.ts';
import { toPriceFacts } from '../engine/batches/price.ts';
import type { Engine } from '../engine/engine.ts';
import type { Job } from '../engine/db/job-store.ts';
import { toAttempt, toTask } from '../engine/machine/job-facts.ts';
import { type TakeSpec, toStudioAccount } from './take-facts.ts';
import type { NewStudioTake, StudioAccount, StudioKnowledge } from './types.ts';

type Known = StudioKnowledge['takes'][number];

/**
 * What this data folder knows, for a database that was restored: its own takes as they are, and takes that nobody had yet.
 * Takes of other machines are left to those: told as waiting from here, they would be made again.
 */
export function knowledgeOf(
  { stores, studio: link }: Engine,
  specOf: (jobId: string) => TakeSpec | null,
): StudioKnowledge {
  const { jobs, batches, projects } = stores;
  const account = link.account();
  const known: Known[] = [];
  const ofBatches = new Map<string, NewStudioTake[]>();
  for (const { jobId, epoch, isHere, worker } of jobs.studio.all()) {
    const job = jobs.get(jobId);
    const spec = job && specOf(jobId);
    if (!spec || !(isHere || (worker === null && standingFor(job.state.state, null) === 'unfinished'))) continue;
    const attempt = toAttempt(job.state);
    const of = attempt ? toStudioAccount(attempt) : account && toStudioAccount(account);
    if (!of) continue;
    const priceMicros = link.priceOf(toPriceFacts(spec.shot));
    ofBatches.set(job.batchId, [...(ofBatches.get(job.batchId) ?? []), newTake(job, spec, of, priceMicros)]);
    if (isHere) known.push({ takeId: jobId, epoch, ...standing(job.state), attempt: attemptOf(job, priceMicros) });
  }
  const all = [...ofBatches].flatMap(([batchId, takes]) => {
    const batch = batches.get(batchId);
    const place = batch && jobs.studio.placeOf(batch.projectId);
    if (!batch || !place) return [];
    const { id, name, order, source, projectId } = batch;
    const project = { id: projectId, name: projects.get(projectId)?.name ?? '', root: place.root, path: place.path };
    return [{ batch: { id, name, project, list: { order, source } }, takes }];
  });
  return { batches: all, takes: known };
}

const newTake = (
  { id, shotKey, model }: Job,
  spec: TakeSpec,
  account: StudioAccount,
  priceMicros: number | null,
): NewStudioTake => ({
  ...{ id, shotKey, account, model, priceMicros, priority: spec.shot.priority, isHeld: false, spec: spec as Json },
});

function attemptOf({ id, model, state }: Job, priceMicros: number | null): Known['attempt'] {
  const attempt = toAttempt(state);
  if (!attempt) return null;
  const isOpen =
    ['submitting', 'submit_unknown'].includes(state.state) || standingFor(state.state, null) === 'unfinished';
  return {
    ...{ takeId: id, epoch: 0, attemptId: attempt.id, bodyHash: attempt.bodyHash, model, priceMicros },
    ...{ taskId: toTask(state)?.id ?? null, isOpen },
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
