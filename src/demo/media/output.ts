import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { MediaRequest, TaskRecord } from '../task-store.ts';

/** Names one output of one task; `revision` grows when its content is made to change. */
export interface OutputKey {
  task: TaskRecord;
  /** From 0. */
  index: number;
  revision: number;
}

export interface Maker {
  usualMs: number;
  /** The type of the outputs in the task's answer (reference: Task, `output`). */
  outputType: string;
  format(wanted: MediaRequest): { extension: string; contentType: string };
  render(key: OutputKey): Promise<Buffer>;
  /** A whole file that is quick to make, padded to `leastBytes` unless it is a voice; no two takes have the same. */
  renderTiny(key: OutputKey, leastBytes: number): Promise<Buffer>;
}

export function seedFor(key: OutputKey): string {
  return `${key.task.id}/${String(key.index)}/${String(key.revision)}`;
}

/** The name of an output, then bytes that differ for every output, so that no part of two files is alike. */
export function padding(key: OutputKey, bytes: number): Buffer {
  const label = `${key.task.id}/${String(key.index + 1)}/${String(key.revision)} ${key.task.wanted.prompt}`;
  const text = Buffer.from(label);
  if (bytes <= text.length) return text;
  const filled = Buffer.alloc(bytes);
  const block = createHash('sha512').update(label).digest();
  for (let at = 0; at < bytes; at += block.length) {
    block.writeUInt32LE(at >>> 0, 0); // no two blocks of one file are alike either
    block.copy(filled, at);
  }
  text.copy(filled);
  return filled;
}

/** Numbers from 0 to 1 that follow from a text: the same text gives the same numbers, on every machine. */
export function seededRandom(text: string): () => number {
  let state = createHash('sha256').update(text).digest().readUInt32LE(0);
  // mulberry32: small, and even enough for pictures.
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A number from 1 to `most` that follows from a seed: which of several prepared files a take has. */
export function oneOf(most: number, seed: string): number {
  return 1 + Math.floor(seededRandom(seed)() * most);
}

const files = new Map<string, Buffer>();

export function prepared(name: string): Buffer {
  const file = files.get(name) ?? readFileSync(join(preparedFolder(), name));
  files.set(name, file);
  return file;
}

/** Wherever that is: beside the sources, in a package, or beside the command of the app. */
function preparedFolder(): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const found = join(folder, 'resources', 'demo');
    if (existsSync(found)) return found;
    if (dirname(folder) === folder) throw new Error('The media of the demo are missing: install Dailies again.');
  }
}
