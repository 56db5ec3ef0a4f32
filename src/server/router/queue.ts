import type { QueueView } from '../../contract/events.ts';
import { ChangeFeed } from '../change-feed.ts';
import type { Services } from '../services.ts';
import type { Implementer } from './implementer.ts';

export function queueRouter(os: Implementer, { engine, host, caller }: Services) {
  const view = async (): Promise<QueueView> => ({
    ...(await engine.views.queue()),
    ...(await host.power()),
  });
  return {
    view: os.queue.view.handler(view),
    pause: os.queue.pause.handler(() => {
      engine.queue.pause(caller);
      return view();
    }),
    resume: os.queue.resume.handler(() => {
      engine.queue.resume(caller);
      return view();
    }),
  };
}

export function eventsRouter(os: Implementer, { engine, host, stopping }: Services) {
  return {
    changes: os.events.changes.handler(({ input, signal }) => {
      const feed = new ChangeFeed(engine, host.clock, [signal, stopping]);
      if (input !== undefined) engine.drafts.connected(input.window, feed.ended);
      return feed;
    }),
  };
}
