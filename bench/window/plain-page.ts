import { svelte } from '@sveltejs/vite-plugin-svelte';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'vite';

const PAGE = join(import.meta.dirname, 'page');

export interface PlainPage {
  /** Address of a bare virtua list of so many rows. */
  readonly address: (rows: number) => string;
  stop(): void;
}

/** Builds the peer of the rows that scroll into `folder` and serves it: one line of text a row, and nothing else. */
export async function startPlainPage(folder: string): Promise<PlainPage> {
  await build({
    root: PAGE,
    configFile: false,
    logLevel: 'warn',
    plugins: [svelte({ configFile: false })],
    build: { outDir: folder, emptyOutDir: true },
  });
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const name = pathname === '/' ? '/index.html' : pathname;
    readFile(join(folder, name)).then(
      (bytes) => response.setHeader('content-type', typeOf(name)).end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { address: (rows) => `http://127.0.0.1:${port}/?rows=${rows}`, stop: () => server.close() };
}

function typeOf(name: string): string {
  if (name.endsWith('.js')) return 'text/javascript';
  return name.endsWith('.css') ? 'text/css' : 'text/html';
}
