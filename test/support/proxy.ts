import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface TestProxy {
  readonly port: number;
  /** Connections to it that are open. */
  readonly open: () => number;
  /** What it was asked for, oldest first. */
  readonly asked: { readonly way: string; readonly headers: IncomingMessage['headers'] }[];
}

interface ProxyBehaviour {
  /** Where every tunnel really leads. */
  readonly to: number;
  readonly status?: number;
  /** Answers nobody. */
  readonly silent?: boolean;
  /** Closes each tunnel once so many bytes went to the service. */
  readonly breaksAfter?: number;
}

/** A proxy that leads every name to a server of this machine. */
export async function proxyTo({ to, status = 200, silent, breaksAfter }: ProxyBehaviour): Promise<TestProxy> {
  const asked: TestProxy['asked'] = [];
  const sockets = new Set<Socket>();
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connection', (socket) => sockets.add(socket.on('error', () => undefined)));
  server.on('connect', ({ url = '', headers }: IncomingMessage, client: Socket) => {
    asked.push({ way: url, headers });
    if (silent === true) {
      client.once('end', () => client.destroy()).resume();
      return;
    }
    if (status !== 200) {
      client.end(`HTTP/1.1 ${String(status)} No\r\n\r\n`);
      return;
    }
    const there = connect(to, '127.0.0.1', () => client.write('HTTP/1.1 200 Connection established\r\n\r\n'));
    sockets.add(there.on('error', () => client.destroy()));
    let passed = 0;
    client.on('data', (chunk: Buffer) => {
      passed += chunk.length;
      there.write(chunk);
      if (breaksAfter !== undefined && passed >= breaksAfter) client.destroy();
    });
    client.on('close', () => there.destroy());
    there.pipe(client);
  });
  const port = await listening(server);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const open = (): number => [...sockets].filter(({ closed }) => !closed).length;
  return { port, asked, open };
}

/** Listens at any free port of this machine. */
export async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
