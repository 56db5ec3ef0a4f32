import { getMimeType } from 'hono/utils/mime';
import { t } from '../../contract/messages/words.ts';
import { type Dirent, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

export class StaticFiles {
  readonly #folder: string;
  #files: ReadonlyMap<string, string>;

  constructor(folder: string) {
    this.#folder = folder;
    this.#files = filesIn(folder);
  }

  async answer(pathname: string): Promise<Response | null> {
    const isView = pathname === '/' || extname(pathname) === '';
    // A new build has other names: its page is what brings them up.
    if (isView) this.#files = filesIn(this.#folder);
    const name = isView ? '/index.html' : pathname;
    const path = this.#files.get(name);
    if (path === undefined) return isView ? notBuilt() : null;
    const bytes = await readFile(path).catch(() => null);
    if (!bytes) return null;
    return new Response(new Uint8Array(bytes), {
      headers: {
        'content-type': getMimeType(name) ?? 'application/octet-stream',
        // Names in assets/ carry a hash of their content.
        'cache-control': name.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      },
    });
  }
}

function filesIn(folder: string, address = ''): Map<string, string> {
  const files = new Map<string, string>();
  for (const entry of toEntries(folder)) {
    const path = join(folder, entry.name);
    const name = `${address}/${entry.name}`;
    if (entry.isFile()) files.set(name, path);
    // One folder at a time, because that is what the desktop app's archive answers reliably.
    if (entry.isDirectory()) for (const [within, at] of filesIn(path, name)) files.set(within, at);
  }
  return files;
}

function toEntries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function notBuilt(): Response {
  return new Response(`${t('web.notBuilt')}\n`, {
    status: 503,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  });
}

/**
 * Permissions of our page: to load its own files and media, and to speak to its own server. Scripts and styles come
 * from files only: components set positions and sizes through the object model, which is allowed, never in markup.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self' blob:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

export const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};
