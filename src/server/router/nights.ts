import { type Implementer, found } from './implementer.ts';
import { writeReportOf } from '../reports/answer-report.ts';
import { commandHandlers } from './commands.ts';
import type { Services } from '../services.ts';

export const nightsRouter = (os: Implementer, services: Services) => {
  const { nights } = services.engine;
  return {
    unseen: os.nights.unseen.handler(() => nights.unseen()),
    ...commandHandlers(os.nights, 'nights', services),
    reveal: os.nights.reveal.handler(async ({ input: { projectId, night } }) => {
      // The page is written into the project: refused for one in the archive.
      await services.engine.views.project(projectId);
      await services.desktop.reveal(found(await writeReportOf(services, projectId, night), 'file'));
    }),
  };
};
