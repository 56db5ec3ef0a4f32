import type { DemoClock, TaskRecord } from './task-store.ts';
import { createHmac } from 'node:crypto';
import { MAKERS } from './media/media-library.ts';

/**
 * Signed, temporary addresses of results. The signature covers the path and the exact bytes of the query, so
 * a client that decodes and re-encodes the query, drops a part of it or reorders it is turned away.
 */
export class MediaAddresses {
  readonly #clock: DemoClock;
  readonly #secret: string;
  readonly #ttlMs: number;
  #lastExpiry = 0;
  /** Scheme, host and port that serve media; known once the listener is open. */
  origin = '';

  constructor(clock: DemoClock, secret: string, ttlMs: number) {
    this.#clock = clock;
    this.#secret = secret;
    this.#ttlMs = ttlMs;
  }

  /** A whole address for output `index` (from 0), valid for the time to live. No two are alike. */
  mint(task: TaskRecord, index: number): string {
    this.#lastExpiry = Math.max(this.#clock.now() + this.#ttlMs, this.#lastExpiry + 1);
    const path = `/media/${task.id}/${String(index + 1)}.${MAKERS[task.kind].format(task.wanted).extension}`;
    const name = downloadName(task);
    const signature = this.#sign(path, String(this.#lastExpiry), name);
    return `${this.origin}${path}?expires=${String(this.#lastExpiry)}&signature=${signature}&name=${name}`;
  }

  check(path: string, rawQuery: string): 'valid' | 'expired' | 'forged' {
    const parts = /^expires=(\d+)&signature=([0-9a-f]{64})&name=(.*)$/.exec(rawQuery);
    const [, expires = '', signature = '', name = ''] = parts ?? [];
    if (signature !== this.#sign(path, expires, name)) return 'forged';
    if (Number(expires) <= this.#clock.now()) return 'expired';
    return 'valid';
  }

  #sign(path: string, expires: string, name: string): string {
    return createHmac('sha256', this.#secret).update(`${path}\n${expires}\n${name}`).digest('hex');
  }
}

/** Holds an escaped slash and a plus on purpose: both change when a client rewrites the query. */
function downloadName(task: TaskRecord): string {
  const words = (task.wanted.title ?? task.wanted.prompt).match(/[A-Za-z0-9]+/g) ?? [];
  return `takes%2F${words.slice(0, 4).join('+')}+${task.id.slice(-6)}`;
}
