import { createHash } from 'node:crypto';
import type { TaskRecord } from '../task-store.ts';
import { MAKERS } from './makers.ts';
import type { OutputKey } from './output.ts';

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
  readonly #files = new Map<string, Promise<MediaFile>>();
  readonly #sizes = new Map<string, number>();
  readonly #revisions = new Map<string, number>();
  #keptBytes = 0;
  #renders: Promise<unknown> = Promise.resolve();

  constructor(style: MediaStyle, leastBytes: number) {
    this.#style = style;
    this.#leastBytes = leastBytes;
  }

  async file(task: TaskRecord, index: number): Promise<MediaFile> {
    const outputName = `${task.id}/${String(index)}`;
    const revision = this.#revisions.get(outputName) ?? 0;
    const key = `${outputName}/${String(revision)}`;
    const known = this.#files.get(key);
    if (known !== undefined) return known;
    const made = this.#make({ task, index, revision });
    this.#files.set(key, made);
    const file = await made;
    this.#remember(key, file.bytes.length);
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
    const outputName = `${task.id}/${String(index)}`;
    this.#revisions.set(outputName, (this.#revisions.get(outputName) ?? 0) + 1);
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

  #remember(key: string, bytes: number): void {
    this.#sizes.set(key, bytes);
    this.#keptBytes += bytes;
    for (const [oldest, size] of this.#sizes) {
      if (this.#keptBytes <= KEPT_BYTES || oldest === key) return;
      this.#files.delete(oldest);
      this.#sizes.delete(oldest);
      this.#keptBytes -= size;
    }
  }
}
