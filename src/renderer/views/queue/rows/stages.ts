import { t } from '../../../../contract/messages/words.ts';
import type { JobView } from '../../../../contract/job.ts';
import { stateWords, type Tone } from '../../../lib/words.ts';

export const stages = [t('queue.stagePrepare'), t('when.title'), t('queue.stageGenerate'), t('queue.rateDownload')];

export interface StageReached {
  /** Finished stages, 0 to 4. */
  readonly done: number;
  /** The tone of the next stage; null when the take is not at it. */
  readonly at: Tone | null;
}

export function stageReached(job: Pick<JobView, 'state' | 'paused' | 'taskId' | 'failure'>): StageReached {
  const { tone } = stateWords(job.state, job.paused);
  const at = tone === 'waiting' || tone === 'good' ? null : tone;
  return { done: stagesBehind(job), at };
}

const colours: Record<Tone, string> = {
  waiting: 'text-line-strong',
  working: 'text-info',
  good: 'text-good',
  bad: 'text-bad',
  unsure: 'text-warn',
  off: 'text-faint',
};

export function stageColour({ done, at }: StageReached, index: number): string {
  if (index < done) return done === stages.length ? 'text-good' : 'text-soft';
  return index === done && at !== null ? colours[at] : 'text-line';
}

function stagesBehind({ state, taskId, failure }: Pick<JobView, 'state' | 'taskId' | 'failure'>): number {
  switch (state) {
    case 'submitting':
    case 'submit_unknown':
      return 1;
    case 'rejected':
      return failure?.code === 'not_prepared' ? 0 : 1;
    case 'accepted':
    case 'polling':
    case 'remote_failed':
    case 'remote_cancelled':
      return 2;
    case 'downloading':
    case 'download_blocked':
      return 3;
    case 'saved':
      return stages.length;
    case 'result_lost':
    case 'cancelled':
      return taskId === undefined ? 0 : 2;
    default:
      return 0;
  }
}
