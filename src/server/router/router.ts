import type { Services } from '../services.ts';
import { commandHandlers } from './commands.ts';
import { desktopRouter } from './desktop.ts';
import { draftsRouter } from './drafts.ts';
import { implementer } from './implementer.ts';
import { jobsRouter } from './jobs.ts';
import { libraryRouter } from './library.ts';
import { messagesRouter } from './messages.ts';
import { nightsRouter } from './nights.ts';
import { foldersRouter, projectsRouter } from './projects.ts';
import { eventsRouter, queueRouter } from './queue.ts';
import { runsRouter } from './runs.ts';
import { takesRouter } from './takes.ts';
import { settingsRouter } from './settings.ts';
import { spendingRouter } from './spending.ts';
import { toolsRouter } from './tools.ts';

/** Implements the contract on an engine, for every host and wire. */
export function createRouter(services: Services) {
  const os = implementer(services.host.logger);
  const { stores, windows } = services.engine;
  return os.router({
    commands: {
      undo: os.commands.undo.handler(({ input }) => services.engine.commands.undo(input.token, services.caller)),
    },
    projects: projectsRouter(os, services),
    folders: foldersRouter(os, services),
    ...draftsRouter(os, services),
    runs: runsRouter(os, services),
    jobs: jobsRouter(os, services),
    queue: queueRouter(os, services),
    takes: takesRouter(os, services),
    savedViews: {
      list: os.savedViews.list.handler(({ input }) => stores.savedViews.list(input.projectId)),
      ...commandHandlers(os.savedViews, 'savedViews', services),
    },
    spending: spendingRouter(os, services),
    windows: {
      list: os.windows.list.handler(() => windows.list()),
      ...commandHandlers(os.windows, 'windows', services),
    },
    promptLibrary: {
      variables: os.promptLibrary.variables.handler(({ input }) => stores.variables.list(input.projectId)),
      presets: os.promptLibrary.presets.handler(({ input }) => stores.presets.list(input.projectId)),
      ...commandHandlers(os.promptLibrary, 'promptLibrary', services),
    },
    nights: nightsRouter(os, services),
    places: {
      last: os.places.last.handler(() => services.engine.places.last()),
      keep: os.places.keep.handler(({ input }) => services.engine.places.keep(input)),
    },
    library: libraryRouter(os, services),
    ...toolsRouter(os, services),
    settings: settingsRouter(os, services),
    messages: messagesRouter(os, services),
    desktop: desktopRouter(os, services),
    events: eventsRouter(os, services),
  });
}
