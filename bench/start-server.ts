import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface BenchServer {
  /** Base address, without a slash at the end. */
  readonly url: string;
  stop(): void;
}

/** Starts `server.ts`. It ends with this process at the latest. */
export async function startServer(): Promise<BenchServer> {
  const child = fork(join(import.meta.dirname, 'server.ts'));
  const [url] = (await once(child, 'message')) as [string];
  return { url, stop: () => child.kill() };
}
