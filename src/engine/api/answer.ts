import { messageFor, type Text } from '../../contract/messages/message.ts';
import type { ServiceProblem, TraceIds } from '../machine/failures.ts';
import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http';
import { type Json, type JsonObject, parseBoundedJson } from '../../contract/json.ts';
import type { SubmitOutcome } from './calls.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly json: Json | undefined;
  readonly text: string;
}

export type Redact = (text: string) => string;

export function redactor(key: string): Redact {
  return (text) => text.replaceAll(key, '[key]');
}

const utf8 = new TextDecoder();

export function answerFor(status: number, headers: IncomingHttpHeaders, chunks: readonly Buffer[]): Answer {
  const [first, ...more] = chunks;
  const text = utf8.decode(first !== undefined && more.length === 0 ? first : Buffer.concat(chunks));
  return { status, headers, text, json: parseJson(text) };
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function toText(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** Ids for troubleshooting, from the body if it has them, else from the headers. */
export function traceIdsFor(answer: Answer, redact: Redact): TraceIds {
  const body = isObject(answer.json) ? answer.json : {};
  const requestId = toText(body['request_id']) ?? header(answer, 'x-request-id') ?? header(answer, 'request-id');
  const traceId = toText(body['trace_id']) ?? header(answer, 'x-trace-id') ?? header(answer, 'trace-id');
  return {
    ...(requestId === undefined ? {} : { requestId: redact(requestId) }),
    ...(traceId === undefined ? {} : { traceId: redact(traceId) }),
  };
}

/** What an unexpected answer says: `error.message` and `.code` (reference, "Errors"), else a text for its status. */
export function complaintFor(answer: Answer, redact: Redact): ServiceProblem & { readonly httpStatus: number } {
  const said = isObject(answer.json) ? saidIn(answer.json) : {};
  return {
    httpStatus: answer.status,
    ...traceIdsFor(answer, redact),
    ...(said.code === undefined ? {} : { code: redact(said.code) }),
    message: said.message === undefined ? unusual(answer, redact) : shorten(redact(said.message)),
  };
}

/** Message and code of a body or task record, from the fields that the reference and its older families use. */
export function saidIn(body: JsonObject): { message?: string | undefined; code?: string | undefined } {
  const error = body['error'];
  const inner = isObject(error) ? error : {};
  const refusal = jobRefusalIn(body);
  return {
    message:
      toText(inner['message']) ??
      toText(error) ??
      toText(body['fail_reason']) ??
      toText(body['failReason']) ??
      aboutFailure(body['message']) ??
      refusal?.message,
    code: toText(inner['code']) ?? toText(inner['type']) ?? aboutFailure(body['code']) ?? refusal?.code,
  };
}

/** Codes of the job-style response that are no refusal. The reference lists none: these are what such services answer. */
const JOB_CODES_OF_SUCCESS: ReadonlySet<Json | undefined> = new Set([0, 1, 200, 21, 22]);

/** What the job-style response says against a request (reference, "Job-style image task response"); null if nothing. */
export function jobRefusalIn({ code, description }: JsonObject): { message: string; code: string } | null {
  const message = toText(description);
  if (message === undefined || typeof code !== 'number' || JOB_CODES_OF_SUCCESS.has(code)) return null;
  return { message, code: String(code) };
}

/** A wrapper says whether the question was answered: its `success` is about a failed task neither reason nor code. */
function aboutFailure(said: Json | undefined): string | undefined {
  const text = toText(said);
  return text !== undefined && /^\s*(success|succeeded|ok|0|200)\s*$/i.test(text) ? undefined : text;
}

function unusual(answer: Answer, redact: Redact): Text {
  const status = `${String(answer.status)} ${STATUS_CODES[answer.status] ?? ''}`.trim();
  const start = answer.text.trimStart();
  if (start === '') return messageFor('failure.emptyAnswer', { status });
  if (start.startsWith('<')) return messageFor('failure.pageAnswer', { status });
  return messageFor('failure.otherAnswer', { status, answer: shorten(redact(start)) });
}

function header(answer: Answer, name: string): string | undefined {
  const value = answer.headers[name];
  return toText(Array.isArray(value) ? value[0] : value);
}

/** The beginning of a text, without half of a character at its end. */
export const beginOf = (text: string, length: number): string => text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');

function shorten(text: string): string {
  return text.length <= 500 ? text : `${beginOf(text, 499)}…`;
}

/** Undefined if the text is not JSON. Long integers become text, so that they keep all digits. */
export function parseJson(text: string): Json | undefined {
  try {
    return parseBoundedJson(text, { revive: LONG_NUMBER.test(text) ? keepDigits : undefined }) as Json;
  } catch {
    return undefined;
  }
}

/** Not after a decimal point: the numbers of a vector have as many digits there, and the last ones do not matter. */
const LONG_NUMBER = /(?<![\d.])\d{16}/;

/** As a JavaScript number, a task id above 2^53 could turn into the id of another task. */
function keepDigits(_key: string, value: Json, read: { readonly source?: string } = {}): Json {
  const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value);
  return isRounded && /^\d+$/.test(read.source ?? '') ? (read.source ?? '') : value;
}

/** Fields that may contain the cost. The reference shows only `usage`, without its fields; the others are guesses. */
const FIELDS = ['usage', 'usageMetadata', 'cost'];

/** Characters; a longer value is not a cost. */
const MOST = 2000;

/** Bytes; a larger answer contains a picture in JSON, which the download step reads. */
const MAX_READ = 4 * 1000 ** 2;

type Answered = Extract<SubmitOutcome, { type: 'answered' }>;

/** The cost that an answer reports, in the service's own form; null if it reports none. Pure. */
export function costHintIn(answer: Json | undefined): JsonObject | null {
  if (!isObject(answer)) return null;
  const places = [answer, ...(isObject(answer['data']) ? [answer['data']] : [])];
  for (const place of places) {
    const told = Object.fromEntries(FIELDS.flatMap((field) => (place[field] == null ? [] : [[field, place[field]]])));
    if (Object.keys(told).length > 0 && JSON.stringify(told).length <= MOST) return told as JsonObject;
  }
  return null;
}

export const costHintInResult = ({ body, json }: Pick<Answered, 'body' | 'json'>): JsonObject | null =>
  body.length > MAX_READ ? null : costHintIn(json);

/** Without control characters, but for tabs and line feeds. */
export const plainText = (text: string): string => text.replaceAll(/[^\P{Cc}\n\t]/gu, '').trim();
