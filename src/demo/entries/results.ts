import { addressExpired, Refusal, type Answer, type Call } from '../call.ts';
import { MAKERS, type MediaFile } from '../media/media-library.ts';
import type { ServiceParts } from '../service-parts.ts';
import type { TaskRecord } from '../task-store.ts';
import type { Route } from './request.ts';

/** Results at their signed addresses. They take no key: one that arrives here is a leak, noted in the ledger. */
export const resultRoutes: Route[] = (['GET', 'HEAD'] as const).map((method) => ({
  method,
  path: '/media/:id/:file',
  open: true,
  answer: answerMedia,
}));

export function mediaSubject(path: string, parts: ServiceParts): { task: TaskRecord; index: number } | null {
  const [, taskId = '', number = '0'] = /^\/media\/([^/]+)\/(\d+)\.\w+$/.exec(path) ?? [];
  const task = parts.tasks.get(taskId);
  const index = Number(number) - 1;
  return task !== undefined && index >= 0 && index < task.wanted.outputs ? { task, index } : null;
}

async function answerMedia(call: Call): Promise<Answer> {
  const { parts } = call;
  const state = parts.addresses.check(call.path, call.rawQuery);
  if (state === 'forged') {
    throw new Refusal(403, 'signature_mismatch', 'The signature does not cover this address.');
  }
  if (state === 'expired') throw addressExpired();
  const subject = mediaSubject(call.path, parts);
  if (subject === null) throw new Refusal(404, 'media_not_found', 'There is no such result.');
  const file = await parts.media.file(subject.task, subject.index);
  return rangeAnswer(call, file, MAKERS[subject.task.kind].format(subject.task.wanted).contentType);
}

function rangeAnswer(call: Call, file: MediaFile, contentType: string): Answer {
  const headers = {
    'content-type': contentType,
    'accept-ranges': 'bytes',
    etag: file.etag,
    'last-modified': new Date(file.modifiedAt).toUTCString(),
  };
  const total = file.bytes.length;
  const whole = { status: 200, headers, body: file.bytes };
  const range = call.headers.range;
  if (range === undefined || !conditionHolds(call.headers['if-range'], headers)) return whole;
  const part = readRange(range, total);
  if (part === 'ignored') return whole;
  if (part === 'outside') {
    return { status: 416, headers: { ...headers, 'content-range': `bytes */${String(total)}` }, body: Buffer.alloc(0) };
  }
  const contentRange = `bytes ${String(part.first)}-${String(part.last)}/${String(total)}`;
  return {
    status: 206,
    headers: { ...headers, 'content-range': contentRange },
    body: file.bytes.subarray(part.first, part.last + 1),
  };
}

/** If-Range holds an entity tag or a date; a part is sent only when it still names these bytes. */
function conditionHolds(
  ifRange: string | string[] | undefined,
  headers: { etag: string; 'last-modified': string },
): boolean {
  if (ifRange === undefined) return true;
  return ifRange === headers.etag || ifRange === headers['last-modified'];
}

/** One range of bytes; several at once, or another unit, may be ignored by a server. */
function readRange(range: string, total: number): { first: number; last: number } | 'ignored' | 'outside' {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(range) ?? [];
  if (from === '' && to === '') return 'ignored';
  if (from === '') return Number(to) === 0 ? 'outside' : { first: Math.max(total - Number(to), 0), last: total - 1 };
  const first = Number(from);
  const last = to === '' ? total - 1 : Math.min(Number(to), total - 1);
  if (to !== '' && Number(to) < first) return 'ignored';
  return first >= total ? 'outside' : { first, last };
}
