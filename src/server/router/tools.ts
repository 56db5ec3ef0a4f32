import { projectOf } from '../../engine/projects/overview.ts';
import { clippingsOf } from '../../engine/tools/research/clippings.ts';
import { commandHandlers } from './commands.ts';
import type { Services } from '../services.ts';
import type { Implementer } from './implementer.ts';

export function toolsRouter(os: Implementer, services: Services) {
  const { engine } = services;
  const { meaning, prompts, runner } = engine.tools;
  const tools = {
    ...commandHandlers(os.tools, 'tools', services),
    price: os.tools.price.handler(({ input }) => engine.tools.price(input)),
    open: os.tools.open.handler(({ input }) => prompts.open(input.projectId)),
    reopen: os.tools.reopen.handler(({ input }) => prompts.reopen(input.callId)),
    unclear: os.tools.unclear.handler(() => runner.unclear()),
    meaningStatus: os.tools.meaningStatus.handler(({ input }) => meaning.status(input)),
  };
  return {
    tools,
    clippings: {
      list: os.clippings.list.handler(({ input }) =>
        clippingsOf(projectOf(engine.stores.projects, input.projectId).path, input.limit),
      ),
      ...commandHandlers(os.clippings, 'clippings', services),
    },
  };
}
