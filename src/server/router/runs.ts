import { Overheard } from '../runs/overheard.ts';
import { startList } from '../runs/start-list.ts';
import { tellRun } from '../runs/tell-run.ts';
import type { Services } from '../services.ts';
import type { Implementer } from './implementer.ts';
import { assureMayNameFiles } from '../folders.ts';

export function runsRouter(os: Implementer, services: Services) {
  const { engine, stopping } = services;
  return {
    start: os.runs.start.handler(async ({ input, signal }) => {
      assureMayNameFiles(services);
      // From before the first take is there, so that each of its changes is told.
      const heard = new Overheard(engine, [signal, stopping]);
      try {
        const started = await startList(services, input, signal);
        const scope = { projectId: started.project.id, batchId: started.batch.id };
        return tellRun(services, { scope, started, heard });
      } catch (error) {
        heard.end();
        throw error;
      }
    }),
    follow: os.runs.follow.handler(({ input, signal }) =>
      tellRun(services, { scope: input, heard: new Overheard(engine, [signal, stopping]) }),
    ),
  };
}
