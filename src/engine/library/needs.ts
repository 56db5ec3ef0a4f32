import { dirname, extname } from 'node:path';
import type { AssetRole, AssetType, PlannedUpload } from '../../contract/asset.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import { bareAssetId, localPath, toMediaType, readMediaReference } from '../kinds/media-reference.ts';
import { rulesFor } from '../kinds/index.ts';
import { shotReferences } from '../kinds/shot-reference.ts';
import { lineFor } from '../models/index.ts';
import { messageFor } from '../../contract/messages/message.ts';
import { homedir } from 'node:os';
import type { OutsideFile } from '../../contract/batch.ts';
import { createYielder } from '../base/slices.ts';
import { refused, type RefusedError } from '../base/errors.ts';
import { realPath } from '../files/existing-paths.ts';
import { contentFor, LocalFileError, stampFor } from './identity.ts';
import { AssetStore, MediaStore } from '../db/asset-store.ts';
import type { EngineDatabase } from '../db/open.ts';
import type { Account } from '../db/service-store.ts';
import { type UploadIdentity, UploadStore } from '../db/upload-store.ts';
import { findGroup } from './sync.ts';
import type { LibraryParts } from './library-parts.ts';

/** A local file that a shot's request names by address, so it must be an asset first. */
export interface LocalNeed {
  readonly parameter: string;
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
export function needsFor(spec: ShotSpec, listFolder: string): Needs {
  const uses = rulesFor(spec.kind)
    .mediaOf(spec.params)
    .filter(({ sentAs }) => sentAs === 'address');
  const local = new Map<string, LocalNeed>();
  const named: NamedNeed[] = [];
  // Reference, "CL video line": a video reference is prepared as an asset for the target model.
  const preparesVideos = lineFor(spec.model)?.preparedVideosOnly === true;
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
        type: use.media === 'any' ? (toMediaType(extname(path).slice(1)) ?? 'image') : use.media,
        role,
        // Reference, "CL video line". Harmless for the others, and no other purpose of this kind is named.
        purpose: use.purpose ?? (role === 'reference_video' ? 'reference_video' : ''),
        isForModel,
      });
    }
  }
  return { local: [...local.values()], named };
}

/** Whether a shot needs an asset, a take of another shot or a person's release before it can be sent. Pure. */
export function needsAssets(spec: ShotSpec, listFolder: string): boolean {
  if (spec.waitFor === 'release') return true;
  const { local, named } = needsFor(spec, listFolder);
  return local.length + named.length > 0 || shotReferences(spec).length > 0;
}

/**
 * Whether a file is one of the agreed paths or below one. A folder that holds a person's whole home agrees to nothing:
 * a list kept there is no consent to send every file. Pure; all paths are real ones.
 */
export function isAgreed(file: string, agreed: ReadonlySet<string>, home: string): boolean {
  if (agreed.has(file)) return true;
  const folder = foldersAbove(file).find((above) => agreed.has(above));
  return folder !== undefined && folder !== home && !foldersAbove(home).includes(folder);
}

function foldersAbove(path: string): string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folder !== path; folder = dirname(path)) {
    folders.push(folder);
    path = folder;
  }
  return folders;
}

/** The local files these shots would send that are not agreed to, each once, by their real paths. */
export async function outsideFiles(
  shots: readonly ShotSpec[],
  listFolder: string,
  agreed: readonly string[],
): Promise<OutsideFile[]> {
  const giveWay = createYielder();
  const namedBy = new Map<string, Set<string>>();
  for (const shot of shots) {
    for (const path of localFilesFor(shot, listFolder)) {
      namedBy.set(path, (namedBy.get(path) ?? new Set()).add(shot.key));
    }
    await giveWay();
  }
  const home = await realPath(homedir());
  const paths = new Set(agreed);
  const outside = new Map<string, Set<string>>();
  for (const [path, keys] of namedBy) {
    const real = await realPath(path);
    if (isAgreed(real, paths, home)) continue;
    outside.set(real, new Set([...(outside.get(real) ?? []), ...keys]));
  }
  return [...outside].map(([path, keys]) => ({ path, shots: [...keys] }));
}

function localFilesFor({ kind, params }: ShotSpec, listFolder: string): string[] {
  return rulesFor(kind)
    .mediaOf(params)
    .flatMap(({ cell }) => {
      const reference = readMediaReference(cell);
      return reference.at === 'local' ? [localPath(reference.path, listFolder)] : [];
    });
}

/** The last check before we read a file to send it. Throws LocalFileError. */
export async function requireAgreed(path: string, agreed: readonly string[]): Promise<void> {
  const { file, isOpen } = await agreedFile(path, agreed);
  if (isOpen) return;
  const problem = messageFor('failure.fileNotAgreed', { file });
  throw new LocalFileError('file_outside', problem, messageFor('remedy.agreeToFile'));
}

export async function agreedFile(path: string, agreed: readonly string[]): Promise<{ file: string; isOpen: boolean }> {
  const file = await realPath(path);
  return { file, isOpen: isAgreed(file, new Set(agreed), await realPath(homedir())) };
}

const MAX_NAMED = 3;

export function filesOutside(files: readonly OutsideFile[]): RefusedError {
  const named = files
    .slice(0, MAX_NAMED)
    .map(({ path, shots: [shot = ''] }) => messageFor('failure.fileOfShot', { file: path, shot }));
  const counts = { count: files.length, more: files.length - named.length };
  const problem = messageFor('failure.filesOutside', { files: named, ...counts });
  return refused('files_outside', problem);
}

/** The parts of the library that it reads; null before there is a database. */
type KnownLibrary = Pick<LibraryParts, 'assets' | 'uploads' | 'media'> & { readonly account: Account };

export function knownLibrary(db: EngineDatabase, account: Account): KnownLibrary {
  const assets = new AssetStore(db);
  return { assets, uploads: new UploadStore(db), media: new MediaStore(db), account };
}

/** The local files these shots would upload, each once, with size. Only reads; leaves out what cannot be read. */
export async function plannedUploads(
  known: KnownLibrary | null,
  shots: readonly ShotSpec[],
  listFolder: string,
): Promise<PlannedUpload[]> {
  const planned = new Map<string, PlannedUpload & { readonly shots: string[] }>();
  const contents = new Map<string, Promise<Content | null>>();
  for (const shot of shots) {
    for (const need of needsFor(shot, listFolder).local) {
      const content = contents.get(need.path) ?? contentAt(known, need.path);
      contents.set(need.path, content);
      const found = await content;
      if (!found) continue;
      const { sha256, bytes } = found;
      const identity = identityFor(known, shot, need, sha256);
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
    const stamp = await stampFor(path);
    return { sha256: known?.media.knownContent(path, stamp) ?? (await contentFor(path)), bytes: stamp.bytes };
  } catch (error) {
    if (error instanceof LocalFileError) return null;
    throw error;
  }
}

/** Null when its group is not known here: a new group holds nothing yet. */
function identityFor(
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
