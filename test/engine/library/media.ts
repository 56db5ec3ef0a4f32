import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ShotSpec } from '../../../src/contract/shot.ts';
import type { LedgerEntry } from '../../../src/demo/service.ts';
import type { World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

/** Writes files below the folder of the world's lists; contents are texts. */
export function files(world: World, contents: Readonly<Record<string, string | Buffer>>): void {
  for (const [name, content] of Object.entries(contents)) {
    const path = join(world.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

/** A video shot that starts from a local picture. */
export const starting = (index: number, firstFrame: string, changes: Partial<ShotSpec> = {}): ShotSpec =>
  shot(index, { params: { duration: 5, first_frame: firstFrame }, ...changes });

/** Uploads the service has seen, in order. */
export const uploadsOf = (world: World): readonly LedgerEntry[] => world.service.ledger.posts('/v1/assets/uploads');

/** Billable POSTs the service has seen. */
export const submitsOf = (world: World): readonly LedgerEntry[] => world.service.ledger.posts('/v1/videos');

/** What an upload said about itself. */
export function formOf(entry: LedgerEntry | undefined): {
  fields: Record<string, string>;
  files: { fileName: string; sha256: string; bytes: number }[];
} {
  return entry?.body as ReturnType<typeof formOf>;
}

/** Every `Asset://` id in the body of a request. */
export const namedIn = (entry: LedgerEntry): string[] =>
  [...JSON.stringify(entry.body).matchAll(/Asset:\/\/([^"]+)/g)].map(([, id = '']) => id);
