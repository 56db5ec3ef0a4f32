import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { Settings } from '../../../src/contract/settings.ts';
import { directly } from '../../../src/engine/api/proxies.ts';
import { Channels, type ChannelsParts } from '../../../src/host/messages/channels.ts';
import { FakeClock } from '../../support/fake-clock.ts';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A receiver of messages, which shares no code with what sends them. */
export class Receiver {
  readonly received: Received[] = [];
  readonly #server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      this.received.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(pieces) });
      this.answer(response);
    });
  });
  answer: (response: ServerResponse) => void = (response) => response.writeHead(204).end();
  url = '';

  async open(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }
}

/** A machine with secrets in its environment, and no keychain. */
export const machineWith = (env: Record<string, string>, clock = new FakeClock()) => ({
  env,
  clock,
  keychain: () => Promise.reject(new Error('no keychain in tests')),
});

export function channelsWith(
  messages: object,
  machine: ChannelsParts['machine'] = machineWith({}),
  notify: ChannelsParts['notify'] = null,
): Channels {
  const settings = Settings.parse({ messages });
  return new Channels({ machine, settings: () => settings, routesTo: directly, notify });
}
