import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { invalid } from './answer.ts';
import type { Fault } from './fault-rules.ts';
import type { LedgerEntry } from './ledger.ts';
import type { ServiceParts } from './service-parts.ts';

export interface FormFile {
  field: string;
  fileName: string;
  contentType: string;
  bytes: number;
  sha256: string;
}

export type CallBody =
  | { shape: 'none' }
  | { shape: 'json'; value: unknown }
  | { shape: 'form'; fields: Record<string, string>; files: FormFile[] }
  | { shape: 'unreadable'; reason: string };

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
  /** The fault that strikes this request: a route that creates a record lets it shape the record. */
  fault: Fault | undefined;
  /** Aborts when the service stops. */
  signal: AbortSignal;
  parts: ServiceParts;
}

export async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export async function parseBody(bytes: Buffer, contentType: string | undefined): Promise<CallBody> {
  if (bytes.length === 0) return { shape: 'none' };
  if (contentType?.toLowerCase().startsWith('multipart/form-data')) return parseForm(bytes, contentType);
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return { shape: 'json', value };
  } catch (cause) {
    return { shape: 'unreadable', reason: `The body is not valid JSON: ${String(cause)}` };
  }
}

async function parseForm(bytes: Buffer, contentType: string): Promise<CallBody> {
  try {
    const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } }).formData();
    const fields: Record<string, string> = {};
    const files: FormFile[] = [];
    for (const [field, value] of form) {
      if (typeof value === 'string') fields[field] = value;
      else files.push(await describeFile(field, value));
    }
    return { shape: 'form', fields, files };
  } catch (cause) {
    return { shape: 'unreadable', reason: `The multipart body cannot be read: ${String(cause)}` };
  }
}

async function describeFile(field: string, file: File): Promise<FormFile> {
  const content = await file.bytes();
  return {
    field,
    fileName: file.name,
    contentType: file.type,
    bytes: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
  };
}

/** The JSON object of a request; refuses anything else. */
export function jsonObject(call: Call): Record<string, unknown> {
  const body = call.body;
  if (body.shape === 'unreadable') throw invalid('invalid_json', body.reason);
  if (body.shape === 'form') throw invalid('invalid_content_type', 'This route takes JSON, not a multipart form.');
  if (body.shape === 'none') throw invalid('missing_body', 'This route needs a JSON body.');
  if (typeof body.value !== 'object' || body.value === null || Array.isArray(body.value)) {
    throw invalid('invalid_json', 'The body must be a JSON object.');
  }
  return body.value as Record<string, unknown>;
}

/** The multipart form of a request; refuses anything else. */
export function multipartForm(call: Call): { fields: Record<string, string>; files: FormFile[] } {
  const body = call.body;
  if (body.shape === 'unreadable') throw invalid('invalid_multipart', body.reason);
  if (body.shape !== 'form') {
    throw invalid('invalid_content_type', 'This route takes multipart/form-data.');
  }
  return body;
}
