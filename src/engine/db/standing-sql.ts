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

function sqlOf(standing: Standing): string {
  const among = (paused: 'deadline' | null): string =>
    stateNames
      .filter((state) => standingOf(state, paused) === standing)
      .map((state) => `'${state}'`)
      .join(', ');
  return `(jobs.state IN (${among(null)}) AND jobs.paused IS NOT 'deadline' OR
    jobs.state IN (${among('deadline')}) AND jobs.paused = 'deadline')`;
}
