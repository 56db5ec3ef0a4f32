import type { Asset, AssetType, UploadMode } from '../../../contract/asset.ts';
import type { JsonObject } from '../../../contract/json.ts';
import { readAsset, readAssetPage, type Page } from '../asset-schemas.ts';
import type { CallOptions } from '../calls.ts';
import type { RetryingGet } from '../retrying-get.ts';
import type { SendOutcome } from '../outcomes.ts';
import type { Send, SendOptions } from '../send.ts';

/** Fields of an upload (reference, "Assets and groups", upload fields). Absent fields are not sent. */
export interface UploadFields {
  /** The model that later generations will use. */
  readonly model?: string;
  readonly mode?: UploadMode;
  readonly type: AssetType;
  readonly purpose?: string;
  readonly role?: string;
  readonly groupId?: string;
  readonly metadata?: JsonObject;
}

interface AssetQuery {
  readonly groupId?: string;
  readonly type?: AssetType;
  /** From 1. */
  readonly page?: number;
  readonly pageSize?: number;
}

const UPLOADS = '/v1/assets/uploads';

/**
 * Assets (reference, "Assets and groups"). Uploads are not billed. Each is one request that is never repeated
 * automatically, so after a lost answer (`unclear`), look for the asset in the list.
 */
export function assetsResource(send: Send, getAgain: RetryingGet) {
  return {
    /** Multipart, streamed from disk; `path` is absolute. */
    upload: (path: string, fields: UploadFields, options?: SendOptions): Promise<SendOutcome<Asset>> =>
      send(
        {
          operation: 'assets.upload',
          method: 'POST',
          path: UPLOADS,
          encoding: 'multipart',
          body: bodyOf(fields),
          files: [{ field: 'file', path }],
        },
        readAsset,
        options,
      ),
    /** The service itself fetches the file from a public address. */
    addUrl: (url: string, fields: UploadFields, options?: CallOptions): Promise<SendOutcome<Asset>> =>
      send(
        {
          operation: 'assets.addUrl',
          method: 'POST',
          path: UPLOADS,
          encoding: 'json',
          body: { ...bodyOf(fields), url },
          files: [],
        },
        readAsset,
        options,
      ),
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
