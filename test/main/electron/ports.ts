import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { strict, StrictEmitter } from './strict.ts';

/** Node's port as Electron's: it tells messages as events, and nothing before `start`. */
export class MessagePortStandIn extends StrictEmitter {
  readonly node: MessagePort;

  constructor(node: MessagePort) {
    super('MessagePortMain', ['message', 'close']);
    this.node = node;
    node.on('close', () => this.emit('close'));
    return strict('MessagePortMain', this);
  }

  start(): void {
    this.node.on('message', (data: unknown) => this.emit('message', { data, ports: [] }));
  }

  postMessage(data: unknown): void {
    this.node.postMessage(data);
  }

  close(): void {
    this.node.close();
  }
}

export class MessageChannelMain {
  readonly port1: MessagePortStandIn;
  readonly port2: MessagePortStandIn;

  constructor() {
    const { port1, port2 } = new MessageChannel();
    this.port1 = new MessagePortStandIn(port1);
    this.port2 = new MessagePortStandIn(port2);
  }
}
