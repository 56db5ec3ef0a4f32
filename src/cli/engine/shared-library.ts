import type { AssetFilter, LibraryAsset } from '../../contract/asset.ts';
import type { Connection } from './connection.ts';
import { SharedRefusal } from './shared-errors.ts';
import type { LibraryAtWork } from './engine-at-work.ts';

/** Assets read at once. */
const ASSETS_AT_ONCE = 2000;

/** The library of an engine of another process. Files are read by that process: it is on this machine. */
export function sharedLibrary({ ask }: Connection): LibraryAtWork {
  return {
    groups: () => ask((api) => api.library.groups({})),
    createGroup: (fields) => ask((api) => api.library.createGroup(fields)),
    renameGroup: (groupId, fields) => ask((api) => api.library.renameGroup({ groupId, ...fields })),
    assets: (filter) => allAssets({ ask }, filter),
    async asset(assetId) {
      try {
        return await ask((api) => api.library.asset({ assetId }));
      } catch (error) {
        if (error instanceof SharedRefusal && error.code === 'not_found') return null;
        throw error;
      }
    },
    upload: (paths, target, { signal }) =>
      ask((api) => api.library.uploadFiles({ paths: [...paths], target }, signal ? { signal } : {})),
    addUrl: (url, target, { signal }) => ask((api) => api.library.addUrl({ url, target }, signal ? { signal } : {})),
    async untilReady(assetIds, { signal }) {
      const readiness = await ask((api) =>
        api.library.untilReady({ assetIds: [...assetIds] }, signal ? { signal } : {}),
      );
      return new Map(Object.entries(readiness));
    },
    sync: (signal) => ask((api) => api.library.sync({}, { signal })),
    whereUsed: (assetId) => ask((api) => api.library.whereUsed({ assetId })),
    hide: (assetId) => ask((api) => api.library.hide({ assetId, hidden: true })),
    unhide: (assetId) => ask((api) => api.library.hide({ assetId, hidden: false })),
  };
}

async function allAssets({ ask }: Pick<Connection, 'ask'>, filter: AssetFilter): Promise<LibraryAsset[]> {
  const all: LibraryAsset[] = [];
  for (;;) {
    const window = { start: all.length, count: ASSETS_AT_ONCE };
    const { total, assets } = await ask((api) => api.library.assets({ ...filter, ...window }));
    all.push(...assets);
    if (assets.length === 0 || all.length >= total) return all;
  }
}
