import { nameOrder } from '../../contract/messages/words.ts';
import type { Services } from '../services.ts';
import { commandHandlers } from './commands.ts';
import { found, type Implementer } from './implementer.ts';

export function libraryRouter(os: Implementer, services: Services) {
  const of = services.engine.views.library;
  return {
    ...commandHandlers(os.library, 'library', services),
    groups: os.library.groups.handler(({ input }) => {
      const order = nameOrder();
      return of(input.projectId)
        .groups()
        .sort((a, b) => order.compare(a.name, b.name) || (a.id < b.id ? -1 : 1));
    }),
    assets: os.library.assets.handler(({ input: { projectId, start, count, ...filter } }) => {
      const assets = of(projectId).assets(filter);
      return { total: assets.length, assets: assets.slice(start, start + count) };
    }),
    asset: os.library.asset.handler(({ input }) => found(of(input.projectId).asset(input.assetId), 'asset')),
    untilReady: os.library.untilReady.handler(async ({ input: { projectId, assetIds }, signal }) =>
      Object.fromEntries(await of(projectId).untilReady(assetIds, { signal })),
    ),
    syncedAt: os.library.syncedAt.handler(({ input }) => of(input.projectId).syncedAt()),
    whereUsed: os.library.whereUsed.handler(({ input }) => of().whereUsed(input.assetId)),
    usedBy: os.library.usedBy.handler(({ input }) => of().usedBy(input.takeId)),
  };
}
