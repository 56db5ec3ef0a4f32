import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { FileStamp, MediaStore } from '../db/media-store.ts';
import { sha256OfFile } from '../base/file-hash.ts';
import { DailiesError, messageOf, systemCode } from '../base/errors.ts';
import type { Clock } from '../base/ports.ts';
import { SingleFlight } from '../base/single-flight.ts';
import { lookInto } from './media-facts.ts';

/** A local file that cannot be uploaded as it is. Nothing was sent. */
export class LocalFileError extends DailiesError {
  readonly code: string;
  readonly remedy: string;

  constructor(code: string, message: string, remedy: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.remedy = remedy;
  }
}

/** A local file as the file system shows it. */
export interface SeenFile {
  /** Absolute. */
  readonly path: string;
  readonly name: string;
  readonly stamp: FileStamp;
}

/** The same, known by its content. */
export interface IdentifiedFile extends SeenFile {
  readonly sha256: string;
}

/** Knows files by their content, and reads each of them once for as long as it does not change. */
export class Identities {
  readonly #store: MediaStore;
  readonly #clock: Clock;
  readonly #stopping: AbortSignal;
  readonly #reading = new SingleFlight<IdentifiedFile>();

  /** `stopping` ends what is being read. */
  constructor(store: MediaStore, clock: Clock, stopping: AbortSignal) {
    this.#store = store;
    this.#clock = clock;
    this.#stopping = stopping;
  }

  /** Several who ask for one file share its reading. Rejects with {@link LocalFileError}. */
  identify(path: string): Promise<IdentifiedFile> {
    return this.#reading.run(path, () => this.#identify(path));
  }

  /** False when the file has changed or gone since it was identified. */
  async isUnchanged({ path, stamp }: SeenFile): Promise<boolean> {
    const now = await stampOf(path).catch(() => null);
    return now !== null && isSame(now, stamp);
  }

  async #identify(path: string): Promise<IdentifiedFile> {
    const file = await seen(path);
    const known = this.#store.knownContent(path, file.stamp);
    if (known !== null) return { ...file, sha256: known };
    return this.remember(file, await contentOf(path, this.#stopping));
  }

  /** Remembers what the content of a file was found to be. Rejects with {@link LocalFileError} when it has changed. */
  async remember(file: SeenFile, sha256: string): Promise<IdentifiedFile> {
    if (!(await this.isUnchanged(file))) {
      throw new LocalFileError(
        'file_changing',
        `The file ${file.path} is being written.`,
        'Wait until it is whole, then retry.',
      );
    }
    const facts = this.#store.knows(sha256) ? {} : await lookInto(file.path);
    this.#store.save(file.path, sha256, file.stamp, facts, this.#clock.now());
    return { ...file, sha256 };
  }
}

/** A file as the file system shows it now. Rejects with {@link LocalFileError} when it cannot be uploaded. */
export async function seen(path: string): Promise<SeenFile> {
  return { path, name: basename(path), stamp: await stampOf(path) };
}

/** sha256 of a file's content, hex. Rejects with {@link LocalFileError}. */
export async function contentOf(path: string, signal?: AbortSignal): Promise<string> {
  const { bytes } = await stampOf(path);
  return sha256OfFile(path, bytes, signal).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw unreadable(path, error);
  });
}

/** Throws {@link LocalFileError} when a file does not hold what it was chosen for. */
export function requireContent(path: string, sha256: string, expected: string | undefined): void {
  if (expected === undefined || sha256 === expected) return;
  const remedy = 'Put the file back as it was, or queue a new take of this shot.';
  throw new LocalFileError('file_changed', `The file ${path} was changed since it was chosen.`, remedy);
}

/** What the file system says about a file. Rejects with {@link LocalFileError} when it cannot be uploaded. */
export async function stampOf(path: string): Promise<FileStamp> {
  const facts = await stat(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  if (!facts.isFile()) throw new LocalFileError('not_a_file', `${path} is not a file.`, 'Name a file.');
  if (facts.size === 0) throw new LocalFileError('empty_file', `The file ${path} is empty.`, 'Save or copy it again.');
  return { bytes: facts.size, modifiedMs: facts.mtimeMs, changedMs: facts.ctimeMs };
}

const isSame = (a: FileStamp, b: FileStamp): boolean =>
  a.bytes === b.bytes && a.modifiedMs === b.modifiedMs && a.changedMs === b.changedMs;

/** What keeps a file from being read, in words. */
export function unreadable(path: string, cause: unknown): LocalFileError {
  const code = systemCode(cause);
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    const remedy = 'Put it back or correct the path, then try the shot again; it was not sent.';
    return new LocalFileError('file_gone', `There is no file ${path}.`, remedy, { cause });
  }
  const remedy = 'Give yourself the right to read it, or copy it beside the shot list.';
  return new LocalFileError(
    'file_unreadable',
    `The file ${path} cannot be read (${code ?? messageOf(cause)}).`,
    remedy,
    {
      cause,
    },
  );
}
