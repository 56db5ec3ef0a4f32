import type { Services } from '../services.ts';
import { desktopRouter } from './desktop.ts';
import { draftsRouter } from './drafts.ts';
import { implementer } from './implementer.ts';
import { jobsRouter } from './jobs.ts';
import { libraryRouter } from './library.ts';
import { messagesRouter } from './messages.ts';
import { nightsRouter, windowsRouter } from './nights.ts';
import { promptLibraryRouter } from './prompt-library.ts';
import { foldersRouter, projectsRouter } from './projects.ts';
import { eventsRouter, queueRouter } from './queue.ts';
import { runsRouter } from './runs.ts';
import { savedViewsRouter, takesRouter } from './takes.ts';
import { settingsRouter } from './settings.ts';
import { spendingRouter } from './spending.ts';
import { toolsRouter } from './tools.ts';

/** Implements the contract on an engine, for every host and wire. */
export function createRouter(services: Services) {
  const os = implementer(services.host.logger);
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
    savedViews: savedViewsRouter(os, services),
    spending: spendingRouter(os, services),
    windows: windowsRouter(os, services),
    promptLibrary: promptLibraryRouter(os, services),
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
