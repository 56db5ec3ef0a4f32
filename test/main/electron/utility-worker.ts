import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { MessagePortStandIn } from './ports.ts';
import { strict, StrictEmitter } from './strict.ts';

/** The start of a utility process that is a thread here: it gives the process Electron's port, then runs its module. */
const { modulePath } = workerData as { modulePath: string };
const toParent = parentPort;
if (!toParent) throw new Error('This runs in a thread.');

class ParentPort extends StrictEmitter {
  constructor() {
    super('parentPort', ['message']);
  }
  postMessage(data: unknown): void {
    toParent?.postMessage(data);
  }
}

const port = new ParentPort();
Object.defineProperty(process, 'parentPort', { value: strict('parentPort', port) });
await import(modulePath);
toParent.on('message', ({ data, ports }: { data: unknown; ports: MessagePort[] }) => {
  port.emit('message', { data, ports: ports.map((each) => new MessagePortStandIn(each)) });
});
