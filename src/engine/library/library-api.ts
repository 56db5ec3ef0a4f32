import type { GroupFields } from '../api/resources/assets.ts';
import type {
  AssetFilter,
  AssetGroup,
  AssetUse,
  LibraryAsset,
  LibraryGroup,
  PlannedUpload,
  Readiness,
  SyncReport,
  TakeAsset,
  UploadProgress,
  UploadReport,
  UploadTarget,
} from '../../contract/asset.ts';
import type { ShotSpec } from '../../contract/shot.ts';

export interface UploadOptions {
  readonly onProgress?: (progress: UploadProgress) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The asset library of one account. Reading needs no key and no network; everything else throws KeyMissingError when no
 * key is set, and the api's `ServiceError`s.
 */
export interface Library {
  groups(): LibraryGroup[];
  createGroup(fields: GroupFields & { readonly name: string }): Promise<AssetGroup>;
  renameGroup(group: string, fields: GroupFields): Promise<AssetGroup>;

  assets(filter?: AssetFilter): LibraryAsset[];
  asset(assetId: string): LibraryAsset | null;
  /**
   * Brings local files (absolute paths) into the library, each content once. One report a file, in their order; a file
   * that cannot be uploaded does not keep the others. Does not wait until they are usable: see `untilReady`.
   */
  upload(paths: readonly string[], target: UploadTarget, options?: UploadOptions): Promise<UploadReport[]>;
  addUrl(url: string, target: UploadTarget, options?: UploadOptions): Promise<UploadReport>;
  /** Waits until each asset is ready, useless, or past the deadline of the settings. */
  untilReady(assetIds: readonly string[], options?: UploadOptions): Promise<ReadonlyMap<string, Readiness>>;

  /** Brings groups and assets in step with the service, and finds uploads whose answer was lost. */
  sync(signal?: AbortSignal): Promise<SyncReport>;
  /** When that last went through, ms; null when it has not since the engine was started. */
  syncedAt(): number | null;

  whereUsed(assetId: string): AssetUse[];
  usedBy(jobId: string): TakeAsset[];

  /** Takes an asset out of sight here, or back into it. It stays at the service, which has no way to delete one. False when unknown. */
  hide(assetId: string, hidden: boolean): boolean;

  plannedUploads(shots: readonly ShotSpec[], listFolder: string): Promise<PlannedUpload[]>;

  /** The library of the account of another service that projects may be on; null for the one of the settings. */
  on(service: string | null): Library;
}
