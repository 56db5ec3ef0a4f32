import { z } from 'zod';
import { jsonAnswer, Refusal, invalid } from '../answer.ts';
import { ASSET_TYPES, type Asset, type NewAsset } from '../asset-store.ts';
import { jsonObject, multipartForm, type Call } from '../call.ts';
import type { ServiceParts } from '../service-parts.ts';
import { newRequestId } from '../task-view.ts';
import { pageOf, requireGroup } from './asset-groups.ts';
import { parseFields } from './fields.ts';
import { publicUrl } from './references.ts';
import { get, post, type Route } from './route.ts';

export const assetRoutes: Route[] = [
  post('/v1/assets/uploads', (call, parts) => {
    const facts = call.body.shape === 'form' ? readFormUpload(call, parts) : readAddressUpload(call, parts);
    const asset = parts.assets.createAsset(facts);
    call.entry.assetId = asset.id;
    return jsonAnswer(assetView(asset, parts));
  }),
  get('/v1/assets', (call, parts) => {
    const group = groupAsked(call, parts);
    const type = call.query.get('type');
    if (type !== null && !ASSET_TYPES.some((known) => known === type)) {
      throw invalid('invalid_field', `The query field "type" must be one of ${ASSET_TYPES.join(', ')}.`);
    }
    const wanted = parts.assets
      .assets()
      .filter((asset) => (group === null || asset.groupId === group) && (type === null || asset.type === type));
    const { page, pageSize, items } = pageOf(wanted, call.query);
    return jsonAnswer({
      page,
      page_size: pageSize,
      total: wanted.length,
      items: items.map((asset) => assetView(asset, parts)),
    });
  }),
  get('/v1/assets/:id', (call, parts, { id = '' }) => {
    const group = groupAsked(call, parts);
    const asset = parts.assets.assetsById.get(id);
    if (asset === undefined || (group !== null && asset.groupId !== group)) {
      const place = group === null ? '' : ` in the group ${group}`;
      throw new Refusal(404, 'asset_not_found', `There is no asset ${id}${place}.`);
    }
    return jsonAnswer(assetView(asset, parts));
  }),
];

function groupAsked(call: Call, parts: ServiceParts): string | null {
  const id = call.query.get('group_id');
  return id === null ? null : requireGroup(id, parts.assets).id;
}

function readAddressUpload(call: Call, parts: ServiceParts): NewAsset {
  const fields = parseFields(addressUploadFields, jsonObject(call), parts);
  return {
    ...sharedFacts(call, parts, fields),
    upload: 'address',
    name: textOf(fields.metadata?.name) ?? lastPart(fields.url),
    description: textOf(fields.metadata?.description) ?? '',
    sourceUrl: fields.url,
    contentType: null,
    bytes: null,
  };
}

function readFormUpload(call: Call, parts: ServiceParts): NewAsset {
  const form = multipartForm(call);
  const fields = readFormFields(form.fields, parts);
  const file = form.files.find((part) => part.field === 'file');
  if (file === undefined) throw invalid('missing_file', 'The form needs a file in the field "file".');
  if (file.bytes === 0) throw invalid('invalid_file', 'The file in the field "file" is empty.');
  return {
    ...sharedFacts(call, parts, fields),
    upload: 'file',
    name: file.fileName,
    description: '',
    sourceUrl: null,
    contentType: file.contentType,
    bytes: file.bytes,
  };
}

function readFormFields(fields: Record<string, string>, parts: ServiceParts): UploadFields {
  if (parts.uploadForm === 'all') return parseFields(formUploadFields, fields, parts);
  return parseFields(shownFormFields, fields, { rejectUnknownFields: parts.uploadForm === 'strict' });
}

type SharedFacts = Pick<
  NewAsset,
  'groupId' | 'type' | 'model' | 'mode' | 'purpose' | 'role' | 'syncMs' | 'end' | 'syncError'
>;

function sharedFacts(call: Call, parts: ServiceParts, fields: UploadFields): SharedFacts {
  const { fault } = call;
  const end = fault?.fault === 'asset-outcome' ? fault.end : 'ready';
  const reason = fault?.fault === 'asset-outcome' ? fault.message : undefined;
  return {
    groupId:
      fields.group_id === undefined ? parts.assets.defaultGroupId : requireGroup(fields.group_id, parts.assets).id,
    type: fields.type,
    model: fields.model ?? null,
    mode: fields.mode ?? 'asset',
    purpose: fields.purpose ?? null,
    role: fields.role ?? null,
    syncMs: parts.speed.assetMs,
    end,
    syncError: end === 'failed' ? (reason ?? 'The file could not be prepared.') : null,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function assetView(asset: Asset, parts: ServiceParts): Record<string, unknown> {
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
    ...(asset.sourceUrl === null ? {} : { source_url: asset.sourceUrl }),
    url: isHosted ? hosted : asset.sourceUrl,
    ...(isHosted ? { oss_url: hosted } : {}),
    reference: `Asset://${asset.id}`,
    asset_ref: `Asset://${asset.id}`,
    ...(asset.contentType === null ? {} : { content_type: asset.contentType }),
    ...(asset.bytes === null ? {} : { size: asset.bytes }),
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
    ...(readiness === 'failed' ? { sync_error: asset.syncError } : {}),
    request_id: newRequestId(),
    trace_id: asset.traceId,
  };
}

/** What an address ends with, before its query. */
const lastPart = (url: string): string => (url.split(/[?#]/, 1)[0] ?? '').replace(/^.*\//, '');

/** Body of POST /v1/assets/uploads by address (reference: Assets and groups). */
const addressUploadFields = z.object({
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
const shownFormFields = addressUploadFields.pick({ type: true, purpose: true });

/** The same with the other fields of the JSON form, since the group rule ("after an upload with group_id") names no form. */
const formUploadFields = addressUploadFields.omit({ url: true, metadata: true }).extend({
  metadata: z.string().optional(),
});

/** What both forms of an upload say. */
type UploadFields = Omit<z.infer<typeof formUploadFields>, 'metadata'>;
