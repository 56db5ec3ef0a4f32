import type { DownloadProblem } from '../machine/failures.ts';
import type { ResumePoint } from '../db/output-store.ts';
import type { Place } from '../files/place.ts';
import { bytesForPeople } from '../../contract/units.ts';
import { messageFor, type Text } from '../../contract/messages/message.ts';
import { DISK_CLOSED, systemCode, toText } from '../base/errors.ts';
import type { IncomingHttpHeaders } from 'node:http';
import { canDecode, EncodedError, toEncodings } from '../api/content-encoding.ts';
import { parseRetryAfter } from '../api/retry.ts';

/** The service a result belongs to: its address decides which networks and which hosts may be asked. */
interface ResultOwner {
  /** Base address or origin of the service the task is pinned to, for example `https://host/prefix`. */
  readonly origin: string;
  /** Null without a key. Asked for only after the service's own origin has answered 401 or 403; sent to no other. */
  readonly authorization: () => string | null;
}

export interface DownloadRequest {
  readonly url: string;
  readonly part: Place;
  readonly resume: ResumePoint | null;
  readonly service: ResultOwner;
  readonly maxBytes: number;
  readonly minFreeBytes: number;
  readonly signal: AbortSignal;
  /** Called often, with the bytes of the part so far (not yet durable). Must be cheap. */
  readonly onProgress?: (bytes: number) => void;
  readonly onPace?: (isSlow: boolean) => void;
  /** Called now and then, only after the part was fsynced up to `point.offset`. */
  readonly persist?: (point: ResumePoint) => void | Promise<void>;
}

export type DownloadOutcome =
  /** Everything arrived, has the announced length, and is synced. `inspectFile` then checks what it is. */
  | {
      readonly type: 'complete';
      readonly bytes: number;
      readonly sha256: string;
      readonly contentType?: string;
      readonly etag?: string;
    }
  /** Worth fetching again from the same address: 5xx, reset, truncation, stall, a page instead of media, an empty body. */
  | { readonly type: 'retry'; readonly complaint: DownloadProblem; readonly retryAfterMs: number | null }
  /** 429. `retryAfterMs` is the server's floor, null when it named none. */
  | { readonly type: 'throttled'; readonly complaint: DownloadProblem; readonly retryAfterMs: number | null }
  /** The address does not work any more (401, 403, 404, 410 and other 4xx): the task can be asked for a new one. */
  | { readonly type: 'expired'; readonly complaint: DownloadProblem; readonly httpStatus: number }
  /** Another request would end the same way: a person must act. Nothing is lost, fetching later is free. */
  | { readonly type: 'refused'; readonly complaint: DownloadProblem }
  /** Nothing was wrong with the server. `neededBytes` is null when the length is unknown. */
  | { readonly type: 'disk_full'; readonly complaint: DownloadProblem; readonly neededBytes: number | null }
  /** `request.signal` was aborted; what had arrived is durable and was persisted where it can be resumed. */
  | { readonly type: 'aborted' };

export function retry(code: string, message: Text): DownloadOutcome {
  return { type: 'retry', complaint: { code, message }, retryAfterMs: null };
}

export function refused(code: string, message: Text): DownloadOutcome {
  return { type: 'refused', complaint: { code, message } };
}

export function pageInstead(host: string): DownloadOutcome {
  return retry('download_not_media', messageFor('failure.sentPage', { host }));
}

export function tooLarge(bytes: number, maxBytes: number): DownloadOutcome {
  const sizes = { size: bytesForPeople(bytes), most: bytesForPeople(maxBytes) };
  return refused('download_too_large', messageFor('failure.tooLarge', sizes));
}

export function diskFull(neededBytes: number | null): DownloadOutcome {
  const message =
    neededBytes === null
      ? messageFor('failure.diskClosed')
      : messageFor('failure.diskTooSmall', { needed: bytesForPeople(neededBytes) });
  return { type: 'disk_full', complaint: { code: 'disk_full', message }, neededBytes };
}

export function outcomeOfDisk(error: unknown): DownloadOutcome {
  const code = systemCode(error) ?? 'part_unwritable';
  if (DISK_CLOSED.has(code)) return diskFull(null);
  const message = messageFor('failure.partUnwritable', { reason: toText(error) });
  return code === 'EMFILE' || code === 'ENFILE' ? retry(code, message) : refused(code, message);
}

/** `received` is null when not a byte of the body had come. */
export function outcomeOfNetwork(
  error: unknown,
  host: string,
  received: { bytes: number; length: number | null } | null,
): DownloadOutcome {
  const code = systemCode(error) ?? 'network';
  if (received === null) return retry(code, messageFor('failure.hostNotAsked', { host, reason: toText(error) }));
  const total = received.length === null ? 'unknown' : bytesForPeople(received.length);
  const facts = { host, received: bytesForPeople(received.bytes), total, code };
  return retry('download_truncated', messageFor('failure.downloadBroke', facts));
}

/** What we had and wanted when a request for a result was made. Pure facts, so that the answer can be judged by them. */
interface Expectation {
  readonly offset: number;
  readonly etag: string | undefined;
  readonly length: number | undefined;
  readonly maxBytes: number;
  readonly host: string;
  readonly now: number;
}

export type ResponseClass =
  /** Write the body from `offset` on; `length` is that of the whole file. */
  | {
      readonly do: 'take';
      readonly offset: number;
      readonly length: number | null;
      readonly etag: string | undefined;
      readonly lastModified: string | undefined;
      readonly contentType: string | undefined;
      /** How the body is compressed. Such a body cannot be continued. */
      readonly encodings: readonly string[];
    }
  /** The present bytes do not fit any more: ask for the whole file. */
  | { readonly do: 'start_over' }
  | { readonly do: 'whole' }
  | { readonly do: 'follow'; readonly location: string }
  | { readonly do: 'end'; readonly outcome: DownloadOutcome };

/** Decides about an answer by its status and headers (RFC 9110, sections 14 and 15). */
export function classifyResponse(status: number, headers: IncomingHttpHeaders, asked: Expectation): ResponseClass {
  if (status === 200) return classifyWhole(headers, asked);
  if (status === 206) return classifyPartial(headers, asked);
  if (status === 416 && asked.offset > 0) return classifyUnsatisfiable(headers, asked);
  if (isRedirect(status) && headers.location !== undefined) return { do: 'follow', location: headers.location };
  return { do: 'end', outcome: outcomeOfStatus(status, headers, asked) };
}

function classifyWhole(headers: IncomingHttpHeaders, asked: Expectation): ResponseClass {
  return take(headers, asked, 0, toLength(headers['content-length']));
}

function classifyPartial(headers: IncomingHttpHeaders, asked: Expectation): ResponseClass {
  const range = readContentRange(headers['content-range']);
  if (asked.offset === 0)
    return {
      do: 'end',
      outcome: retry('download_wrong_range', messageFor('failure.partNotAsked', { host: asked.host })),
    };
  const changed = headers.etag !== undefined && asked.etag !== undefined && headers.etag !== asked.etag;
  const otherLength = asked.length !== undefined && range?.total !== undefined && range.total !== asked.length;
  if (range?.start !== asked.offset || changed || otherLength) return { do: 'start_over' };
  return take(headers, asked, asked.offset, range.total ?? asked.length ?? null);
}

function classifyUnsatisfiable(headers: IncomingHttpHeaders, asked: Expectation): ResponseClass {
  const total = readContentRange(headers['content-range'])?.total;
  const changed = headers.etag !== undefined && asked.etag !== undefined && headers.etag !== asked.etag;
  return total === asked.offset && !changed ? { do: 'whole' } : { do: 'start_over' };
}

function take(headers: IncomingHttpHeaders, asked: Expectation, offset: number, length: number | null): ResponseClass {
  const problem = unusableBody(headers, asked, length);
  if (problem !== null) return { do: 'end', outcome: problem };
  const encodings = toEncodings(headers);
  const facts = { do: 'take' as const, offset, length, contentType: headers['content-type'], encodings };
  if (encodings.length > 0)
    return offset > 0 ? { do: 'start_over' } : { ...facts, etag: undefined, lastModified: undefined };
  return { ...facts, etag: headers.etag, lastModified: headers['last-modified'] };
}

function unusableBody(headers: IncomingHttpHeaders, asked: Expectation, length: number | null): DownloadOutcome | null {
  if (isPageType(headers['content-type'])) return pageInstead(asked.host);
  const encodings = toEncodings(headers);
  if (!canDecode(encodings)) return retry('download_encoded', new EncodedError(encodings).text);
  if (length !== null && length > asked.maxBytes) return tooLarge(length, asked.maxBytes);
  return null;
}

function outcomeOfStatus(status: number, headers: IncomingHttpHeaders, asked: Expectation): DownloadOutcome {
  const retryAfterMs = parseRetryAfter(headers['retry-after'], asked.now);
  const facts = { host: asked.host, status: String(status) };
  const complaint = {
    code: `http_${status}`,
    message: messageFor('failure.hostAnswered', facts),
    httpStatus: status,
  };
  if (status === 429) return { type: 'throttled', complaint, retryAfterMs };
  const passing = status < 400 || status >= 500 || status === 408 || status === 416 || status === 425;
  if (passing) return { type: 'retry', complaint, retryAfterMs };
  const message = messageFor('failure.addressExpired', facts);
  return { type: 'expired', complaint: { ...complaint, message }, httpStatus: status };
}

function isRedirect(status: number): boolean {
  return status === 301 || status === 302 || status === 303 || status === 307 || status === 308;
}

function isPageType(contentType: string | undefined): boolean {
  return /^\s*(text\/html|application\/xhtml\+xml)\b/i.test(contentType ?? '');
}

/** `bytes 10-19/20`, or `bytes *\/20` for a range that does not exist. */
function readContentRange(header: string | undefined): { start: number | undefined; total: number | undefined } | null {
  const match = /^bytes\s+(?:(\d+)-\d+|\*)\/(\d+|\*)$/i.exec(header?.trim() ?? '');
  return match === null ? null : { start: toLength(match[1]) ?? undefined, total: toLength(match[2]) ?? undefined };
}

function toLength(text: string | undefined): number | null {
  if (text === undefined || !/^\d+$/.test(text)) return null;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : null;
}

/** The validator for If-Range: a strong ETag or the date of the last change. Without one a resume cannot be trusted. */
export function rangeValidator(etag: string | undefined, lastModified: string | undefined): string | null {
  return etag !== undefined && !etag.startsWith('W/') ? etag : (lastModified ?? null);
}

/** What goes with a request for a file from `offset` on. Without a validator the whole of it is asked for. */
export function requestHeaders(
  offset: number,
  validator: string | null,
  authorization: string | null,
): Record<string, string> {
  return {
    accept: '*/*',
    // Packed bytes could neither be resumed nor checked against their length.
    'accept-encoding': 'identity',
    ...(offset > 0 && validator !== null ? { range: `bytes=${offset}-`, 'if-range': validator } : {}),
    ...(authorization === null ? {} : { authorization }),
  };
}
