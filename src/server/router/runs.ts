import { EventBuffer } from '../runs/event-buffer.ts';
import { followRun } from '../runs/follow-run.ts';
import { startRun } from '../runs/start-run.ts';
import type { Services } from '../services.ts';
import { assureMayNameFiles } from '../folders.ts';
import type { Implementer } from './errors.ts';

export function runsRouter(os: Implementer, services: Services) {
  const { engine, stopping } = services;
  return {
    start: os.runs.start.handler(async ({ input, signal }) => {
      assureMayNameFiles(services);
      // Listens before the first take exists, so that no change is missed.
      const heard = new EventBuffer(engine, [signal, stopping]);
      try {
        const started = await startRun(services, input, signal);
        const scope = { projectId: started.project.id, batchId: started.batch.id };
        return followRun(services, { scope, started, heard });
      } catch (error) {
        heard.end();
        throw error;
      }
    }),
    follow: os.runs.follow.handler(({ input, signal }) =>
      followRun(services, { scope: input, heard: new EventBuffer(engine, [signal, stopping]) }),
    ),
  };
}
