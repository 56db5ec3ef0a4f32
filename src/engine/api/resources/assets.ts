import type { Asset, AssetGroup, AssetType, UploadMode } from '../../../contract/asset.ts';
import type { Json, JsonObject } from '../../../contract/json.ts';
import type { CallOptions, Send, Sending, SendOptions, SendOutcome } from '../calls.ts';
import type { RetryingGet } from '../reads.ts';
import * as z from 'zod';
import { LONGEST_KEY } from '../../../contract/units.ts';
import { isObject, textOf } from '../answer.ts';

/** Fields of an upload (reference, "Assets and groups", upload fields). Absent fields are not sent. */
export interface UploadFields {
  readonly model?: string;
  readonly mode?: UploadMode;
  readonly type: AssetType;
  readonly purpose?: string;
  readonly role?: string;
  readonly groupId?: string;
  readonly metadata?: JsonObject;
}

export interface AssetQuery {
  readonly groupId?: string;
  readonly type?: AssetType;
  /** From 1. */
  readonly page?: number;
  readonly pageSize?: number;
}

/**
 * Assets (reference, "Assets and groups"). Uploads are not billed. Each is one request that is never repeated
 * automatically, so after a lost answer (`unclear`), look for the asset in the list.
 */
export function assetsResource(send: Send, getAgain: RetryingGet) {
  const upload = (operation: string, encoding: Sending['encoding'], body: JsonObject): Sending => ({
    ...{ operation, encoding, body },
    ...{ method: 'POST', path: '/v1/assets/uploads', files: [] },
  });
  return {
    /** Multipart, streamed from disk; `path` is absolute. */
    upload: (path: string, fields: UploadFields, options?: SendOptions): Promise<SendOutcome<Asset>> =>
      send(
        { ...upload('assets.upload', 'multipart', bodyOf(fields)), files: [{ field: 'file', path }] },
        readAsset,
        options,
      ),
    /** The service itself fetches the file from a public address. */
    addUrl: (url: string, fields: UploadFields, options?: CallOptions): Promise<SendOutcome<Asset>> =>
      send(upload('assets.addUrl', 'json', { ...bodyOf(fields), url }), readAsset, options),
    /** One page. Throws `ServiceError`s; retries where that can help. */
    list: ({ groupId, type, page, pageSize }: AssetQuery = {}, options?: CallOptions): Promise<Page<Asset>> =>
      getAgain(`/v1/assets${queryOf({ group_id: groupId, type, page, page_size: pageSize })}`, readAssetPage, options),
    /** With a group id, an asset of another group is an error (reference, "Assets and groups"). */
    get: (
      assetId: string,
      { groupId }: { readonly groupId?: string } = {},
      options?: CallOptions & { tries?: number },
    ): Promise<Asset> =>
      getAgain(`/v1/assets/${encodeURIComponent(assetId)}${queryOf({ group_id: groupId })}`, readAsset, options),
  };
}

function bodyOf({ model, mode, type, purpose, role, groupId, metadata }: UploadFields): JsonObject {
  return {
    ...(model === undefined ? {} : { model }),
    ...(mode === undefined ? {} : { mode }),
    type,
    ...(purpose === undefined ? {} : { purpose }),
    ...(role === undefined ? {} : { role }),
    ...(groupId === undefined ? {} : { group_id: groupId }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/** `?a=1&b=2`, or an empty text without fields. */
export function queryOf(fields: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return given.length === 0
    ? ''
    : `?${given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')}`;
}

export interface GroupQuery {
  /** From 1. */
  readonly page?: number;
  /** The service's default is 20. */
  readonly pageSize?: number;
}

export interface GroupFields {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
}

const GROUPS = '/v1/asset-groups';

/** Groups of assets (reference, "Assets and groups"). The service cannot delete a group. */
export function assetGroupsResource(send: Send, getAgain: RetryingGet) {
  const sending = (operation: string, method: Sending['method'], path: string, fields: object): Sending => ({
    operation,
    method,
    path,
    encoding: 'json',
    body: { ...fields },
    files: [],
  });
  return {
    /** Not billed and never repeated automatically. After a lost answer (`unclear`), look for the group by name. */
    create: (fields: GroupFields, options?: CallOptions): Promise<SendOutcome<AssetGroup>> =>
      send(sending('assetGroups.create', 'POST', GROUPS, fields), readGroup, options),
    /** One page. Throws `ServiceError`s; retries where that can help. */
    list: ({ page, pageSize }: GroupQuery = {}, options?: CallOptions): Promise<Page<AssetGroup>> =>
      getAgain(`${GROUPS}${queryOf({ page, page_size: pageSize })}`, readGroupPage, options),
    get: (groupId: string, options?: CallOptions): Promise<AssetGroup> =>
      getAgain(`${GROUPS}/${encodeURIComponent(groupId)}`, readGroup, options),
    /** Changes name, description or both. Repeating it changes nothing more. */
    update: (groupId: string, fields: GroupFields, options?: CallOptions): Promise<SendOutcome<AssetGroup>> =>
      send(
        sending('assetGroups.update', 'PATCH', `${GROUPS}/${encodeURIComponent(groupId)}`, fields),
        readGroup,
        options,
      ),
  };
}

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
