import { messageFor } from '../../contract/messages/message.ts';
import type { ResumePoint } from '../db/output-store.ts';
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { type Dispatcher, errors } from 'undici';
import { decompressed, EncodedError } from '../api/content-encoding.ts';
import { openFile, readBeginning, replaceFile } from '../files/project-files.ts';
import type { Clock, Disk, Logger } from '../base/ports.ts';
import { exchange, type Flow } from '../api/exchange.ts';
import { AddressRefusedError, urlProblem } from './exchange.ts';
import type { DownloadOutcome, DownloadRequest, ResponseClass } from './outcomes.ts';
import {
  diskFull,
  classifyResponse,
  outcomeOfDisk,
  outcomeOfNetwork,
  pageInstead,
  rangeValidator,
  refused,
  requestHeaders,
  retry,
  tooLarge,
} from './outcomes.ts';
import { PartFile, PartWriteError } from './part-file.ts';
import { looksLikePage } from './verify.ts';

const MAX_REDIRECTS = 5;
/** A server that changes its mind about the file at every answer is left alone for a while. */
const MAX_FRESH_STARTS = 2;

export interface RunPorts {
  readonly clock: Clock;
  readonly disk: Disk;
  readonly logger: Logger;
  readonly syncEveryBytes: number;
}

type Complete = Extract<DownloadOutcome, { type: 'complete' }>;
type Taken = Extract<ResponseClass, { do: 'take' }>;

export class DownloadRun {
  readonly #request: DownloadRequest;
  readonly #ports: RunPorts;
  /** Ends the running exchange: the caller's signal, a stall, a part that cannot be written. */
  readonly #stop = new AbortController();
  #url: URL;
  /** True while every address asked so far was at the service's own origin: only then may the key be sent. */
  #ownOrigin = true;
  #authorization: string | null = null;
  #redirects = 0;
  #freshStarts = 0;
  #etag: string | undefined;
  #lastModified: string | undefined;
  #length: number | null;
  #contentType: string | undefined;
  #encodings: readonly string[] = [];
  #received: number | null = null;
  #hasHeard = false;
  /** False while we hash earlier bytes or write new ones: that may take its time. */
  #waitingForServer = false;
  #bytesTaken = 0;

  constructor(request: DownloadRequest, ports: RunPorts) {
    this.#request = request;
    this.#ports = ports;
    this.#url = new URL('about:blank');
    this.#etag = request.resume?.etag;
    this.#lastModified = request.resume?.lastModified;
    this.#length = request.resume?.length ?? null;
  }

  /** Whether the server sent something since the last question, or we do not wait for it. */
  hasHeard(): boolean {
    const hasHeard = this.#hasHeard || !this.#waitingForServer;
    this.#hasHeard = false;
    return hasHeard;
  }

  get isWaitingForServer(): boolean {
    return this.#waitingForServer;
  }

  /** Bytes that came over the network, those included that were given up later. */
  get bytesTaken(): number {
    return this.#bytesTaken;
  }

  stall(stallMs: number): void {
    const message = messageFor('failure.hostStalled', { host: this.#url.host, seconds: Math.round(stallMs / 1000) });
    this.#stop.abort(new OutcomeReached(retry('download_stalled', message)));
  }

  async start(dispatcher: Dispatcher): Promise<DownloadOutcome> {
    const { signal } = this.#request;
    if (signal.aborted) return { type: 'aborted' };
    const stop = (): void => this.#stop.abort(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    try {
      this.#goTo(this.#request.url, null);
      const whole = await this.#fetchWhole(dispatcher);
      return this.#encodings.length === 0 ? whole : { ...whole, ...(await this.#unpack()) };
    } catch (error) {
      const received = this.#received === null ? null : { bytes: this.#received, length: this.#length };
      return outcomeOfFailure(error, { aborted: signal.aborted, host: this.#url.host, received });
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  async #fetchWhole(dispatcher: Dispatcher): Promise<Complete> {
    const part = await this.#openPart();
    try {
      await this.#fetch(dispatcher, part);
      return await this.#complete(part);
    } catch (error) {
      await this.#saveArrived(part);
      throw error;
    } finally {
      await part.close();
    }
  }

  #goTo(address: string, from: URL | null): void {
    const url = URL.parse(address, from?.href);
    if (url === null) throw new OutcomeReached(refused('address_invalid', messageFor('failure.addressInvalid')));
    const problem = urlProblem(url, from);
    if (problem !== null) throw new OutcomeReached(refused(problem.code, problem.message));
    this.#url = url;
    this.#ownOrigin &&= url.origin === new URL(this.#request.service.origin).origin;
    if (!this.#ownOrigin) this.#authorization = null;
  }

  async #openPart(): Promise<PartFile> {
    const { part, resume } = this.#request;
    // Without a validator we cannot tell whether the file is still the same one.
    const resumable = rangeValidator(this.#etag, this.#lastModified) !== null;
    return PartFile.open(part, resumable ? (resume?.offset ?? 0) : 0, {
      syncEvery: this.#ports.syncEveryBytes,
      ensureRoom: (written) => this.#ensureRoom(written),
      forget: () => this.#persist({ offset: 0 }),
      synced: (bytes) => this.#persistUpTo(bytes),
      failed: (error) => this.#stop.abort(error),
    });
  }

  async #fetch(dispatcher: Dispatcher, part: PartFile): Promise<void> {
    if (part.bytes > 0 && part.bytes === this.#length) return;
    for (;;) {
      const verdict = await this.#ask(dispatcher, part);
      switch (verdict.do) {
        case 'take':
        case 'whole':
          return;
        case 'follow':
          this.#follow(verdict.location);
          break;
        case 'start_over':
          this.#startOver(part);
          break;
        case 'end':
          if (!this.#mayAskWithKey(verdict.outcome)) throw new OutcomeReached(verdict.outcome);
      }
    }
  }

  async #ask(dispatcher: Dispatcher, part: PartFile): Promise<ResponseClass> {
    const offset = part.bytes;
    const validator = rangeValidator(this.#etag, this.#lastModified);
    const headers = requestHeaders(offset, validator, this.#authorization);
    const seen: { verdict: ResponseClass | null; begun: boolean } = { verdict: null, begun: false };
    this.#waitingForServer = true;
    this.#hasHeard = true;
    await exchange(
      dispatcher,
      { url: this.#url, headers, signal: this.#stop.signal },
      {
        head: (status, headers) => {
          this.#hasHeard = true;
          seen.verdict = this.#judge(status, headers, offset);
          return seen.verdict.do === 'take';
        },
        body: (chunk, flow) => {
          if (seen.verdict?.do !== 'take') return;
          if (!seen.begun) this.#begin(part, seen.verdict, chunk);
          seen.begun = true;
          this.#take(part, chunk, flow);
        },
      },
    );
    this.#waitingForServer = false;
    this.#received = null;
    if (seen.verdict === null || (seen.verdict.do === 'take' && !seen.begun))
      throw new OutcomeReached(
        retry('download_empty', messageFor('failure.hostSentNothing', { host: this.#url.host })),
      );
    return seen.verdict;
  }

  #judge(status: number, headers: IncomingHttpHeaders, offset: number): ResponseClass {
    return classifyResponse(status, headers, {
      offset,
      etag: this.#etag,
      length: this.#length ?? undefined,
      maxBytes: this.#request.maxBytes,
      host: this.#url.host,
      now: this.#ports.clock.now(),
    });
  }

  /** The first bytes decide whether to drop those of the part. */
  #begin(part: PartFile, taken: Taken, start: Buffer): void {
    if (taken.offset === 0) {
      if (looksLikePage(start)) throw new OutcomeReached(pageInstead(this.#url.host));
      part.startOver();
      this.#etag = taken.etag;
      this.#lastModified = taken.lastModified;
    }
    this.#length = taken.length;
    this.#contentType = taken.contentType;
    this.#encodings = taken.encodings;
  }

  #take(part: PartFile, chunk: Buffer, flow: Flow): void {
    this.#hasHeard = true;
    const { maxBytes, onProgress } = this.#request;
    if (part.bytes + chunk.length > maxBytes) throw new OutcomeReached(tooLarge(part.bytes + chunk.length, maxBytes));
    part.push(chunk);
    this.#bytesTaken += chunk.length;
    this.#received = part.bytes;
    onProgress?.(part.bytes);
    if (part.backlogged) this.#waitForDisk(part, flow);
  }

  #waitForDisk(part: PartFile, flow: Flow): void {
    this.#waitingForServer = false;
    flow.pause();
    part.drained = () => {
      this.#waitingForServer = true;
      this.#hasHeard = true;
      flow.resume();
    };
  }

  #follow(location: string): void {
    this.#redirects += 1;
    if (this.#redirects > MAX_REDIRECTS) {
      const message = messageFor('failure.redirectLoop', { host: this.#url.host, times: MAX_REDIRECTS });
      throw new OutcomeReached(refused('redirect_loop', message));
    }
    this.#goTo(location, this.#url);
    this.#ports.logger.debug('A result address redirects', { to: this.#url.host });
  }

  #startOver(part: PartFile): void {
    this.#freshStarts += 1;
    if (this.#freshStarts > MAX_FRESH_STARTS) {
      const message = messageFor('failure.rangesInconsistent', { host: this.#url.host });
      throw new OutcomeReached(retry('download_wrong_range', message));
    }
    this.#ports.logger.info('A download starts over: the file at its address is another one', { host: this.#url.host });
    part.startOver();
    this.#etag = undefined;
    this.#lastModified = undefined;
    this.#length = null;
  }

  /** After a 401 or 403 of the service itself, once: the key goes along from the next request on. */
  #mayAskWithKey(outcome: DownloadOutcome): boolean {
    if (outcome.type !== 'expired' || (outcome.httpStatus !== 401 && outcome.httpStatus !== 403)) return false;
    if (!this.#ownOrigin || this.#authorization !== null) return false;
    this.#authorization = this.#request.service.authorization();
    return this.#authorization !== null;
  }

  async #complete(part: PartFile): Promise<Complete> {
    const { bytes } = part;
    if (this.#length !== null && bytes !== this.#length) {
      // Asking for the rest cannot fix a part that is too long.
      if (bytes > this.#length) part.startOver();
      const facts = { host: this.#url.host, announced: this.#length, sent: bytes };
      const message = messageFor('failure.otherLength', facts);
      throw new OutcomeReached(retry('download_truncated', message));
    }
    await part.flush();
    return {
      type: 'complete',
      bytes,
      sha256: await part.digest(),
      ...(this.#contentType === undefined ? {} : { contentType: this.#contentType }),
      ...(this.#etag === undefined ? {} : { etag: this.#etag }),
    };
  }

  /** Decompresses the part in its place: its bytes came compressed, though we asked for them as they are. */
  async #unpack(): Promise<{ bytes: number; sha256: string }> {
    const { part, maxBytes } = this.#request;
    const hash = createHash('sha256');
    let bytes = 0;
    const count = (chunk: Buffer): Buffer => {
      if (bytes === 0 && looksLikePage(chunk)) throw new OutcomeReached(pageInstead(this.#url.host));
      bytes += chunk.length;
      hash.update(chunk);
      return chunk;
    };
    try {
      const [first] = await readBeginning(part, 1);
      const { handle } = await openFile(part, 'read');
      const content = decompressed(handle.createReadStream(), this.#encodings, { first, maxBytes });
      await replaceFile(part, Readable.from(content).map(count));
    } catch (error) {
      if (error instanceof OutcomeReached) throw error;
      if (error instanceof EncodedError) throw new OutcomeReached(retry('download_encoded', error.text));
      if (error instanceof errors.ResponseExceededMaxSizeError) throw new OutcomeReached(tooLarge(maxBytes, maxBytes));
      throw new PartWriteError('The part could not be read back.', { cause: error });
    }
    return { bytes, sha256: hash.digest('hex') };
  }

  /** After a failure: syncs the bytes that arrived, so that the next try continues there. */
  async #saveArrived(part: PartFile): Promise<void> {
    this.#waitingForServer = false;
    try {
      await part.flush();
      if (part.bytes > 0 && part.bytes !== this.#request.resume?.offset) await this.#persistUpTo(part.bytes);
    } catch (error) {
      // The first failure counts; only a failed `persist` matters more to the caller.
      if (error instanceof PersistFailed) throw error;
    }
  }

  async #ensureRoom(written: number): Promise<void> {
    const { minFreeBytes, part } = this.#request;
    const toCome = this.#length === null ? 0 : this.#length - written;
    const free = await this.#ports.disk.freeBytes(part.project);
    if (free - toCome >= minFreeBytes) return;
    if ((await this.#ports.disk.makeRoom?.(part.project, toCome + minFreeBytes)) === true) return;
    throw new OutcomeReached(diskFull(this.#length === null ? null : toCome + minFreeBytes));
  }

  async #persistUpTo(offset: number): Promise<void> {
    if (rangeValidator(this.#etag, this.#lastModified) === null) return;
    await this.#persist({
      offset,
      ...(this.#etag === undefined ? {} : { etag: this.#etag }),
      ...(this.#lastModified === undefined ? {} : { lastModified: this.#lastModified }),
      ...(this.#length === null ? {} : { length: this.#length }),
    });
  }

  async #persist(point: ResumePoint): Promise<void> {
    try {
      await this.#request.persist?.(point);
    } catch (error) {
      throw new PersistFailed('The resume point could not be stored.', { cause: error });
    }
  }
}

class OutcomeReached extends Error {
  readonly outcome: DownloadOutcome;

  constructor(outcome: DownloadOutcome) {
    super(outcome.type);
    this.outcome = outcome;
  }
}

/** Wraps an error of the caller's `persist` as its cause, to be rethrown unchanged. */
class PersistFailed extends Error {}

interface FailureFacts {
  readonly aborted: boolean;
  readonly host: string;
  /** How far the body had come; null before its first byte. */
  readonly received: { readonly bytes: number; readonly length: number | null } | null;
}

/** The outcome for an error. Rethrows only what the caller's own `persist` threw. */
function outcomeOfFailure(error: unknown, facts: FailureFacts): DownloadOutcome {
  const cause = error instanceof PartWriteError ? error.cause : error;
  if (cause instanceof PersistFailed) throw cause.cause;
  if (cause instanceof OutcomeReached) return cause.outcome;
  if (error instanceof PartWriteError) return outcomeOfDisk(cause);
  if (facts.aborted) return { type: 'aborted' };
  if (cause instanceof AddressRefusedError) return refused(cause.code, cause.text);
  return outcomeOfNetwork(cause, facts.host, facts.received);
}
