import { assureMayNameFiles } from '../folders.ts';
import { projectOf } from '../../engine/projects/overview.ts';
import { clippingsOf } from '../../engine/tools/research/clippings.ts';
import { commandHandlers } from './commands.ts';
import type { Services } from '../services.ts';
import type { Implementer } from './implementer.ts';

export function toolsRouter(os: Implementer, services: Services) {
  const { engine } = services;
  const { describe, meaning, prompts, research, runner } = engine.tools;
  const tools = {
    rewrite: os.tools.rewrite.handler(({ input, signal }) => prompts.rewrite(input, signal)),
    shots: os.tools.shots.handler(({ input, signal }) => prompts.shots(input, signal)),
    price: os.tools.price.handler(({ input }) => engine.tools.price(input)),
    open: os.tools.open.handler(({ input }) => prompts.open(input.projectId)),
    reopen: os.tools.reopen.handler(({ input }) => prompts.reopen(input.callId)),
    used: os.tools.used.handler(({ input }) => runner.markUsed(input.callId)),
    unclear: os.tools.unclear.handler(() => runner.unclear()),
    dismiss: os.tools.dismiss.handler(({ input }) => runner.dismiss(input.callId)),
    search: os.tools.search.handler(({ input, signal }) => research.search(input, signal)),
    describe: os.tools.describe.handler(({ input, signal }) => {
      if ('path' in input.picture) assureMayNameFiles(services);
      return describe.describe(input, signal);
    }),
    meaningStatus: os.tools.meaningStatus.handler(({ input }) => meaning.status(input)),
    index: os.tools.index.handler(({ input, signal }) => meaning.index(input, signal)),
    nearest: os.tools.nearest.handler(({ input, signal }) => meaning.search(input, signal)),
    readPage: os.tools.readPage.handler(({ input, signal }) => research.readPage(input, signal)),
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
