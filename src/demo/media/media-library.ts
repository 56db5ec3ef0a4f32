import { crc32 } from 'node:zlib';
import type { MediaKind } from '../models.ts';
import { movie, presenter } from './movie.ts';
import { type Maker, padding, prepared, seedFor, type OutputKey } from './output.ts';
import { stillOf } from './scenery.ts';
import { takeSlate } from './slate.ts';
import { tune, voice } from './sound.ts';
import { words } from './words.ts';
import { createHash } from 'node:crypto';
import type { TaskRecord } from '../task-store.ts';

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

const picture: Maker = {
  usualMs: 1800,
  outputType: 'image',
  format: () => ({ extension: 'png', contentType: 'image/png' }),
  render: (key) => stillOf(takeSlate(key)),
  renderTiny: (key, leastBytes) => {
    const plain = prepared('tiny.png');
    return Promise.resolve(withPrivateChunk(plain, padding(key, leastBytes - plain.length)));
  },
};

/** Of the end mark, before which there may be chunks that viewers skip. */
const END_BYTES = 12;

function withPrivateChunk(png: Buffer, content: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from('taKe'), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(typed));
  return Buffer.concat([png.subarray(0, -END_BYTES), length, typed, sum, png.subarray(-END_BYTES)]);
}

export const MAKERS: Readonly<Record<MediaKind, Maker>> = {
  video: movie,
  image: picture,
  music: tune,
  text: words,
  speech: voice,
  presenter,
};
