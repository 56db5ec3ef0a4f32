import { say } from '../contract/messages/words.ts';
import type { JobView } from '../contract/job.ts';

/**
 * People see the last digits of a job id: ids of one import begin alike, because they begin with the time. Eight hex
 * digits are enough for any data folder of a sensible size; commands accept any unique beginning or end.
 */
export const shortId = (id: string) => id.slice(-8);

/** Fewer characters would be a guess, not a name. */
const SHORTEST = 4;

export type JobNamed = { readonly ok: true; readonly job: JobView } | { readonly ok: false; readonly problem: string };

/** The one job that `text` names, by its whole id, its beginning or its end. `matching` looks jobs up. */
export function jobNamed(text: string, matching: (text: string) => JobView[]): JobNamed {
  if (text.length < SHORTEST || !/^[0-9a-f-]+$/i.test(text)) {
    return { ok: false, problem: say('cli.notJobId', { text }) };
  }
  const [job, ...others] = matching(text.toLowerCase());
  if (!job) return { ok: false, problem: say('cli.noJob', { text }) };
  if (others.length > 0) {
    return { ok: false, problem: say('cli.severalJobs', { text, count: others.length + 1 }) };
  }
  return { ok: true, job };
}
