import { bytesForPeople } from '../../contract/units.ts';
import { messageFor, type Text } from '../../contract/messages/message.ts';
import { DISK_CLOSED, systemCode, textOf } from '../base/errors.ts';
import type { DownloadOutcome } from './outcomes.ts';

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
