import type { Asset } from '../../contract/asset.ts';
import type { StoredUpload } from '../db/upload-store.ts';

/** How far the service's clock may be from ours, ms. */
const CLOCK_SKEW_MS = 15 * 60_000;

/**
 * The asset that a lost answer was about, among those the service lists: by the tag given with the upload where the
 * service shows it, else by name, size, type and time. Null when there is none. Pure.
 */
export function findUploaded(upload: StoredUpload, listed: readonly Asset[]): Asset | null {
  const tagged = listed.find((asset) => asset.uploadTag === upload.id);
  if (tagged) return tagged;
  const alike = listed.filter((asset) => looksLike(upload, asset));
  const distance = ({ createdAt }: Asset): number => Math.abs((createdAt ?? upload.intendedAt) - upload.intendedAt);
  return alike.sort((a, b) => distance(a) - distance(b))[0] ?? null;
}

function looksLike(upload: StoredUpload, asset: Asset): boolean {
  if (asset.uploadTag !== undefined || asset.type !== upload.type) return false;
  if (asset.createdAt !== null && asset.createdAt < upload.intendedAt - CLOCK_SKEW_MS) return false;
  if (upload.bytes === null) return asset.sourceUrl === upload.content;
  const sameSize = asset.size === undefined || asset.size === upload.bytes;
  return sameSize && asset.name.normalize('NFC') === upload.name.normalize('NFC');
}
