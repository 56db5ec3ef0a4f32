import { JobState, standingOf, type JobStateName, type Standing } from '../../contract/job.ts';

const stateNames: readonly JobStateName[] = JobState.options.map((option) => option.shape.state.value);

/** SQL for the jobs of each standing: by state, with and without the one pause that matters for it. */
export const standingSql: Readonly<Record<Standing, string>> = {
  saved: sqlOf('saved'),
  failed: sqlOf('failed'),
  unknown: sqlOf('unknown'),
  cancelled: sqlOf('cancelled'),
  unfinished: sqlOf('unfinished'),
};

/** SQL that says the standing of a row of jobs; see `standingOf`. */
export function standingCase(row: 'jobs' | 'OLD' | 'NEW'): string {
  const among = (paused: 'deadline' | null): string =>
    stateNames.map((state) => `WHEN '${state}' THEN '${standingOf(state, paused)}'`).join(' ');
  return `iif(${row}.paused = 'deadline', CASE ${row}.state ${among('deadline')} END, CASE ${row}.state ${among(null)} END)`;
}

function sqlOf(standing: Standing): string {
  const among = (paused: 'deadline' | null): string =>
    stateNames
      .filter((state) => standingOf(state, paused) === standing)
      .map((state) => `'${state}'`)
      .join(', ');
  return `(jobs.state IN (${among(null)}) AND jobs.paused IS NOT 'deadline' OR
    jobs.state IN (${among('deadline')}) AND jobs.paused = 'deadline')`;
}
