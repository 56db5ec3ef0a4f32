import { messageFor } from '../../contract/messages/message.ts';
import { nameOrder } from '../../contract/messages/words.ts';
import { RefusedError } from '../../engine/base/errors.ts';
import { wholePath, assureMayNameFiles } from '../folders.ts';
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
    addUrl: os.library.addUrl.handler(({ input: { projectId, url, target }, signal }) =>
      of(projectId).addUrl(webAddress(url), target, { signal }),
    ),
    uploadFiles: os.library.uploadFiles.handler(({ input: { projectId, paths, target }, signal }) => {
      assureMayNameFiles(services);
      return of(projectId).upload(paths.map(wholePath), target, { signal });
    }),
    untilReady: os.library.untilReady.handler(async ({ input: { projectId, assetIds }, signal }) =>
      Object.fromEntries(await of(projectId).untilReady(assetIds, { signal })),
    ),
    sync: os.library.sync.handler(({ input }) => of(input.projectId).sync()),
    syncedAt: os.library.syncedAt.handler(({ input }) => of(input.projectId).syncedAt()),
    whereUsed: os.library.whereUsed.handler(({ input }) => of().whereUsed(input.assetId)),
    usedBy: os.library.usedBy.handler(({ input }) => of().usedBy(input.takeId)),
  };
}

function webAddress(text: string): string {
  const url = URL.parse(text);
  if (url && (url.protocol === 'https:' || url.protocol === 'http:')) return text;
  throw new RefusedError('bad_address', messageFor('failure.notAWebAddress'), messageFor('remedy.beginWithHttps'));
}
