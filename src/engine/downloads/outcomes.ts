import type { DownloadProblem } from '../machine/failures.ts';
import type { ResumePoint } from '../db/output-store.ts';
import type { Place } from '../files/place.ts';
import { bytesForPeople } from '../../contract/units.ts';
import { messageFor, type Text } from '../../contract/messages/message.ts';
import { DISK_CLOSED, systemCode, textOf } from '../base/errors.ts';

/** The service a result belongs to: its address decides which networks and which hosts may be asked. */
interface ResultOwner {
  /** Base address or origin of the service the task is pinned to, for example `https://host/prefix`. */
  readonly origin: string;
  /**
   * Value of the Authorization header, or null without a key. Asked for only after the service's own origin has
   * answered 401 or 403 without it; it is sent to no other host.
   */
  readonly authorization: () => string | null;
}

export interface DownloadRequest {
  /** The complete result URL, signed query included. */
  readonly url: string;
  readonly part: Place;
  readonly resume: ResumePoint | null;
  readonly service: ResultOwner;
  /** One file larger than this is refused. */
  readonly maxBytes: number;
  /** The disk keeps at least this much free. */
  readonly minFreeBytes: number;
  readonly signal: AbortSignal;
  /** Called often, with the bytes of the part so far (not yet durable). Must be cheap. */
  readonly onProgress?: (bytes: number) => void;
  /** Called when a download turns slow, with true, and when it is not any more, with false; see `DownloaderOptions`. */
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

/** The outcomes other than `complete`, with what there is to say of them. */

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
  const message = messageFor('failure.partUnwritable', { reason: textOf(error) });
  return code === 'EMFILE' || code === 'ENFILE' ? retry(code, message) : refused(code, message);
}

/** `received` is null when not a byte of the body had come. */
export function outcomeOfNetwork(
  error: unknown,
  host: string,
  received: { bytes: number; length: number | null } | null,
): DownloadOutcome {
  const code = systemCode(error) ?? 'network';
  if (received === null) return retry(code, messageFor('failure.hostNotAsked', { host, reason: textOf(error) }));
  const facts = { host, received: bytesForPeople(received.bytes), code };
  const message =
    received.length === null
      ? messageFor('failure.downloadBroke', facts)
      : messageFor('failure.downloadBrokeOf', { ...facts, total: bytesForPeople(received.length) });
  return retry('download_truncated', message);
}
