import type { LocalMedia } from '../../contract/asset.ts';
import { Store, withoutNulls } from './connection.ts';

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

/** Local media by content: the same bytes under two names are one. */
export class MediaStore extends Store {
  /** sha256 of the file at `path`, when it is unchanged since it was hashed; null otherwise. */
  knownContent(path: string, { bytes, modifiedMs, changedMs }: FileStamp): string | null {
    return this.facts.value<string>`SELECT sha256 FROM media_paths
      WHERE path = ${path} AND bytes = ${bytes} AND modified_ms = ${modifiedMs} AND changed_ms = ${changedMs}`;
  }

  /** True when some file of this size was read before: another one may be a copy of it. */
  knowsSize(bytes: number): boolean {
    return this.facts.has`SELECT 1 FROM media_files WHERE bytes = ${bytes}`;
  }

  /** True when a file with these bytes was looked into before. */
  knows(sha256: string): boolean {
    return this.facts.has`SELECT 1 FROM media_files WHERE sha256 = ${sha256}`;
  }

  /** Remembers the file at `path`. Not synced: losing it costs reading the file again. */
  save(path: string, sha256: string, stamp: FileStamp, facts: MediaFacts, now: number): void {
    const { bytes, modifiedMs, changedMs } = stamp;
    const { contentType, width, height, duration } = facts;
    this.hints.transaction(() => {
      this.hints.run`INSERT INTO media_files (sha256, bytes, content_type, width, height, duration)
        VALUES (${sha256}, ${bytes}, ${contentType}, ${width}, ${height}, ${duration}) ON CONFLICT DO NOTHING`;
      this.hints.run`INSERT OR REPLACE INTO media_paths (path, sha256, bytes, modified_ms, changed_ms, seen_at)
        VALUES (${path}, ${sha256}, ${bytes}, ${modifiedMs}, ${changedMs}, ${now})`;
    })();
  }

  /** The local file an asset was made from, by content; null when these bytes were never seen here. */
  media(sha256: string): LocalMedia | null {
    type Row = { [Fact in keyof Omit<LocalMedia, 'paths'>]-?: LocalMedia[Fact] | null } & Pick<
      LocalMedia,
      'sha256' | 'bytes'
    >;
    const row = this.facts.one<Row>`SELECT * FROM media_files WHERE sha256 = ${sha256}`;
    if (!row) return null;
    const paths = this.facts.values<string>`SELECT path FROM media_paths WHERE sha256 = ${sha256}
      ORDER BY seen_at DESC, path`;
    return { ...withoutNulls(row), paths };
  }
}
