import type Database from 'better-sqlite3';
import type { LocalMedia } from '../../contract/asset.ts';
import type { EngineDatabase } from './open.ts';

/** What shows, without reading it, that a file is still the one that was hashed. Times in ms. */
export interface FileStamp {
  readonly bytes: number;
  readonly modifiedMs: number;
  readonly changedMs: number;
}

export interface MediaFacts {
  readonly contentType?: string;
  /** Pixels. */
  readonly width?: number;
  readonly height?: number;
  /** Seconds. */
  readonly duration?: number;
}

interface FileRow {
  sha256: string;
  bytes: number;
  content_type: string | null;
  width: number | null;
  height: number | null;
  duration: number | null;
}

/** Local media by content: the same bytes under two names are one. */
export class MediaStore {
  readonly #db: EngineDatabase;
  readonly #path: Database.Statement;
  readonly #file: Database.Statement;
  readonly #paths: Database.Statement;

  constructor(db: EngineDatabase) {
    this.#db = db;
    this.#path = db.facts.prepare(
      'SELECT sha256, bytes, modified_ms AS modifiedMs, changed_ms AS changedMs FROM media_paths WHERE path = ?',
    );
    this.#file = db.facts.prepare('SELECT * FROM media_files WHERE sha256 = ?');
    this.#paths = db.facts.prepare('SELECT path FROM media_paths WHERE sha256 = ? ORDER BY seen_at DESC, path').pluck();
  }

  /** sha256 of the file at `path`, when it is unchanged since it was hashed; null otherwise. */
  knownContent(path: string, stamp: FileStamp): string | null {
    const row = this.#path.get(path) as (FileStamp & { sha256: string }) | undefined;
    const unchanged =
      row !== undefined &&
      row.bytes === stamp.bytes &&
      row.modifiedMs === stamp.modifiedMs &&
      row.changedMs === stamp.changedMs;
    return unchanged ? row.sha256 : null;
  }

  /** True when some file of this size was read before: another one may be a copy of it. */
  knowsSize(bytes: number): boolean {
    return this.#db.facts.prepare('SELECT 1 FROM media_files WHERE bytes = ?').get(bytes) !== undefined;
  }

  /** True when a file with these bytes was looked into before. */
  knows(sha256: string): boolean {
    return this.#file.get(sha256) !== undefined;
  }

  /** Remembers the file at `path`. Not synced: losing it costs reading the file again. */
  save(path: string, sha256: string, stamp: FileStamp, facts: MediaFacts, now: number): void {
    this.#db.hints.transaction(() => {
      this.#db.hints
        .prepare(
          `INSERT INTO media_files (sha256, bytes, content_type, width, height, duration)
           VALUES (@sha256, @bytes, @contentType, @width, @height, @duration) ON CONFLICT DO NOTHING`,
        )
        .run({
          sha256,
          bytes: stamp.bytes,
          contentType: facts.contentType ?? null,
          width: facts.width ?? null,
          height: facts.height ?? null,
          duration: facts.duration ?? null,
        });
      this.#db.hints
        .prepare(
          `INSERT INTO media_paths (path, sha256, bytes, modified_ms, changed_ms, seen_at)
           VALUES (@path, @sha256, @bytes, @modifiedMs, @changedMs, @now)
           ON CONFLICT DO UPDATE SET sha256 = @sha256, bytes = @bytes, modified_ms = @modifiedMs,
             changed_ms = @changedMs, seen_at = @now`,
        )
        .run({ path, sha256, ...stamp, now });
    })();
  }

  /** The local file an asset was made from, by content; null when these bytes were never seen here. */
  media(sha256: string): LocalMedia | null {
    const row = this.#file.get(sha256) as FileRow | undefined;
    if (!row) return null;
    return {
      sha256,
      bytes: row.bytes,
      paths: this.#paths.all(sha256) as string[],
      ...(row.content_type !== null && { contentType: row.content_type }),
      ...(row.width !== null && { width: row.width }),
      ...(row.height !== null && { height: row.height }),
      ...(row.duration !== null && { duration: row.duration }),
    };
  }
}
