import type { PlannedUpload } from '../../contract/asset.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import { AssetStore } from '../db/asset-store.ts';
import { MediaStore } from '../db/media-store.ts';
import type { EngineDatabase } from '../db/open.ts';
import type { Account } from '../db/service-store.ts';
import { UploadStore, type UploadIdentity } from '../db/upload-store.ts';
import { findGroup } from './groups.ts';
import { contentOf, LocalFileError, stampOf } from './identity.ts';
import type { LibraryParts } from './library-parts.ts';
import { needsOf, type LocalNeed } from './needs.ts';

/** The parts of the library that it reads; null before there is a database. */
export type KnownLibrary = Pick<LibraryParts, 'assets' | 'uploads' | 'media'> & { readonly account: Account };

export function knownLibrary(db: EngineDatabase, account: Account): KnownLibrary {
  const assets = new AssetStore(db);
  return { assets, uploads: new UploadStore(db, assets), media: new MediaStore(db), account };
}

/**
 * The local files that a run of these shots would upload, each once, with its size. Reads new files; sends and writes
 * nothing. Leaves out files that cannot be read: the check of the list has reported them.
 */
export async function plannedUploads(
  known: KnownLibrary | null,
  shots: readonly ShotSpec[],
  listFolder: string,
): Promise<PlannedUpload[]> {
  const planned = new Map<string, PlannedUpload & { readonly shots: string[] }>();
  const contents = new Map<string, Promise<Content | null>>();
  for (const shot of shots) {
    for (const need of needsOf(shot, listFolder).local) {
      const content = contents.get(need.path) ?? contentAt(known, need.path);
      contents.set(need.path, content);
      const found = await content;
      if (!found) continue;
      const { sha256, bytes } = found;
      const identity = identityOf(known, shot, need, sha256);
      if (identity && isThere(known, identity)) continue;
      const { path, type, role } = need;
      const name = JSON.stringify([sha256, shot.model, role, need.purpose, shot.group ?? '']);
      const sameAsBefore = planned.get(name);
      if (sameAsBefore) sameAsBefore.shots.push(shot.key);
      else {
        const group = shot.group === undefined ? {} : { group: shot.group };
        planned.set(name, { path, bytes, type, model: shot.model, role, ...group, shots: [shot.key] });
      }
    }
  }
  return [...planned.values()].map((upload) => ({ ...upload, shots: [...new Set(upload.shots)] }));
}

interface Content {
  readonly sha256: string;
  readonly bytes: number;
}

async function contentAt(known: KnownLibrary | null, path: string): Promise<Content | null> {
  try {
    const stamp = await stampOf(path);
    return { sha256: known?.media.knownContent(path, stamp) ?? (await contentOf(path)), bytes: stamp.bytes };
  } catch (error) {
    if (error instanceof LocalFileError) return null;
    throw error;
  }
}

/** Null when its group is not known here: a new group holds nothing yet. */
function identityOf(
  known: KnownLibrary | null,
  { model, group }: ShotSpec,
  { role, purpose }: LocalNeed,
  content: string,
): UploadIdentity | null {
  if (!known) return null;
  const groupId = group === undefined ? '' : knownGroup(known, group);
  return groupId === null ? null : { content, model, mode: 'asset', purpose, role, groupId };
}

function knownGroup({ assets, account }: KnownLibrary, text: string): string | null {
  return findGroup(assets.groups(account), text)?.id ?? null;
}

function isThere(known: KnownLibrary | null, identity: UploadIdentity): boolean {
  const upload = known?.uploads.find(known.account, identity);
  if (!known || upload?.state !== 'arrived' || upload.assetId === null) return false;
  return known.assets.asset(known.account, upload.assetId)?.missingSince === null;
}
