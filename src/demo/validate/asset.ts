import { z } from 'zod';
import { ASSET_TYPES } from '../asset-store.ts';
import type { AssetGroup, AssetStore } from '../asset-store.ts';
import { Refusal } from '../answer.ts';
import { publicUrl } from './addresses.ts';
import { invalid } from './parse-fields.ts';

/** Body of POST /v1/assets/uploads by address (reference: Assets and groups). */
export const addressUploadFields = z.object({
  model: z.string().optional(),
  mode: z.enum(['asset', 'oss', 'both']).optional(),
  type: z.enum(ASSET_TYPES),
  purpose: z.string().min(1).optional(),
  role: z.string().min(1).optional(),
  url: publicUrl,
  group_id: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
});

/** Text fields of an upload by form, as far as the reference shows them. */
export const shownFormFields = addressUploadFields.pick({ type: true, purpose: true });

/** The same with the other fields of the JSON form, since the group rule ("after an upload with group_id") names no form. */
export const formUploadFields = addressUploadFields.omit({ url: true, metadata: true }).extend({
  metadata: z.string().optional(),
});

export const groupFields = z.object({
  name: z.string().optional(),
  description: z.string().optional(),
  domain: z.string().optional(),
});

export const groupChanges = groupFields.omit({ domain: true });

/** The group a request names. Format and existence are told apart (reference: Errors). */
export function requireGroup(id: string, assets: AssetStore): AssetGroup {
  if (!/^group_\S+$/.test(id) && assets.group(id) === undefined) {
    throw invalid('invalid_group_id', `The group id "${id}" is not of the form group_<id>.`);
  }
  const group = assets.group(id);
  if (group === undefined || group.status === 'disabled') {
    const message = `The asset group ${id} does not exist, is unavailable or is not yours.`;
    throw new Refusal({ status: 404, code: 'asset_group_not_found', message });
  }
  return group;
}

/** A page number or size from a query. */
export function requireCount(query: URLSearchParams, name: string, usual: number, most: number): number {
  const text = query.get(name);
  if (text === null) return usual;
  const value = /^\d+$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > most) {
    throw invalid('invalid_field', `The query field "${name}" must be a whole number from 1 to ${String(most)}.`);
  }
  return value;
}
