import type { Text } from '../../contract/messages/message.ts';
import type { JobAnswer } from '../../engine/jobs/job-commands.ts';
import type { JobView } from '../../contract/job.ts';
import type { Services } from '../services.ts';
import { found, type Implementer } from './implementer.ts';

/** Jobs in one commit: they share one sync of the database, and nothing else has to wait long for them. */
const JOBS_AT_ONCE = 100;

interface JobAnswers {
  done: number;
  refused: { job: JobView; problem: Text }[];
}

export function jobsRouter(os: Implementer, { engine: { jobs, views }, caller }: Services) {
  /** One action about many jobs. Refused as a whole, before anything is done, when one of them is not there. */
  const each = async (ids: readonly string[], action: (jobId: string) => JobAnswer): Promise<JobAnswers> => {
    const wanted = [...new Set(ids)];
    for (const id of wanted) found(views.job(id), 'job');
    const answers: JobAnswers = { done: 0, refused: [] };
    for (let start = 0; start < wanted.length; start += JOBS_AT_ONCE) {
      const some = wanted.slice(start, start + JOBS_AT_ONCE);
      jobs.inOneCommit(() => {
        for (const answer of some.map(action)) {
          if (answer.ok) answers.done += 1;
          else answers.refused.push({ job: answer.job, problem: answer.problem });
        }
      });
      // Each action writes a file: not thousands at once.
      await jobs.written();
    }
    return answers;
  };
  return {
    list: os.jobs.list.handler(({ input: { start, count, ...wanted } }) => views.jobs(wanted, { start, count })),
    get: os.jobs.get.handler(({ input }) => found(views.job(input.jobId), 'job')),
    columnTexts: os.jobs.columnTexts.handler(({ input }) => views.columnTexts(input.ids, input.column)),
    retry: os.jobs.retry.handler(async ({ input }) => {
      await jobs.lookAtFiles(input.ids);
      return each(input.ids, (id) => jobs.retry(id, caller));
    }),
    cancel: os.jobs.cancel.handler(({ input }) => each(input.ids, (id) => jobs.cancel(id, caller))),
    withdraw: os.jobs.withdraw.handler(({ input }) => each(input.ids, (id) => jobs.withdraw(id, caller))),
    hold: os.jobs.hold.handler(({ input }) =>
      each(input.ids, (id) => jobs.hold(id, input.held ? 'user' : null, caller)),
    ),
    prioritise: os.jobs.prioritise.handler(({ input }) =>
      each(input.ids, (id) => jobs.prioritise(id, input.priority, caller)),
    ),
    resolve: os.jobs.resolve.handler(({ input }) =>
      each([input.jobId], (id) => jobs.resolve(id, input.resolution, caller)),
    ),
  };
}
