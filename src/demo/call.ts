import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { LedgerEntry } from './ledger.ts';
import type { NewAsset } from './asset-store.ts';
import type { ServiceParts } from './service-parts.ts';
import type { NewTask } from './task-store.ts';

interface FormFile {
  field: string;
  fileName: string;
  contentType: string;
  bytes: number;
  sha256: string;
}

/** At most one of them is there. */
export interface CallBody {
  json?: unknown;
  form?: { fields: Record<string, string>; files: FormFile[] };
  unreadable?: string;
}

export interface Call {
  method: string;
  path: string;
  /** Without the question mark, byte for byte as sent. */
  rawQuery: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  origin: 'api' | 'media';
  body: CallBody;
  entry: LedgerEntry;
  /** What the record that this call makes is to be, beside what was ordered: an interceptor's. */
  overrides: { task?: Partial<NewTask>; asset?: Partial<NewAsset> };
  signal: AbortSignal;
  parts: ServiceParts;
}

export async function parseBody(bytes: Buffer, contentType = ''): Promise<CallBody> {
  if (bytes.length === 0) return {};
  const isForm = contentType.toLowerCase().startsWith('multipart/form-data');
  try {
    return isForm ? { form: await parseForm(bytes, contentType) } : { json: JSON.parse(bytes.toString('utf8')) };
  } catch (cause) {
    const problem = isForm ? 'The multipart body cannot be read' : 'The body is not valid JSON';
    return { unreadable: `${problem}: ${String(cause)}` };
  }
}

async function parseForm(bytes: Buffer, contentType: string): Promise<NonNullable<CallBody['form']>> {
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } }).formData();
  const fields: Record<string, string> = {};
  const files: FormFile[] = [];
  for (const [field, value] of form) {
    if (typeof value === 'string') {
      fields[field] = value;
      continue;
    }
    const content = await value.bytes();
    const sha256 = createHash('sha256').update(content).digest('hex');
    files.push({ field, fileName: value.name, contentType: value.type, bytes: content.length, sha256 });
  }
  return { fields, files };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function jsonObject({ body }: Call): Record<string, unknown> {
  if (body.unreadable !== undefined) throw invalid('invalid_json', body.unreadable);
  if (body.form) throw invalid('invalid_content_type', 'This route takes JSON, not a multipart form.');
  if (!('json' in body)) throw invalid('missing_body', 'This route needs a JSON body.');
  if (!isObject(body.json)) throw invalid('invalid_json', 'The body must be a JSON object.');
  return body.json;
}

export function multipartForm({ body }: Call): NonNullable<CallBody['form']> {
  if (body.unreadable !== undefined) throw invalid('invalid_multipart', body.unreadable);
  if (!body.form) throw invalid('invalid_content_type', 'This route takes multipart/form-data.');
  return body.form;
}

/** The answer of a route. An interceptor may break it on its way. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export function jsonAnswer(value: unknown, status = 200, headers: Record<string, string> = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: Buffer.from(jsonText(value)),
  };
}

function jsonText(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? rawJson(String(part)) : part));
}

/** Not yet among TypeScript's declarations. */
const { rawJSON: rawJson } = JSON as unknown as { rawJSON: (text: string) => unknown };

/** A request the service turns down. Becomes an ErrorResponse (reference: Errors). */
export class Refusal extends Error {
  readonly answer: Answer;

  constructor(
    status: number,
    code: string,
    message: string,
    {
      type = status >= 500 ? 'server_error' : 'invalid_request_error',
      retryAfterSeconds,
    }: { type?: string; retryAfterSeconds?: number } = {},
  ) {
    super(message);
    const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
    this.answer = jsonAnswer({ error: { message, type, code } }, status, headers);
  }
}

export const invalid = (code: string, message: string): Refusal => new Refusal(400, code, message);

export const addressExpired = (status = 403): Refusal =>
  new Refusal(status, 'address_expired', 'This address has expired. Ask the task for a new one.');
