import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { expect } from 'vitest';
import type { ShotSpec } from '../../../src/contract/shot.ts';
import type { LedgerEntry } from '../../../src/demo/service.ts';
import type { World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

/**
 * First bytes for files of these names: only media are uploaded. Pictures are BMP, which nothing decodes: the decoder's
 * threads are out of sight, and a test would go on before they end.
 */
const HEADS: Readonly<Record<string, Buffer>> = {
  '.png': Buffer.from('BM'),
  '.mp4': Buffer.from('000000186674797069736f6d', 'hex'),
  '.wav': Buffer.from('524946460000000057415645', 'hex'),
};

/** A content that begins as files of this name do; a long one stays as long as it is. */
export function asMedium(name: string, content: string | Buffer): Buffer {
  const head = HEADS[extname(name)] ?? Buffer.alloc(0);
  const bytes = Buffer.from(content);
  const isReal = bytes[0] === 0x89 || bytes.subarray(0, head.length).equals(head);
  if (isReal) return bytes;
  return Buffer.concat([head, bytes.length > 1000 ? bytes.subarray(head.length) : bytes]);
}

/** Writes files below the folder of the world's lists. */
export function files(world: World, contents: Readonly<Record<string, string | Buffer>>): void {
  for (const [name, content] of Object.entries(contents)) {
    const path = join(world.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, asMedium(name, content));
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

/** The service has an asset that nobody here has uploaded. */
export const strangeAsset = (world: World, change: Partial<Parameters<World['service']['assets']['createAsset']>[0]>) =>
  world.service.assets.createAsset({
    ...{ groupId: 'group_default', type: 'image', upload: 'file', model: null, mode: 'asset', purpose: null },
    ...{ role: null, name: 'a.png', description: '', sourceUrl: null, contentType: null, bytes: 1 },
    ...{ syncMs: 0, end: 'ready', syncError: null },
    ...change,
  });

/** So many takes were saved, after so many uploads. */
export function expectSaved(world: World, saved: number, uploads: number): void {
  expect(world.counts()).toMatchObject({ saved });
  expect(uploadsOf(world)).toHaveLength(uploads);
}

/** Every `Asset://` id in the body of a request. */
export const namedIn = (entry: LedgerEntry): string[] =>
  [...JSON.stringify(entry.body).matchAll(/Asset:\/\/([^"]+)/g)].map(([, id = '']) => id);
