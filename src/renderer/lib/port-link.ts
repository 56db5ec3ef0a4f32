import type { ClientContext, ClientLink } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import { PORT_CHANNEL } from '../../contract/bridge.ts';

/** The page's own window, as far as ports come through it. */
export type PortGate = Pick<Window, 'addEventListener'>;

/** The engine ended while it was being asked. Main starts it again by itself. */
export class EngineGoneError extends Error {}

/** A port, and the way to drop it, whether or not the other end has closed it. */
interface HeldPort {
  readonly link: RPCLink<ClientContext>;
  readonly isOver: boolean;
  end(): void;
}

/**
 * The connection to the engine inside the desktop app: over the port that main gave this page, and over the next one
 * when there is a new engine. Calls wait until there is one; running ones are rejected when an engine dies.
 */
export function linkOverPorts(gate: PortGate, origin: string): ClientLink<ClientContext> {
  let arriving = Promise.withResolvers<HeldPort>();
  let held: HeldPort | null = null;

  const drop = (): void => {
    if (!held) return;
    const gone = held;
    held = null;
    arriving = Promise.withResolvers<HeldPort>();
    gone.end();
  };
  gate.addEventListener('message', (event) => {
    const [port] = event.ports;
    // Only our own preload script, which speaks as this page does, may send it.
    if (event.source !== gate || event.origin !== origin || event.data !== PORT_CHANNEL || !port) return;
    drop();
    const mine = hold(port);
    held = mine;
    port.addEventListener('close', () => {
      if (held === mine) drop();
    });
    arriving.resolve(mine);
  });
  return {
    async call(path, input, options) {
      const asked = await arriving.promise;
      return asked.link.call(path, input, options).catch((error: unknown) => {
        throw asked.isOver ? new EngineGoneError('The engine ended.', { cause: error }) : error;
      });
    },
  };
}

function hold(port: MessagePort): HeldPort {
  let isOver = false;
  let close: () => void = () => undefined;
  const link = new RPCLink<ClientContext>({
    port: {
      on(event, told) {
        if (event === 'message') port.addEventListener('message', told);
        else close = told;
      },
      postMessage: (data: unknown) => port.postMessage(data),
    },
  });
  port.start();
  return {
    link,
    get isOver() {
      return isOver;
    },
    end() {
      isOver = true;
      port.close();
      close();
    },
  };
}
