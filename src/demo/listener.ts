import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One port that can be closed and opened again on the same number. */
export class Listener {
  readonly #server: Server;
  readonly #host: string;
  #port: number;

  constructor(host: string, onRequest: RequestListener) {
    this.#host = host;
    this.#port = 0;
    this.#server = createServer(onRequest);
    // A faulty answer must stay faulty for as long as the test likes.
    this.#server.requestTimeout = 0;
  }

  /** Listens on `port`; 0 takes any free one. Rejects when the port is taken. */
  async open(port = this.#port): Promise<void> {
    this.#server.listen(port, this.#host);
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Closes the port and every connection. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  get port(): number {
    return this.#port;
  }

  get origin(): string {
    const host = this.#host.includes(':') ? `[${this.#host}]` : this.#host;
    return `http://${host}:${String(this.#port)}`;
  }
}
