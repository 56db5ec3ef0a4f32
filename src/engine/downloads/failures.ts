import { DISK_CLOSED, messageOf, systemCode } from '../base/errors.ts';
import type { DownloadOutcome } from './outcomes.ts';

/** The outcomes other than `complete`, in words. */

export function retry(code: string, message: string): DownloadOutcome {
  return { type: 'retry', complaint: { code, message }, retryAfterMs: null };
}

export function refused(code: string, message: string): DownloadOutcome {
  return { type: 'refused', complaint: { code, message } };
}

export function pageInstead(host: string): DownloadOutcome {
  return retry('download_not_media', `${host} sent a web page instead of the file.`);
}

export function tooLarge(bytes: number, maxBytes: number): DownloadOutcome {
  return refused(
    'download_too_large',
    `The file has ${bytes} bytes or more; files above ${maxBytes} bytes are refused by the settings.`,
  );
}

export function diskFull(neededBytes: number | null): DownloadOutcome {
  const message =
    neededBytes === null
      ? 'The disk of the project is full or read-only.'
      : `The disk of the project has too little room: ${neededBytes} bytes must be free, the reserve included.`;
  return { type: 'disk_full', complaint: { code: 'disk_full', message }, neededBytes };
}

export function outcomeOfDisk(error: unknown): DownloadOutcome {
  const code = systemCode(error) ?? 'part_unwritable';
  if (DISK_CLOSED.has(code)) return diskFull(null);
  const message = `The part of the download could not be written: ${messageOf(error)}`;
  return code === 'EMFILE' || code === 'ENFILE' ? retry(code, message) : refused(code, message);
}

/** `received` is null when not a byte of the body had come. */
export function outcomeOfNetwork(
  error: unknown,
  host: string,
  received: { bytes: number; length: number | null } | null,
): DownloadOutcome {
  const code = systemCode(error) ?? 'network';
  if (received === null) return retry(code, `${host} could not be asked for the file: ${messageOf(error)}`);
  const of = received.length === null ? '' : ` of ${received.length}`;
  return retry('download_truncated', `The connection to ${host} broke after ${received.bytes}${of} bytes (${code}).`);
}
