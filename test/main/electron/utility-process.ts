import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { MessagePortStandIn } from './ports.ts';
import { strict, StrictEmitter } from './strict.ts';

/** A utility process, which is a thread here: ports of Node can go to threads, and to processes they cannot. */
export class UtilityProcessStandIn extends StrictEmitter {
  readonly modulePath: string;
  readonly options: unknown;
  readonly worker: Worker;
  /** None, since it is no process: who wants to kill it must ask here. */
  readonly pid: number | undefined = undefined;

  constructor(modulePath: string, options: unknown) {
    super('UtilityProcess', ['message', 'error', 'exit', 'spawn']);
    this.modulePath = modulePath;
    this.options = options;
    this.worker = new Worker(new URL('./utility-worker.ts', import.meta.url), {
      workerData: { modulePath: pathToFileURL(modulePath).href },
      ...environmentOf(options),
    });
    this.worker.on('message', (message: unknown) => this.emit('message', message));
    this.worker.on('exit', (status) => this.emit('exit', status));
    // Like a process that dies of an error: it reports its end and throws nothing here.
    this.worker.on('error', (error) => process.stderr.write(`${error.stack ?? error.message}\n`));
    return strict('UtilityProcess', this);
  }

  postMessage(data: unknown, ports: readonly MessagePortStandIn[] = []): void {
    const nodes = ports.map(({ node }) => node);
    this.worker.postMessage({ data, ports: nodes }, nodes);
  }

  kill(): boolean {
    void this.worker.terminate();
    return true;
  }
}

/** A thread has an environment of its own, as a process has. */
function environmentOf(options: unknown): { env?: NodeJS.ProcessEnv } {
  const { env } = options as { env?: NodeJS.ProcessEnv };
  return env ? { env } : {};
}
