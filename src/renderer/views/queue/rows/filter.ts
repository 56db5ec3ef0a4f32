import { sayText } from '../../../../contract/messages/words.ts';
import type { JobView } from '../../../../contract/job.ts';
import { stateWords } from '../../../lib/words.ts';

const texts = new WeakMap<JobView, string>();

/** Jobs in which every word of `text` is found: in shot, prompt, model, names, ids, state or reason. */
export function matching(jobs: readonly JobView[], text: string): readonly JobView[] {
  const words = text.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  return words.length === 0 ? jobs : jobs.filter((job) => words.every((word) => toText(job).includes(word)));
}

function toText(job: JobView): string {
  const known = texts.get(job);
  if (known !== undefined) return known;
  const text = [
    job.shot,
    job.kind,
    job.model,
    job.prompt,
    job.project,
    job.batch,
    job.id,
    job.taskId,
    job.requestId,
    job.traceId,
    stateWords(job.state, job.paused).word,
    job.failure && sayText(job.failure.message),
  ]
    .filter((part) => part !== undefined)
    .join('\n')
    .toLocaleLowerCase();
  texts.set(job, text);
  return text;
}
