import type { AssetUse, TakeAsset } from '../../contract/asset.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import type { AssetUseStore, PreparedUse } from '../db/asset-use-store.ts';
import { needsOf } from './needs.ts';

/** Every row of every list that names the asset, itself or by a file it was made of, with its takes. */
export function whereUsed(store: AssetUseStore, assetId: string): AssetUse[] {
  const named = store.mentioning(assetId).flatMap(({ spec, project, batch, current, takes }) =>
    parametersNaming(spec, assetId).map((parameter): AssetUse => {
      return { project, batch, shot: spec.key, parameter, current, takes: [...takes] };
    }),
  );
  const byPlace = Map.groupBy(store.preparedWith(assetId), ({ shotId, parameter, path }) =>
    JSON.stringify([shotId, parameter, path]),
  );
  return [...named, ...[...byPlace.values()].flatMap((uses) => preparedUse(store, uses))];
}

/** The assets a take was made with: those its files became, and those its row names itself. */
export function usedBy(store: AssetUseStore, jobId: string): TakeAsset[] {
  const version = store.shotOfTake(jobId);
  const named = version ? namedAssets(version.spec) : [];
  return [...store.ofTake(jobId), ...named];
}

function preparedUse(store: AssetUseStore, uses: readonly PreparedUse[]): AssetUse[] {
  const [first] = uses;
  const version = first && store.shotVersion(first.shotId);
  if (!version) return [];
  return [
    {
      ...{ project: version.project, batch: version.batch, shot: version.spec.key, current: version.current },
      ...{ parameter: first.parameter, path: first.path },
      takes: uses.map(({ jobId, take, state }) => ({ jobId, take, state })),
    },
  ];
}

function parametersNaming(spec: ShotSpec, assetId: string): string[] {
  return [...new Set(namedAssets(spec).flatMap((named) => (named.assetId === assetId ? [named.parameter] : [])))];
}

/** Assets that a row names itself: in media columns and avatars, and `Asset://` references in added fields. */
function namedAssets(spec: ShotSpec): TakeAsset[] {
  return [
    ...needsOf(spec, '').named.map(({ parameter, assetId }) => ({ parameter, assetId })),
    ...Object.entries(spec.extra).flatMap(([name, text]) =>
      [...text.matchAll(/asset:\/\/([^\s/"'\\,\]}]+)/gi)].map(([, assetId = '']) => ({
        parameter: `param.${name}`,
        assetId,
      })),
    ),
  ];
}
