import { extname } from 'node:path';
import type { AssetRole, AssetType } from '../../contract/asset.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import { bareAssetId, localPath, mediaTypeOf, readMediaReference } from '../kinds/media-reference.ts';
import { rulesOf } from '../kinds/index.ts';
import { shotReferences } from '../kinds/shot-reference.ts';
import { lineOf } from '../models/index.ts';

/** A local file that a shot's request names by address, so it must be an asset first. */
export interface LocalNeed {
  readonly parameter: string;
  /** As written in the list. */
  readonly cell: string;
  /** Absolute. */
  readonly path: string;
  readonly type: AssetType;
  readonly role: AssetRole | '';
  /** Empty where the reference names none. */
  readonly purpose: string;
  /** Whether it must be prepared for the model of the shot, and for no other. */
  readonly isForModel: boolean;
}

export interface NamedNeed {
  readonly parameter: string;
  readonly assetId: string;
  readonly isForModel: boolean;
}

export interface Needs {
  readonly local: readonly LocalNeed[];
  readonly named: readonly NamedNeed[];
}

/**
 * The assets that a shot needs. A file that one shot names twice is one asset, under the first of its roles: the
 * request says which role it plays where. Image edits and variations carry their files themselves. Pure.
 */
export function needsOf(spec: ShotSpec, listFolder: string): Needs {
  const uses = rulesOf(spec.kind)
    .mediaOf(spec.params)
    .filter(({ sentAs }) => sentAs === 'address');
  const local = new Map<string, LocalNeed>();
  const named: NamedNeed[] = [];
  // Reference, "CL video line": a video reference is prepared as an asset for the target model.
  const preparesVideos = lineOf(spec.model)?.preparedVideosOnly === true;
  for (const use of uses) {
    const reference = readMediaReference(use.cell);
    const isForModel = preparesVideos && use.media === 'video';
    if (reference.at === 'asset') {
      named.push({ parameter: use.column, assetId: bareAssetId(reference.reference), isForModel });
    } else if (reference.at === 'local' && !local.has(use.cell)) {
      const { role } = use;
      const path = localPath(reference.path, listFolder);
      local.set(use.cell, {
        parameter: use.column,
        cell: use.cell,
        path,
        // A guess: the content is checked before anything is sent.
        type: use.media === 'any' ? (mediaTypeOf(extname(path).slice(1)) ?? 'image') : use.media,
        role,
        // Reference, "CL video line". Harmless for the others, and no other purpose of this kind is named.
        purpose: use.purpose ?? (role === 'reference_video' ? 'reference_video' : ''),
        isForModel,
      });
    }
  }
  return { local: [...local.values()], named };
}

/** Whether a shot needs an asset, or a take of another shot, before it can be sent. Pure. */
export function needsAssets(spec: ShotSpec, listFolder: string): boolean {
  const { local, named } = needsOf(spec, listFolder);
  return local.length + named.length > 0 || shotReferences(spec).length > 0;
}
