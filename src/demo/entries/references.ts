import { z } from 'zod';
import { invalid, type Call } from '../call.ts';
import type { Asset, AssetType } from '../asset-store.ts';
import type { DemoModel } from '../models.ts';

export const ASSET_SCHEME = 'Asset://';

export const publicUrl = z
  .string()
  .refine((text) => /^https?:\/\/[^\s]+$/.test(text) && URL.canParse(text), 'it must be an http or https address');

export const mediaUrl = z
  .string()
  .refine(
    (text) => /^Asset:\/\/[^\s/]+$/.test(text) || publicUrl.safeParse(text).success,
    'it must be an http or https address or Asset://<asset_id>',
  );

export type ReferenceType = Exclude<AssetType, 'file'>;

export interface MediaReference {
  field: string;
  url: string;
  type: ReferenceType;
  role: string;
  /** Whether the request named the role; otherwise the field decides it. */
  roleNamed: boolean;
  alias: string | null;
}

export function imageReference(field: string, url: string): MediaReference {
  return { field, url, type: 'image', role: 'reference_image', roleNamed: false, alias: null };
}

/**
 * References must be usable now: assets exist, are ready (reference: States, rule 3) and of the right type; the
 * CL line takes video only as an asset prepared for the target model (reference: CL video line).
 */
export function requireUsableReferences(references: MediaReference[], model: DemoModel, call: Call): void {
  for (const { field, url, type } of references) {
    const asset = url.startsWith(ASSET_SCHEME) ? requireReady(call, field, url, type) : null;
    if (type === 'video' && model.preparedVideoOnly === true) requirePrepared(field, asset, model);
  }
}

export function requireReady({ parts: { assets } }: Call, field: string, named: string, type?: ReferenceType): Asset {
  const id = named.replace(ASSET_SCHEME, '');
  const asset = assets.assetsById.get(id);
  if (asset === undefined) throw invalid('asset_not_found', `${field}: the asset ${id} does not exist.`);
  const readiness = assets.readinessOf(asset);
  if (readiness !== 'ready') throw invalid('asset_not_ready', `${field}: the asset ${id} is ${readiness}, not ready.`);
  if (type !== undefined && asset.type !== type && asset.type !== 'file') {
    throw invalid('asset_type_mismatch', `${field}: the asset ${id} is of type ${asset.type}, not ${type}.`);
  }
  return asset;
}

/** Avatars are named by bare ids. The SG line takes those that were prepared for it (reference: `avatar_asset_ids`). */
export function requireAvatars(ids: readonly string[], model: DemoModel, call: Call): void {
  for (const id of ids) {
    const asset = requireReady(call, 'avatar_asset_ids', id, 'image');
    const prepared = asset.purpose === 'digital_human_avatar' && (asset.model === null || asset.model === model.id);
    if (model.imagesAsAssets === true && !prepared) {
      const message = `avatar_asset_ids: upload ${id} for ${model.id} with purpose digital_human_avatar first.`;
      throw invalid('avatar_not_prepared', message);
    }
  }
}

/** One mode for all images of a request; omitted means assets (reference: `image_source_mode`, the SG line). */
export function requireImageSource(
  references: MediaReference[],
  model: DemoModel,
  mode: 'asset' | 'direct_url' = 'asset',
): void {
  if (model.imagesAsAssets !== true) return;
  const unfit = references.find(
    ({ type, url }) => type === 'image' && url.startsWith(ASSET_SCHEME) !== (mode === 'asset'),
  );
  if (unfit === undefined) return;
  const message = `${unfit.field}: with image_source_mode ${mode}, ${model.id} does not take the image ${unfit.url}.`;
  throw invalid('image_source_mismatch', message);
}

function requirePrepared(field: string, asset: Asset | null, model: DemoModel): void {
  if (asset !== null && isPreparedFor(asset, model)) return;
  const message =
    `${field}: ${model.id} takes a reference video only as an asset prepared for it: upload it with ` +
    `model ${model.id}, mode asset, type video, purpose reference_video and role reference_video first.`;
  throw invalid('video_reference_not_prepared', message);
}

/** A form upload may leave out the model (the reference shows no such field there): then any model fits. */
function isPreparedFor(asset: Asset, model: DemoModel): boolean {
  const fits = (value: string | null, wanted: string): boolean =>
    value === wanted || (value === null && asset.upload === 'file');
  const purposes = ['reference_video', 'video_reference'];
  return (
    asset.type === 'video' &&
    asset.mode === 'asset' &&
    purposes.includes(asset.purpose ?? '') &&
    fits(asset.role, 'reference_video') &&
    fits(asset.model, model.id)
  );
}

export const IMAGE_ROLES = ['reference_image', 'first_frame', 'last_frame'] as const;
export const ROLES = [...IMAGE_ROLES, 'reference_video', 'reference_audio'] as const;

const rolesOfType: Record<ReferenceType, readonly string[]> = {
  image: IMAGE_ROLES,
  video: ['reference_video'],
  audio: ['reference_audio'],
};

/** A role must fit the medium, and frames do not mix with reference images (reference: Videos, `images`). */
export function requireFittingRoles(references: MediaReference[]): void {
  for (const { field, type, role } of references) {
    if (!rolesOfType[type].includes(role)) {
      throw invalid('role_mismatch', `${field}: the role ${role} does not fit a reference of type ${type}.`);
    }
  }
  const roles = new Set(references.filter((reference) => reference.roleNamed).map((reference) => reference.role));
  if (roles.has('reference_image') && (roles.has('first_frame') || roles.has('last_frame'))) {
    throw invalid('mixed_roles', 'The roles first_frame and last_frame do not mix with reference_image.');
  }
}
