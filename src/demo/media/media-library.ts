import { createHash } from 'node:crypto';
import type { TaskRecord } from '../task-store.ts';
import { MAKERS } from './makers.ts';
import { type OutputKey, seedFor } from './output.ts';

export type MediaStyle = 'real' | 'tiny';

export interface MediaFile {
  bytes: Buffer;
  /** Strong validator: differs whenever a byte differs. */
  etag: string;
  /** Milliseconds since the epoch. */
  modifiedAt: number;
}

/** Rendered files kept in memory; the oldest make room, and come back the same when asked for again. */
const KEPT_BYTES = 256_000_000;

/** Makes each output once, on demand or ahead of time. Content depends on the task alone. */
export class MediaLibrary {
  readonly #style: MediaStyle;
  readonly #leastBytes: number;
  readonly #files = new Map<string, { file: Promise<MediaFile>; bytes: number }>();
  readonly #revisions = new Map<string, number>();
  #keptBytes = 0;
  #renders: Promise<unknown> = Promise.resolve();

  constructor(style: MediaStyle, leastBytes: number) {
    this.#style = style;
    this.#leastBytes = leastBytes;
  }

  async file(task: TaskRecord, index: number): Promise<MediaFile> {
    const key: OutputKey = { task, index, revision: this.#revisions.get(`${task.id}/${String(index)}`) ?? 0 };
    const name = seedFor(key);
    const known = this.#files.get(name);
    if (known) return known.file;
    const kept = { file: this.#make(key), bytes: 0 };
    this.#files.set(name, kept);
    const file = await kept.file;
    kept.bytes = file.bytes.length;
    // The newest to be done is the last to make room.
    this.#files.delete(name);
    this.#files.set(name, kept);
    this.#keptBytes += kept.bytes;
    this.#makeRoom();
    return file;
  }

  /** Starts on the outputs of a task before anybody downloads them. Tiny ones are not worth it. */
  prepare(task: TaskRecord): void {
    if (this.#style === 'tiny') return;
    for (let index = 0; index < task.wanted.outputs; index++) {
      this.file(task, index).catch(() => {
        // The download that asks for this output meets the same error and reports it.
      });
    }
  }

  /** From now on the output has other content and another ETag. */
  revise(task: TaskRecord, index: number): void {
    const output = `${task.id}/${String(index)}`;
    this.#revisions.set(output, (this.#revisions.get(output) ?? 0) + 1);
  }

  async #make(key: OutputKey): Promise<MediaFile> {
    // One at a time: renders are CPU work, and the service has requests to answer in between.
    const maker = MAKERS[key.task.kind];
    const turn = this.#renders.then(() =>
      this.#style === 'tiny' ? maker.renderTiny(key, this.#leastBytes) : maker.render(key),
    );
    this.#renders = turn.catch(() => undefined);
    const bytes = await turn;
    return {
      bytes,
      etag: `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"`,
      modifiedAt: key.task.createdAt + key.task.takesMs,
    };
  }

  #makeRoom(): void {
    for (const [name, { bytes }] of this.#files) {
      if (this.#keptBytes <= KEPT_BYTES) return;
      if (bytes > 0) this.#files.delete(name);
      this.#keptBytes -= bytes;
    }
  }
}
