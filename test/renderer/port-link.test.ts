import { createORPCClient } from '@orpc/client';
import type { ContractRouterClient } from '@orpc/contract';
import { implement } from '@orpc/server';
import { RPCHandler } from '@orpc/server/message-port';
import { beforeEach, describe, expect, it } from 'vitest';
import { PORT_CHANNEL } from '../../src/contract/bridge.ts';
import { contract, type Contract } from '../../src/contract/procedures.ts';
import { EngineGoneError, linkOverPorts, type PortGate } from '../../src/renderer/lib/port-link.ts';

const ORIGIN = 'dailies://app';

/** The page's window, through which main's ports come. */
class Gate {
  #onEvent: (event: object) => void = () => undefined;

  addEventListener(_type: string, listener: (event: object) => void): void {
    this.#onEvent = listener;
  }

  gives(port: MessagePort, change: object = {}): void {
    this.#onEvent({ source: this, origin: ORIGIN, data: PORT_CHANNEL, ports: [port], ...change });
  }
}

describe('the way to the engine in the desktop app', () => {
  let gate: Gate;
  let api: ContractRouterClient<Contract>;

  /** An engine whose answers tell it from others, or one that does something else when it is asked. */
  const engine = (name: string, whenAsked: () => unknown = () => undefined) => {
    const { port1, port2 } = new MessageChannel();
    const os = implement(contract);
    const template = os.drafts.template.handler(async () => {
      await whenAsked();
      return { fileName: name, text: '' };
    });
    new RPCHandler({ drafts: { template } }).upgrade(port1);
    port1.start();
    return { port: port2, dies: () => port1.close() };
  };
  const nameOf = () => api.drafts.template({ kind: 'image' }).then(({ fileName }) => fileName);

  beforeEach(() => {
    gate = new Gate();
    api = createORPCClient(linkOverPorts(gate as unknown as PortGate, ORIGIN));
  });

  it('lets calls wait for the port', async () => {
    const asked = nameOf();
    const first = engine('first');
    gate.gives(first.port);
    expect(await asked).toBe('first');
    first.dies();
  });

  it('leads to the next engine when one has died', async () => {
    const first = engine('first', () => {
      first.dies();
      return new Promise(() => undefined);
    });
    gate.gives(first.port);
    await expect(nameOf()).rejects.toBeInstanceOf(EngineGoneError);
    const later = nameOf();
    const second = engine('second');
    gate.gives(second.port);
    expect(await later).toBe('second');
    second.dies();
  });

  it('has done with the port before when another one comes', async () => {
    const second = engine('second');
    const first = engine('first', () => {
      gate.gives(second.port);
      return new Promise(() => undefined);
    });
    gate.gives(first.port);
    await expect(nameOf()).rejects.toBeInstanceOf(EngineGoneError);
    expect(await nameOf()).toBe('second');
    second.dies();
  });

  it.each([
    ['another window', { source: {} }],
    ['another origin', { origin: 'https://example.com' }],
    ['another message', { data: 'hello' }],
    ['a message without a port', { ports: [] }],
  ])('takes no port from %s', async (_who, change) => {
    const stranger = engine('false');
    gate.gives(stranger.port, change);
    const asked = nameOf();
    const first = engine('first');
    gate.gives(first.port);
    expect(await asked).toBe('first');
    stranger.dies();
    first.dies();
  });

  it('tells other failures as they are', async () => {
    const first = engine('first', () => Promise.reject(new Error('inside')));
    gate.gives(first.port);
    await expect(nameOf()).rejects.toMatchObject({ code: 'INTERNAL_SERVER_ERROR' });
    first.dies();
  });
});
