import * as z from 'zod';
import { Text } from './messages/message.ts';

/** What an asset holds (reference, "Asset"). */
export const AssetType = z.enum(['image', 'audio', 'video', 'file']);
export type AssetType = z.infer<typeof AssetType>;

/** Where the service keeps an upload (reference, "Assets and groups"). Shots need `asset`; the others are for tests. */
export const UploadMode = z.enum(['asset', 'oss', 'both']);
export type UploadMode = z.infer<typeof UploadMode>;

/** The role of a medium in the shot that names it (reference, "Videos"). */
export const AssetRole = z.enum(['reference_image', 'first_frame', 'last_frame', 'reference_video', 'reference_audio']);
export type AssetRole = z.infer<typeof AssetRole>;

export const mediaOfRole: Readonly<Record<AssetRole, 'image' | 'video' | 'audio'>> = {
  reference_image: 'image',
  first_frame: 'image',
  last_frame: 'image',
  reference_video: 'video',
  reference_audio: 'audio',
};

/**
 * An asset as the service describes it (reference, "Asset"). The service's own words are kept as they came, since
 * new ones may appear; `generationReady` alone says that it may be used. Times are milliseconds since the epoch.
 */
export const Asset = z.object({
  id: z.string().min(1),
  groupId: z.string().nullable(),
  type: z.string(),
  name: z.string(),
  description: z.string(),
  /** `Asset://<asset_id>`, as requests and shot lists name it. */
  reference: z.string(),
  domain: z.string().optional(),
  visibility: z.string().optional(),
  sourceUrl: z.string().optional(),
  url: z.string().optional(),
  /** For tests only: the service promises neither its lifetime nor that it works. */
  ossUrl: z.string().optional(),
  contentType: z.string().optional(),
  /** Bytes. */
  size: z.number().optional(),
  /** Seconds. */
  duration: z.number().optional(),
  status: z.string(),
  syncStatus: z.string().optional(),
  preparationStatus: z.string().optional(),
  generationReady: z.boolean(),
  /** A passed review does not by itself mean that the asset is ready. */
  reviewStatus: z.string().optional(),
  reviewPassed: z.boolean().optional(),
  syncError: z.string().optional(),
  createdAt: z.number().nullable(),
  updatedAt: z.number().nullable(),
  uploadTag: z.string().optional(),
  requestId: z.string().optional(),
  traceId: z.string().optional(),
});
export type Asset = z.infer<typeof Asset>;

/** A group as the service describes it (reference, "Asset group"). */
export const AssetGroup = z.object({
  /** `group_<id>`. */
  id: z.string().min(1),
  name: z.string(),
  description: z.string(),
  domain: z.string().optional(),
  groupType: z.string().optional(),
  /** `enabled` or `disabled`. */
  status: z.string(),
  visibility: z.string().optional(),
  createdAt: z.number().nullable(),
  updatedAt: z.number().nullable(),
});
export type AssetGroup = z.infer<typeof AssetGroup>;

/** Whether an asset can be used now, may be used later, or never. */
export const Readiness = z.enum(['ready', 'waiting', 'failed', 'disabled']);
export type Readiness = z.infer<typeof Readiness>;

/** Reference, "States and transitions", rule 3. A word that the reference does not know means waiting. */
export function toReadiness(asset: Asset): Readiness {
  if (asset.generationReady) return 'ready';
  const words = [asset.preparationStatus, asset.status, asset.syncStatus];
  if (words.includes('disabled')) return 'disabled';
  return words.includes('failed') ? 'failed' : 'waiting';
}

export const LocalMedia = z.object({
  sha256: z.string(),
  bytes: z.number(),
  /** Every path these bytes were seen at, newest first. */
  paths: z.array(z.string()),
  contentType: z.string().optional(),
  width: z.number().optional(),
  height: z.number().optional(),
  /** Seconds. */
  duration: z.number().optional(),
});
export type LocalMedia = z.infer<typeof LocalMedia>;

const UploadPurpose = z.object({
  model: z.string(),
  mode: UploadMode,
  purpose: z.string(),
  role: z.string(),
});
type UploadPurpose = z.infer<typeof UploadPurpose>;

export const LibraryAsset = Asset.extend({
  readiness: Readiness,
  groupName: z.string().optional(),
  /** Name or id of the group that its upload named, where the service put it into another one. */
  wantedGroup: z.string().optional(),
  /** When a whole listing first lacked it, ms; null while the service has it. */
  missingSince: z.number().nullable(),
  /** Hidden here by a person; the service has no way to delete an asset. */
  hidden: z.boolean(),
  uploadedFor: UploadPurpose.optional(),
  local: LocalMedia.optional(),
});
export type LibraryAsset = z.infer<typeof LibraryAsset>;

export const LibraryGroup = AssetGroup.extend({
  missingSince: z.number().nullable(),
  hidden: z.boolean(),
  assets: z.int(),
  ready: z.int(),
});
export type LibraryGroup = z.infer<typeof LibraryGroup>;

export const UploadTarget = z.object({
  /** Target model of later generations (reference, "Assets and groups"). */
  model: z.string().optional(),
  mode: UploadMode.optional(),
  purpose: z.string().optional(),
  role: z.string().optional(),
  /** Id or name of a group; one that does not exist is created. The service's default group when absent. */
  group: z.string().optional(),
  /** By the role, else by the file, when absent. */
  type: AssetType.optional(),
});
export type UploadTarget = z.infer<typeof UploadTarget>;

export const UploadReport = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    source: z.string(),
    assetId: z.string(),
    reference: z.string(),
    /** False when the library had it already: nothing was sent. */
    sent: z.boolean(),
    readiness: Readiness,
    /** As of the asset, whose group then is `group` (its name or id). */
    wantedGroup: z.string().optional(),
    group: z.string().optional(),
  }),
  z.object({
    ok: z.literal(false),
    source: z.string(),
    code: z.string(),
    problem: Text,
    remedy: Text,
  }),
]);
export type UploadReport = z.infer<typeof UploadReport>;

export const SyncReport = z.object({
  groups: z.int(),
  assets: z.int(),
  added: z.int(),
  changed: z.int(),
  vanished: z.int(),
  /** Lost answers to uploads whose asset was found. */
  adopted: z.int(),
  /** Groups that could not be listed, each with the reason. They stay as they were. */
  problems: z.array(Text),
});
export type SyncReport = z.infer<typeof SyncReport>;

export const AssetUse = z.object({
  project: z.string(),
  batch: z.string(),
  shot: z.string(),
  parameter: z.string(),
  /** The local path it was written as; absent where the list names the asset itself. */
  path: z.string().optional(),
  /** False when the list has since changed or dropped the row. */
  current: z.boolean(),
  takes: z.array(z.object({ jobId: z.string(), take: z.int(), state: z.string() })),
});
export type AssetUse = z.infer<typeof AssetUse>;

export const TakeAsset = z.object({
  parameter: z.string(),
  /** As written in the list; absent where the list names the asset itself. */
  path: z.string().optional(),
  sha256: z.string().optional(),
  assetId: z.string().regex(/^[^\s/]+$/),
});
export type TakeAsset = z.infer<typeof TakeAsset>;

export const PlannedUpload = z.object({
  /** Absolute. */
  path: z.string(),
  bytes: z.number(),
  type: AssetType,
  model: z.string(),
  role: z.string(),
  group: z.string().optional(),
  shots: z.array(z.string()),
});
export type PlannedUpload = z.infer<typeof PlannedUpload>;

export const AssetFilter = z.object({
  /** Id or name. */
  group: z.string().optional(),
  type: AssetType.optional(),
  readiness: z.array(Readiness).optional(),
  /** Those that vanished from the service are shown unless this is false. */
  missing: z.boolean().optional(),
  /** Hidden ones are shown only when this is true. */
  hidden: z.boolean().optional(),
  /** Piece of a name, a path or an id. */
  text: z.string().optional(),
});
export type AssetFilter = z.infer<typeof AssetFilter>;
