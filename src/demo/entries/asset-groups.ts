import { z } from 'zod';
import { jsonAnswer, Refusal, invalid } from '../answer.ts';
import type { AssetGroup, AssetStore } from '../asset-store.ts';
import { jsonObject } from '../call.ts';
import { newRequestId } from '../task-view.ts';
import { parseFields } from './fields.ts';
import { get, post, type Route } from './route.ts';

const PAGE_SIZE = 20;
const LARGEST_PAGE = 100;

const groupFields = z.object({
  name: z.string().optional(),
  description: z.string().optional(),
  domain: z.string().optional(),
});

const groupChanges = groupFields.omit({ domain: true });

export const assetGroupRoutes: Route[] = [
  post('/v1/asset-groups', (call, parts) => {
    const fields = parseFields(groupFields, jsonObject(call), parts);
    const name = fields.name?.trim() ?? '';
    if (name === '') throw invalid('missing_name', 'A group needs a "name".');
    const { description = '', domain = 'media' } = fields;
    return jsonAnswer({ ...groupView(parts.assets.createGroup({ name, description, domain })), ...traceIds() });
  }),
  get('/v1/asset-groups', (call, parts) => {
    const domain = call.query.get('domain');
    const status = call.query.get('status');
    if (status !== null && status !== 'enabled' && status !== 'disabled') {
      throw invalid('invalid_field', 'The query field "status" must be enabled or disabled.');
    }
    const wanted = parts.assets
      .groups()
      .filter((group) => (domain === null || group.domain === domain) && (status === null || group.status === status));
    const data = pageOf(wanted, call.query).items.map(groupView);
    return jsonAnswer({ object: 'list', data, count: data.length, total: wanted.length, ...traceIds() });
  }),
  get('/v1/asset-groups/:id', (_call, parts, { id = '' }) => jsonAnswer(groupView(requireGroup(id, parts.assets)))),
  {
    method: 'PATCH',
    path: '/v1/asset-groups/:id',
    answer: (call, parts, { id = '' }) => {
      const group = requireGroup(id, parts.assets);
      const { name, description } = parseFields(groupChanges, jsonObject(call), parts);
      if (name === undefined && description === undefined) {
        throw invalid('missing_update_fields', 'Send "name", "description" or both.');
      }
      if (name?.trim() === '') throw invalid('missing_name', 'The name of a group cannot be empty.');
      const changes = {
        ...(name === undefined ? {} : { name }),
        ...(description === undefined ? {} : { description }),
      };
      return jsonAnswer(groupView(parts.assets.updateGroup(group, changes)));
    },
  },
];

function groupView(group: AssetGroup): Record<string, unknown> {
  return {
    object: 'asset_group',
    id: group.id,
    group_id: group.id,
    domain: group.domain,
    name: group.name,
    description: group.description,
    group_type: 'custom',
    status: group.status,
    visibility: 'private',
    created_at: Math.floor(group.createdAt / 1000),
    updated_at: Math.floor(group.updatedAt / 1000),
  };
}

function traceIds(): Record<string, string> {
  const id = newRequestId();
  return { trace_id: id, request_id: id };
}

/** The group of a request. A wrong format and an unknown group have different errors (reference: Errors). */
export function requireGroup(id: string, assets: AssetStore): AssetGroup {
  const group = assets.groupsById.get(id);
  if (!/^group_\S+$/.test(id) && group === undefined) {
    throw invalid('invalid_group_id', `The group id "${id}" is not of the form group_<id>.`);
  }
  if (group === undefined || group.status === 'disabled') {
    const message = `The asset group ${id} does not exist, is unavailable or is not yours.`;
    throw new Refusal(404, 'asset_group_not_found', message);
  }
  return group;
}

export function pageOf<T>(all: readonly T[], query: URLSearchParams): { page: number; pageSize: number; items: T[] } {
  const page = requireCount(query, 'page', 1, Number.MAX_SAFE_INTEGER);
  const pageSize = requireCount(query, 'page_size', PAGE_SIZE, LARGEST_PAGE);
  return { page, pageSize, items: all.slice((page - 1) * pageSize, page * pageSize) };
}

function requireCount(query: URLSearchParams, name: string, usual: number, most: number): number {
  const text = query.get(name);
  if (text === null) return usual;
  const value = /^\d+$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > most) {
    throw invalid('invalid_field', `The query field "${name}" must be a whole number from 1 to ${String(most)}.`);
  }
  return value;
}
