import { ChangeFeed } from '../change-feed.ts';
import type { Services } from '../services.ts';
import { commandHandlers } from './commands.ts';
import type { Implementer } from './implementer.ts';

export const queueRouter = (os: Implementer, services: Services) => ({
  ...commandHandlers(os.queue, 'queue', services),
  view: os.queue.view.handler(async () => ({
    ...(await services.engine.views.queue()),
    ...(await services.host.power()),
  })),
});

export function eventsRouter(os: Implementer, { engine, host, stopping }: Services) {
  return {
    changes: os.events.changes.handler(({ input, signal }) => {
      const feed = new ChangeFeed(engine, host.clock, [signal, stopping]);
      if (input !== undefined) engine.drafts.connected(input.window, feed.ended);
      return feed;
    }),
  };
}
