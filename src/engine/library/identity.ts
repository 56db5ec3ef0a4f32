import { messageFor, type Text } from '../../contract/messages/message.ts';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { FileStamp, MediaStore } from '../db/asset-store.ts';
import { sha256OfFile } from '../base/file-hash.ts';
import { DailiesError, systemCode, toText } from '../base/errors.ts';
import type { Clock } from '../base/ports.ts';
import { SingleFlight } from '../base/keyed-mutex.ts';
import { factsOfFile } from './media-facts.ts';

/** A local file that cannot be uploaded as it is. Nothing was sent. */
export class LocalFileError extends DailiesError {
  readonly code: string;
  readonly remedy: Text;

  constructor(code: string, text: Text, remedy: Text, options?: ErrorOptions) {
    super(text, options);
    this.code = code;
    this.remedy = remedy;
  }
}

export interface SeenFile {
  /** Absolute. */
  readonly path: string;
  readonly name: string;
  readonly stamp: FileStamp;
}

export interface IdentifiedFile extends SeenFile {
  readonly sha256: string;
}

export class Identities {
  readonly #store: MediaStore;
  readonly #clock: Clock;
  readonly #stopping: AbortSignal;
  readonly #reading = new SingleFlight<IdentifiedFile>();

  constructor(store: MediaStore, clock: Clock, stopping: AbortSignal) {
    this.#store = store;
    this.#clock = clock;
    this.#stopping = stopping;
  }

  /** Several who ask for one file share its reading. Rejects with {@link LocalFileError}. */
  identify(path: string): Promise<IdentifiedFile> {
    return this.#reading.run(path, () => this.#identify(path));
  }

  async isUnchanged({ path, stamp }: SeenFile): Promise<boolean> {
    const now = await stampFor(path).catch(() => null);
    return now !== null && isSame(now, stamp);
  }

  async #identify(path: string): Promise<IdentifiedFile> {
    const file = await seen(path);
    const known = this.#store.knownContent(path, file.stamp);
    if (known !== null) return { ...file, sha256: known };
    return this.remember(file, await contentFor(path, this.#stopping));
  }

  /** Remembers the content of a file. Rejects with {@link LocalFileError} when the file has changed. */
  async remember(file: SeenFile, sha256: string): Promise<IdentifiedFile> {
    if (!(await this.isUnchanged(file))) {
      const problem = messageFor('failure.fileBeingWritten', { file: file.path });
      throw new LocalFileError('file_changing', problem, messageFor('remedy.waitForFile'));
    }
    const facts = this.#store.knows(sha256) ? {} : await factsOfFile(file.path);
    this.#store.save(file.path, sha256, file.stamp, facts, this.#clock.now());
    return { ...file, sha256 };
  }
}

/** A file as the file system shows it now. Rejects with {@link LocalFileError} when it cannot be uploaded. */
export async function seen(path: string): Promise<SeenFile> {
  return { path, name: basename(path), stamp: await stampFor(path) };
}

/** sha256 of a file's content, hex. Rejects with {@link LocalFileError}. */
export async function contentFor(path: string, signal?: AbortSignal): Promise<string> {
  const { bytes } = await stampFor(path);
  return sha256OfFile(path, bytes, signal).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw unreadable(path, error);
  });
}

/** Throws {@link LocalFileError} when a file does not have the content it was chosen for. */
export function requireContent(path: string, sha256: string, expected: string | undefined): void {
  if (expected === undefined || sha256 === expected) return;
  const remedy = messageFor('remedy.restoreFileOrNewTake');
  throw new LocalFileError('file_changed', messageFor('failure.fileOtherContent', { file: path }), remedy);
}

/** The file system's facts about a file. Rejects with {@link LocalFileError} when it cannot be uploaded. */
export async function stampFor(path: string): Promise<FileStamp> {
  const facts = await stat(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  if (!facts.isFile()) {
    const problem = messageFor('failure.notAFile', { file: path });
    throw new LocalFileError('not_a_file', problem, messageFor('remedy.nameFile'));
  }
  if (facts.size === 0) {
    const problem = messageFor('failure.fileEmpty', { file: path });
    throw new LocalFileError('empty_file', problem, messageFor('remedy.saveOrCopyAgain'));
  }
  return { bytes: facts.size, modifiedMs: facts.mtimeMs, changedMs: facts.ctimeMs };
}

const isSame = (a: FileStamp, b: FileStamp): boolean =>
  a.bytes === b.bytes && a.modifiedMs === b.modifiedMs && a.changedMs === b.changedMs;

export function unreadable(path: string, cause: unknown): LocalFileError {
  const code = systemCode(cause);
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    const remedy = messageFor('remedy.putBackThenRetry');
    return new LocalFileError('file_gone', messageFor('failure.noSuchFile', { file: path }), remedy, { cause });
  }
  const problem = messageFor('failure.fileUnreadable', { file: path, reason: toText(cause) });
  return new LocalFileError('file_unreadable', problem, messageFor('remedy.checkPermissions'), { cause });
}
