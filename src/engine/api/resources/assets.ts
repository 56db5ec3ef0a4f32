import type { Asset, AssetGroup, AssetType, UploadMode } from '../../../contract/asset.ts';
import type { Json, JsonObject } from '../../../contract/json.ts';
import type { CallOptions, Send, Sending, SendOptions, SendOutcome } from '../calls.ts';
import type { RetryingGet } from '../reads.ts';
import { MAX_KEY } from '../../../contract/units.ts';
import { isObject, toText } from '../answer.ts';

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
  /** The service's default is 20. */
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
        { ...upload('assets.upload', 'multipart', toBody(fields)), files: [{ field: 'file', path }] },
        readAsset,
        options,
      ),
    addUrl: (url: string, fields: UploadFields, options?: CallOptions): Promise<SendOutcome<Asset>> =>
      send(upload('assets.addUrl', 'json', { ...toBody(fields), url }), readAsset, options),
    /** One page. Throws `ServiceError`s; retries where that can help. */
    list: ({ groupId, type, page, pageSize }: AssetQuery = {}, options?: CallOptions): Promise<Page<Asset>> =>
      getAgain(
        `/v1/assets${toQuery({ group_id: groupId, type, page, page_size: pageSize })}`,
        toPage(readAsset),
        options,
      ),
    /** With a group id, an asset of another group is an error (reference, "Assets and groups"). */
    get: (
      assetId: string,
      { groupId }: { readonly groupId?: string } = {},
      options?: CallOptions & { tries?: number },
    ): Promise<Asset> =>
      getAgain(`/v1/assets/${encodeURIComponent(assetId)}${toQuery({ group_id: groupId })}`, readAsset, options),
  };
}

const toBody = ({ model, mode, type, purpose, role, groupId, metadata }: UploadFields): JsonObject => ({
  ...present({ model, mode }),
  type,
  ...present({ purpose, role, group_id: groupId, metadata }),
});

function toQuery(fields: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(present(fields)).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return given.length === 0 ? '' : `?${given.join('&')}`;
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
    list: (
      { page, pageSize }: Pick<AssetQuery, 'page' | 'pageSize'> = {},
      options?: CallOptions,
    ): Promise<Page<AssetGroup>> =>
      getAgain(`${GROUPS}${toQuery({ page, page_size: pageSize })}`, toPage(readGroup), options),
    get: (groupId: string, options?: CallOptions): Promise<AssetGroup> =>
      getAgain(`${GROUPS}/${encodeURIComponent(groupId)}`, readGroup, options),
    update: (groupId: string, fields: GroupFields, options?: CallOptions): Promise<SendOutcome<AssetGroup>> =>
      send(
        sending('assetGroups.update', 'PATCH', `${GROUPS}/${encodeURIComponent(groupId)}`, fields),
        readGroup,
        options,
      ),
  };
}

/** One of another type than the reference shows counts as absent. Of several names, the first one there counts. */
const fieldsIn = (record: JsonObject) => ({
  text: (...names: readonly string[]): string | undefined =>
    names.map((name) => record[name]).find((value) => typeof value === 'string'),
  number: (name: string): number | undefined => (typeof record[name] === 'number' ? record[name] : undefined),
  flag: (name: string): boolean | undefined => (typeof record[name] === 'boolean' ? record[name] : undefined),
  /** Some services write ids as numbers. */
  id: (name: string): string | undefined => {
    const value = record[name];
    if (Number.isSafeInteger(value)) return String(value);
    return typeof value === 'string' && value.length <= MAX_KEY ? value : undefined;
  },
  /** The service writes seconds since the epoch. */
  ms: (name: string): number | null => (typeof record[name] === 'number' ? Math.round(record[name] * 1000) : null),
});

export interface Page<Item> {
  readonly items: readonly Item[];
  /** The number of items on all pages; null if the service does not say. */
  readonly total: number | null;
}

/** The asset in an answer, or null if there is none. */
export function readAsset(body: Json | undefined): Asset | null {
  const record = recordIn(body);
  const id = record === null ? null : (toText(record['id']) ?? toText(record['asset_id']));
  if (record === null || id == null) return null;
  const { text, number, flag, ms, id: idIn } = fieldsIn(record);
  const preparationStatus = text('preparation_status');
  const { metadata } = record;
  return {
    id,
    groupId: idIn('group_id') ?? null,
    type: text('type', 'asset_type') ?? 'file',
    name: text('name') ?? '',
    description: text('description') ?? '',
    reference: text('reference', 'asset_ref') ?? `Asset://${id}`,
    status: text('status', 'preparation_status', 'sync_status') ?? 'unknown',
    // Without the flag, the preparation status decides (reference, "States and transitions", rule 3).
    generationReady: flag('generation_ready') ?? preparationStatus === 'ready',
    createdAt: ms('created_at'),
    updatedAt: ms('updated_at'),
    ...present({
      domain: text('domain'),
      visibility: text('visibility'),
      sourceUrl: text('source_url'),
      url: text('url'),
      ossUrl: text('oss_url'),
      contentType: text('content_type'),
      size: number('size'),
      duration: number('duration'),
      syncStatus: text('sync_status'),
      preparationStatus,
      reviewStatus: text('review_status'),
      reviewPassed: flag('review_passed'),
      syncError: text('sync_error'),
      // The reference's answers do not show it. If it comes back, it proves that the upload is ours.
      uploadTag: isObject(metadata) ? fieldsIn(metadata).text('dailies_upload') : undefined,
      requestId: text('request_id'),
      traceId: text('trace_id'),
    }),
  };
}

/** The group in an answer, or null if there is none. */
export function readGroup(body: Json | undefined): AssetGroup | null {
  const record = recordIn(body);
  if (record === null) return null;
  const { text, ms, id: idIn } = fieldsIn(record);
  // If the two differ, requests use `group_id`.
  const id = idIn('group_id') ?? idIn('id');
  if (id === undefined || id.trim() === '') return null;
  return {
    id,
    name: text('name') ?? '',
    description: text('description') ?? '',
    ...present({ domain: text('domain'), groupType: text('group_type'), visibility: text('visibility') }),
    status: text('status') ?? 'enabled',
    createdAt: ms('created_at'),
    updatedAt: ms('updated_at'),
  };
}

/** Reads one page of assets (`items`) or groups (`data`): null if the answer is not a list. */
export const toPage =
  <Item>(read: (json: Json) => Item | null) =>
  (body: Json | undefined): Page<Item> | null => {
    if (!isObject(body)) return null;
    const list = Array.isArray(body['items']) ? body['items'] : body['data'];
    if (!Array.isArray(list)) return null;
    const total = body['total'];
    return {
      items: list.map(read).filter((item) => item !== null),
      total: typeof total === 'number' && Number.isInteger(total) && total >= 0 ? total : null,
    };
  };

function recordIn(body: Json | undefined): JsonObject | null {
  if (!isObject(body)) return null;
  const inner = body['data'];
  return body['id'] === undefined && isObject(inner) ? inner : body;
}

type Present<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

function present<Fields extends object>(fields: Fields): Present<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<Fields>;
}
