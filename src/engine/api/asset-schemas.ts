import * as z from 'zod';
import type { Asset, AssetGroup } from '../../contract/asset.ts';
import type { Json, JsonObject } from '../../contract/json.ts';
import { LONGEST_KEY } from '../../contract/units.ts';
import { isObject, textOf } from './answer.ts';

/**
 * Assets and groups of the service, read tolerantly (reference, "Asset" and "Asset group") and converted here: seconds
 * become milliseconds, aliases become one name, and unknown values are passed on or left out.
 */

const seconds = z.number().optional().catch(undefined);
const text = z.string().optional().catch(undefined);
const flag = z.boolean().optional().catch(undefined);

/** An id, which some services write as a number. */
const id = z
  .union([z.string().max(LONGEST_KEY), z.int().transform(String)])
  .optional()
  .catch(undefined);

const WireAsset = z.looseObject({
  group_id: id,
  domain: text,
  type: text,
  asset_type: text,
  name: text,
  description: text,
  source_url: text,
  url: text,
  oss_url: text,
  reference: text,
  asset_ref: text,
  content_type: text,
  size: seconds,
  duration: seconds,
  status: text,
  sync_status: text,
  preparation_status: text,
  generation_ready: flag,
  visibility: text,
  created_at: seconds,
  updated_at: seconds,
  review_status: text,
  review_passed: flag,
  sync_error: text,
  // The reference's answers do not show it. If it comes back, it proves that the upload is ours.
  metadata: z.looseObject({ dailies_upload: text }).optional().catch(undefined),
  request_id: text,
  trace_id: text,
});

const WireGroup = z.looseObject({
  id,
  group_id: id,
  domain: text,
  name: text,
  description: text,
  group_type: text,
  status: text,
  visibility: text,
  created_at: seconds,
  updated_at: seconds,
});

/** One page of a listing. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** The number of items on all pages; null if the service does not say. */
  readonly total: number | null;
}

/** The asset in an answer, or null if there is none. */
export function readAsset(body: Json | undefined): Asset | null {
  const record = recordIn(body);
  const id = record === null ? null : (textOf(record['id']) ?? textOf(record['asset_id']));
  if (record === null || id == null) return null;
  const wire = WireAsset.parse(record);
  const status = wire.status ?? wire.preparation_status ?? wire.sync_status ?? 'unknown';
  return {
    id,
    groupId: wire.group_id ?? null,
    type: wire.type ?? wire.asset_type ?? 'file',
    name: wire.name ?? '',
    description: wire.description ?? '',
    reference: wire.reference ?? wire.asset_ref ?? `Asset://${id}`,
    ...present({
      domain: wire.domain,
      visibility: wire.visibility,
      sourceUrl: wire.source_url,
      url: wire.url,
      ossUrl: wire.oss_url,
      contentType: wire.content_type,
      size: wire.size,
      duration: wire.duration,
    }),
    status,
    ...present({ syncStatus: wire.sync_status, preparationStatus: wire.preparation_status }),
    // Without the flag, the preparation status decides (reference, "States and transitions", rule 3).
    generationReady: wire.generation_ready ?? wire.preparation_status === 'ready',
    ...present({ reviewStatus: wire.review_status, reviewPassed: wire.review_passed, syncError: wire.sync_error }),
    createdAt: ms(wire.created_at),
    updatedAt: ms(wire.updated_at),
    ...present({ uploadTag: wire.metadata?.dailies_upload, requestId: wire.request_id, traceId: wire.trace_id }),
  };
}

/** The group in an answer, or null if there is none. */
export function readGroup(body: Json | undefined): AssetGroup | null {
  const record = recordIn(body);
  if (record === null) return null;
  const wire = WireGroup.parse(record);
  // If the two differ, requests use `group_id`.
  const groupId = wire.group_id ?? wire.id;
  if (groupId === undefined || groupId.trim() === '') return null;
  return {
    id: groupId,
    name: wire.name ?? '',
    description: wire.description ?? '',
    ...present({ domain: wire.domain, groupType: wire.group_type, visibility: wire.visibility }),
    status: wire.status ?? 'enabled',
    createdAt: ms(wire.created_at),
    updatedAt: ms(wire.updated_at),
  };
}

/** One page of assets (`items`), or null if the answer is not a list. */
export function readAssetPage(body: Json | undefined): Page<Asset> | null {
  return readPage(body, readAsset);
}

/** One page of groups (`data`), or null if the answer is not a list. */
export function readGroupPage(body: Json | undefined): Page<AssetGroup> | null {
  return readPage(body, readGroup);
}

function readPage<Item>(body: Json | undefined, read: (json: Json) => Item | null): Page<Item> | null {
  if (!isObject(body)) return null;
  const list = Array.isArray(body['items']) ? body['items'] : body['data'];
  if (!Array.isArray(list)) return null;
  const total = body['total'];
  return {
    items: list.map(read).filter((item) => item !== null),
    total: typeof total === 'number' && Number.isInteger(total) && total >= 0 ? total : null,
  };
}

/** The record itself, or the one that an answer wraps in `data`. */
function recordIn(body: Json | undefined): JsonObject | null {
  if (!isObject(body)) return null;
  const inner = body['data'];
  return body['id'] === undefined && isObject(inner) ? inner : body;
}

const ms = (unixSeconds: number | undefined): number | null =>
  unixSeconds === undefined ? null : Math.round(unixSeconds * 1000);

type Present<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

function present<Fields extends object>(fields: Fields): Present<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<Fields>;
}
