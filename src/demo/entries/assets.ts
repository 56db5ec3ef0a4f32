import { z } from 'zod';
import { type Answer, invalid, jsonAnswer, Refusal, multipartForm, type Call } from '../call.ts';
import { ASSET_TYPES, DEFAULT_GROUP, type Asset, type AssetGroup, type NewAsset } from '../asset-store.ts';
import { newId } from '../task-store.ts';
import { publicUrl } from './references.ts';
import { fieldsFor, get, parseFields, post, type Route } from './request.ts';

export const assetRoutes: Route[] = [
  post('/v1/assets/uploads', (call) => {
    const asset = call.parts.assets.createAsset(call.body.form ? formUpload(call) : addressUpload(call));
    call.entry.assetId = asset.id;
    return jsonAnswer(assetView(asset, call));
  }),
  get('/v1/assets', (call) => {
    const group = groupAsked(call);
    const type = oneOfQuery(call, 'type', ASSET_TYPES);
    const all = call.parts.assets.assets();
    const wanted = all.filter((each) => (group === null || each.groupId === group) && (!type || each.type === type));
    const { page, pageSize, items } = pageFor(wanted, call.query);
    const views = items.map((asset) => assetView(asset, call));
    return jsonAnswer({ page, page_size: pageSize, total: wanted.length, items: views });
  }),
  get('/v1/assets/:id', (call, id = '') => {
    const group = groupAsked(call);
    const asset = call.parts.assets.assetsById.get(id);
    if (asset === undefined || (group !== null && asset.groupId !== group)) {
      const place = group === null ? '' : ` in the group ${group}`;
      throw new Refusal(404, 'asset_not_found', `There is no asset ${id}${place}.`);
    }
    return jsonAnswer(assetView(asset, call));
  }),
  post('/v1/asset-groups', (call) => {
    const { name = '', description = '', domain = 'media' } = fieldsFor(call, groupFields);
    if (name.trim() === '') throw invalid('missing_name', 'A group needs a "name".');
    const group = call.parts.assets.createGroup({ name: name.trim(), description, domain });
    return jsonAnswer({ ...groupView(group), ...traceIds() });
  }),
  get('/v1/asset-groups', (call) => {
    const domain = call.query.get('domain');
    const status = oneOfQuery(call, 'status', ['enabled', 'disabled']);
    const all = call.parts.assets.groups();
    const wanted = all.filter((each) => (!domain || each.domain === domain) && (!status || each.status === status));
    const data = pageFor(wanted, call.query).items.map(groupView);
    return jsonAnswer({ object: 'list', data, count: data.length, total: wanted.length, ...traceIds() });
  }),
  get('/v1/asset-groups/:id', (call, id = '') => jsonAnswer(groupView(requireGroup(call, id)))),
  { method: 'PATCH', path: '/v1/asset-groups/:id', answer: changeGroup },
];

/** Body of POST /v1/assets/uploads by address (reference: Assets and groups). */
const addressUploadFields = z.object({
  model: z.string().optional(),
  mode: z.enum(['asset', 'oss', 'both']).default('asset'),
  type: z.enum(ASSET_TYPES),
  purpose: z.string().min(1).optional(),
  role: z.string().min(1).optional(),
  url: publicUrl,
  group_id: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
});

const shownFormFields = addressUploadFields.pick({ type: true, purpose: true });

/** The same with the other fields of the JSON form, since the group rule ("after an upload with group_id") names no form. */
const formUploadFields = addressUploadFields.omit({ url: true }).extend({ metadata: z.string().optional() });

function addressUpload(call: Call): NewAsset {
  const { url, metadata = {}, ...fields } = fieldsFor(call, addressUploadFields);
  const { name = (url.split(/[?#]/, 1)[0] ?? '').replace(/^.*\//, ''), description = '' } = toTexts(metadata);
  const source = { upload: 'address', name, description, sourceUrl: url } as const;
  return { ...uploadFacts(call, fields), ...source };
}

const toTexts = (fields: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, text]) => (typeof text === 'string' ? [[name, text]] : [])),
  );

function formUpload(call: Call): NewAsset {
  const { uploadForm, rejectUnknownFields } = call.parts;
  const form = multipartForm(call);
  const fields =
    uploadForm === 'all'
      ? parseFields(formUploadFields, form.fields, { rejectUnknownFields })
      : parseFields(shownFormFields, form.fields, { rejectUnknownFields: uploadForm === 'strict' });
  const file = form.files.find((part) => part.field === 'file');
  if (file === undefined) throw invalid('missing_file', 'The form needs a file in the field "file".');
  if (file.bytes === 0) throw invalid('invalid_file', 'The file in the field "file" is empty.');
  const { fileName: name, contentType, bytes } = file;
  const source = { name, contentType, bytes };
  return { ...uploadFacts(call, fields), ...source };
}

type UploadFields = Partial<z.infer<typeof formUploadFields>> & Pick<Asset, 'type'>;

function uploadFacts(call: Call, fields: UploadFields) {
  const { type, group_id: group, mode = 'asset', model = null, purpose = null, role = null } = fields;
  return {
    ...{ type, mode, model, purpose, role },
    groupId: group === undefined ? DEFAULT_GROUP : requireGroup(call, group).id,
    syncMs: call.parts.speed.assetMs,
    ...call.overrides.asset,
  };
}

function assetView(asset: Asset, { parts }: Call): Record<string, unknown> {
  const readiness = parts.assets.readinessOf(asset);
  const hosted = `${parts.addresses.origin}/hosted/${asset.id}`;
  const isHosted = asset.mode !== 'asset' || asset.sourceUrl === null;
  const age = readiness === 'created' ? 0 : asset.syncMs;
  return {
    object: 'asset',
    id: asset.id,
    asset_id: asset.id,
    group_id: asset.groupId,
    domain: 'media',
    type: asset.type,
    asset_type: asset.type,
    name: asset.name,
    description: asset.description,
    ...(asset.sourceUrl !== null && { source_url: asset.sourceUrl }),
    url: isHosted ? hosted : asset.sourceUrl,
    ...(isHosted && { oss_url: hosted }),
    reference: `Asset://${asset.id}`,
    asset_ref: `Asset://${asset.id}`,
    ...(asset.contentType !== null && { content_type: asset.contentType }),
    ...(asset.bytes !== null && { size: asset.bytes }),
    status: readiness,
    sync_status: readiness === 'disabled' ? 'ready' : readiness,
    preparation_status: readiness,
    generation_ready: readiness === 'ready',
    visibility: 'private',
    created_at: Math.floor(asset.createdAt / 1000),
    updated_at: Math.floor((asset.createdAt + age) / 1000),
    // A passed review says nothing about readiness (reference: Asset), so it passes at once.
    review_status: 'succeeded',
    review_passed: true,
    ...(readiness === 'failed' && { sync_error: asset.syncError }),
    request_id: newId('req'),
    trace_id: asset.traceId,
  };
}

const groupFields = z.object({
  name: z.string().optional(),
  description: z.string().optional(),
  domain: z.string().optional(),
});
const groupChanges = groupFields.omit({ domain: true });

function changeGroup(call: Call, id = ''): Answer {
  const group = requireGroup(call, id);
  const changes = fieldsFor(call, groupChanges);
  if (changes.name === undefined && changes.description === undefined) {
    throw invalid('missing_update_fields', 'Send "name", "description" or both.');
  }
  if (changes.name?.trim() === '') throw invalid('missing_name', 'The name of a group cannot be empty.');
  return jsonAnswer(groupView(call.parts.assets.updateGroup(group, changes)));
}

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
  const id = newId('req');
  return { trace_id: id, request_id: id };
}

function groupAsked(call: Call): string | null {
  const id = call.query.get('group_id');
  return id === null ? null : requireGroup(call, id).id;
}

/** The group of a request. A wrong format and an unknown group have different errors (reference: Errors). */
function requireGroup({ parts: { assets } }: Call, id: string): AssetGroup {
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

function oneOfQuery({ query }: Call, name: string, known: readonly string[]): string | null {
  const value = query.get(name);
  if (value === null || known.includes(value)) return value;
  throw invalid('invalid_field', `The query field "${name}" must be one of ${known.join(', ')}.`);
}

const PAGE_SIZE = 20;
const MAX_PAGE = 100;

function pageFor<T>(all: readonly T[], query: URLSearchParams): { page: number; pageSize: number; items: T[] } {
  const page = requireCount(query, 'page', 1, Number.MAX_SAFE_INTEGER);
  const pageSize = requireCount(query, 'page_size', PAGE_SIZE, MAX_PAGE);
  return { page, pageSize, items: all.slice((page - 1) * pageSize, page * pageSize) };
}

function requireCount(query: URLSearchParams, name: string, usual: number, most: number): number {
  const text = query.get(name) ?? String(usual);
  const value = /^\d+$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > most) {
    throw invalid('invalid_field', `The query field "${name}" must be a whole number from 1 to ${String(most)}.`);
  }
  return value;
}
