import type { Services } from '../services.ts';
import { commandHandlers } from './commands.ts';
import { found, type Implementer } from './implementer.ts';

export const jobsRouter = (os: Implementer, services: Services) => {
  const { views } = services.engine;
  return {
    ...commandHandlers(os.jobs, 'jobs', services),
    list: os.jobs.list.handler(({ input: { start, count, ...wanted } }) => views.jobs(wanted, { start, count })),
    get: os.jobs.get.handler(({ input }) => found(views.job(input.jobId), 'job')),
    columnTexts: os.jobs.columnTexts.handler(({ input }) => views.columnTexts(input.ids, input.column)),
  };
};
