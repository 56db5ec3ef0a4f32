import { messageFor } from '../../contract/messages/message.ts';
import { EventBuffer } from '../runs/event-buffer.ts';
import { followRun } from '../runs/follow-run.ts';
import type { Services } from '../services.ts';
import type { Implementer } from './errors.ts';
import { wholePath } from '../../engine/files/existing-paths.ts';
import { assureMayNameFiles } from '../folders.ts';
import type { ListToRun, StartedRun } from '../../contract/run.ts';
import { readTable } from '../../engine/batches/read-table.ts';
import { checkList } from '../../engine/batches/validate.ts';
import { RefusedError } from '../../engine/base/errors.ts';
import { startRun } from '../runs/start-run.ts';

export function runsRouter(os: Implementer, services: Services) {
  const { engine, stopping } = services;
  return {
    start: os.runs.start.handler(async ({ input, signal }) => {
      assureMayNameFiles(services);
      // Listens before the first take exists, so that no change is missed.
      const heard = new EventBuffer(engine, [signal, stopping]);
      try {
        const started = await startList(services, input, signal);
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

/**
 * Reads and checks a list by the same rules as the command that sends it has done already, and stores it as a batch of
 * its project. Throws RefusedError, before anything is stored, when the list has errors.
 */
async function startList(
  { engine, settings, caller }: Services,
  list: ListToRun,
  signal: AbortSignal | undefined,
): Promise<StartedRun> {
  const { batch: name, source, again, sheet, encoding, kind } = list;
  const listFolder = wholePath(list.listFolder);
  const table = await readTable({ bytes: Buffer.from(list.content, 'base64'), name: source }, { sheet, encoding });
  const variables = new Map(Object.entries(list.variables));
  const options = { listFolder, settings: settings.get(), kind, variables };
  const { shots, rows, texts, defects } = await checkList(table, options);
  if (shots.length === 0 || defects.some(({ severity }) => severity === 'error')) {
    throw new RefusedError('list_has_errors', messageFor('failure.listNotStarted'), messageFor('remedy.correctList'));
  }
  const { agreed, cap, window, order, keepOthers, paidAgain } = list;
  return startRun(engine, wholePath(list.project), {
    name,
    listFolder,
    source,
    shots,
    rows,
    texts,
    again,
    agreed,
    cap,
    window,
    order,
    keepOthers,
    paidAgain,
    by: caller,
    signal,
  });
}
