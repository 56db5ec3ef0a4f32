import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const FRAMES = 40;

/** A sound of equal frames (AAC as a stream): cut between two of them it is a shorter sound, whole to any check. */
function soundOfFrames(): Buffer {
  const frame = Buffer.alloc(200);
  frame.set([0xff, 0xf1, 0x50, 0x80, frame.length >> 3, ((frame.length & 7) << 5) | 0x1f, 0xfc]);
  return Buffer.concat(Array.from({ length: FRAMES }, () => frame));
}

/** A service with one model, which answers a request for a sound effect with the sound itself. */
export class EffectService {
  readonly sound = soundOfFrames();
  readonly half = this.sound.subarray(0, this.sound.length / 2);
  /** Bodies of the paid requests, in their order. */
  readonly posts: unknown[] = [];
  /** What an answer waits for between its halves. */
  restMayCome = Promise.resolve();
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  static async start(): Promise<EffectService> {
    const service = new EffectService();
    await new Promise<void>((resolve) => service.#server.listen(0, '127.0.0.1', resolve));
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request);
    if (request.url === '/v1/models') {
      response.setHeader('content-type', 'application/json').end('{"data":[{"id":"effect-one","object":"model"}]}');
    } else if (request.method === 'POST' && request.url === '/v1/effects') {
      this.posts.push(JSON.parse(body));
      response.setHeader('content-type', 'audio/aac').write(this.half);
      await this.restMayCome;
      response.end(this.half);
    } else {
      response.writeHead(404).end('{"error":{"message":"There is nothing here."}}');
    }
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
