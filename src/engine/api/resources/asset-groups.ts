import type { AssetGroup } from '../../../contract/asset.ts';
import { readGroup, readGroupPage, type Page } from '../asset-schemas.ts';
import type { CallOptions } from '../calls.ts';
import type { RetryingGet } from '../retrying-get.ts';
import type { SendOutcome } from '../outcomes.ts';
import type { Send, Sending } from '../send.ts';
import { queryOf } from './assets.ts';

interface GroupQuery {
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
