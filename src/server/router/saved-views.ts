import type { Services } from '../services.ts';
import type { Implementer } from './implementer.ts';

export const savedViewsRouter = (os: Implementer, { engine: { savedViews }, caller }: Services) => ({
  list: os.savedViews.list.handler(({ input }) => savedViews.list(input.projectId)),
  save: os.savedViews.save.handler(({ input }) => savedViews.save(input, caller)),
  remove: os.savedViews.remove.handler(({ input }) => savedViews.remove(input.projectId, input.id, caller)),
});
