import { standingFor, type JobStateName, type JobView } from '../../src/contract/job.ts';

interface JobFacts extends Partial<Omit<JobView, 'state'>> {
  readonly state?: JobStateName;
}

/** A job as the stream tells it. Its standing follows from its state. */
export function aJob({ state = 'ready', paused = null, ...facts }: JobFacts = {}): JobView {
  return {
    id: 'job-1',
    projectId: 'project-1',
    batchId: 'batch-1',
    project: 'Harbour',
    batch: 'Night 1',
    shot: '001',
    position: 0,
    take: 1,
    kind: 'video',
    model: 'vgen-2.0-cl',
    prompt: 'A harbour at dawn',
    priority: 0,
    state,
    standing: standingFor(state, paused),
    paused,
    turn: 1,
    isSetAside: false,
    createdAt: 1000,
    updatedAt: 1000,
    files: [],
    ...facts,
  };
}
