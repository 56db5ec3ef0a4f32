import type { ResumePoint } from '../../../src/engine/db/output-store.ts';
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createDownloader, type Downloader, type DownloaderOptions } from '../../../src/engine/downloads/download.ts';
import type { DownloadOutcome, DownloadRequest } from '../../../src/engine/downloads/outcomes.ts';
import type { Logger } from '../../../src/engine/base/ports.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { folderOfTest } from '../../support/folders.ts';
import { placeOf } from '../../support/places.ts';

export { folderOfTest as temporaryFolder } from '../../support/folders.ts';

export const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Bytes that repeat nowhere near, so that a piece in the wrong place shows. */
export function bytesOf(length: number, seed = 1): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let state = seed;
  for (let index = 0; index < length; index += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[index] = state >>> 16;
  }
  return bytes;
}

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export interface ScriptedServer {
  readonly origin: string;
  /** Every request heard, oldest first. */
  readonly heard: { readonly url: string; readonly headers: IncomingMessage['headers'] }[];
}

/** A server that gives the scripted answers in turn, the last one again and again. */
export async function serve(...answers: Answer[]): Promise<ScriptedServer> {
  const heard: ScriptedServer['heard'] = [];
  const server = createServer((request, response) => {
    const answer = answers[Math.min(heard.length, answers.length - 1)];
    heard.push({ url: request.url ?? '', headers: request.headers });
    answer?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard };
}

/** Answers with a file the way a good server does: ranges, If-Range, validators. */
export function file(content: Buffer, etag = '"v1"', type = 'video/mp4'): Answer {
  return (request, response) => {
    const range = /^bytes=(\d+)-$/.exec(request.headers.range ?? '');
    const fresh = request.headers['if-range'] === undefined || request.headers['if-range'] === etag;
    const start = range !== null && fresh ? Number(range[1]) : 0;
    const headers: Record<string, string | number> = { etag, 'content-type': type };
    if (start >= content.length && start > 0) {
      response.writeHead(416, { ...headers, 'content-range': `bytes */${content.length}` }).end();
      return;
    }
    headers['content-length'] = content.length - start;
    if (range !== null && fresh) headers['content-range'] = `bytes ${start}-${content.length - 1}/${content.length}`;
    response.writeHead(range !== null && fresh ? 206 : 200, headers).end(content.subarray(start));
  };
}

/** Announces the whole file, sends its first bytes and breaks the connection. */
export function cutAfter(bytes: number, content: Buffer, etag = '"v1"'): Answer {
  return (_request, response) => {
    response.writeHead(200, { etag, 'content-type': 'video/mp4', 'content-length': content.length });
    response.write(content.subarray(0, bytes), () => response.destroy());
  };
}

export function redirectTo(location: string): Answer {
  return (_request, response) => response.writeHead(302, { location }).end();
}

export function status(code: number, headers: Record<string, string> = {}): Answer {
  return (_request, response) => response.writeHead(code, headers).end();
}

export interface Bench {
  readonly clock: FakeClock;
  readonly downloader: Downloader;
  readonly partPath: string;
  /** Every point handed to `persist`, oldest first. */
  readonly persisted: ResumePoint[];
  /** A request for `url`; the service is on this machine, so that results on it are allowed. */
  request(url: string, changes?: Partial<DownloadRequest>): DownloadRequest;
  /** Downloads the one file of a server. */
  get(origin: string, changes?: Partial<DownloadRequest>): Promise<DownloadOutcome>;
}

/** A downloader with a clock that stands still, writing into a folder of its own. */
export function bench(options: Partial<DownloaderOptions> = {}): Bench {
  const clock = new FakeClock();
  const disk = { freeBytes: () => Promise.resolve(Number.MAX_SAFE_INTEGER) };
  const downloader = createDownloader({ clock, disk, logger: silent, ...options });
  onTestFinished(() => downloader.close());
  const partPath = join(folderOfTest(), 'take.part');
  const persisted: ResumePoint[] = [];
  const request: Bench['request'] = (url, changes = {}) => ({
    url,
    part: placeOf(partPath),
    resume: null,
    service: { origin: 'http://127.0.0.1:9', authorization: () => 'Bearer the-key' },
    maxBytes: 1024 ** 3,
    minFreeBytes: 0,
    signal: new AbortController().signal,
    persist: (point) => {
      persisted.push(point);
    },
    ...changes,
  });
  const get: Bench['get'] = (origin, changes) => downloader.download(request(`${origin}/a`, changes));
  return { clock, downloader, partPath, persisted, request, get };
}

/** Lets sockets and files go on without a fixed wait, until something is so. */
export async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 5000; turn += 1) {
    if (condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  throw new Error('It never came to be so.');
}
