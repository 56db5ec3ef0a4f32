import { createAdaptorServer } from '@hono/node-server';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import { state } from '../electron/index.ts';
import type { FromMain, ToMain } from './page-messages.ts';

/**
 * Runs the app as it was built, and lends its window to a browser: what the page loads goes through the app's own handler of
 * its scheme, and what comes over its ports goes to the parent process and on to the page. In the system's dialogue, a
 * person chooses the folder that is named after the built app.
 */
const [built = '', chosen = null] = process.argv.slice(2);
state.chosen = chosen;
const origin = 'dailies://app';
const ports = new Map<number, MessagePort>();
const say = (message: FromMain): void => void process.send?.(message);

state.pageScript = ({ window }) => {
  window.addEventListener('message', ({ ports: [port] }: { ports: readonly MessagePort[] }) => {
    if (!port) return;
    const id = ports.size;
    ports.set(id, port);
    port.on('message', (data: string) => say({ type: 'said', port: id, data }));
    port.on('close', () => say({ type: 'closed', port: id }));
    say({ type: 'port', port: id });
  });
};

process.on('message', (message: ToMain) => {
  if (message.type === 'say') ports.get(message.port)?.postMessage(message.data);
  // What the preload script says once a page listens.
  if (message.type === 'connect') state.windows[0]?.webContents.send('dailies:connect');
  if (message.type === 'kill engine') state.processes.findLast(isEngine)?.kill();
  if (message.type === 'quit') state.app.quit();
});

/** Files are read in processes, too. */
const isEngine = ({ modulePath }: { readonly modulePath: string }): boolean => modulePath.endsWith('engine.js');

await import(join(built, 'main', 'index.js'));
state.app.becomeReady();
while (!state.windows.some(({ visible }) => visible)) await sleep(5);

const [window] = state.windows;
const server = createAdaptorServer({
  createServer,
  fetch: (request) => {
    const { pathname, search } = new URL(request.url);
    const headers = new Headers(request.headers);
    if (headers.has('origin')) headers.set('origin', origin);
    const body = request.body ? { body: request.body, duplex: 'half' as const } : {};
    if (!window) throw new Error('There is no window.');
    return window.webContents.session.load(`${origin}${pathname}${search}`, {
      method: request.method,
      headers,
      ...body,
    });
  },
});
server.listen(0, '127.0.0.1', () => say({ type: 'serving', port: (server.address() as AddressInfo).port }));

while (state.app.exitStatus === null) await sleep(5);
process.exit(state.app.exitStatus);
