import { writeSync } from 'node:fs';
import { parseStudioUrl } from '../../src/studio/address.ts';
import { Machine, machineClock } from './machine.ts';

/** One machine of the storm, in a process of its own: it works until it is killed, or told to stop. */
export interface StormOrder {
  readonly name: string;
  readonly dataFolder: string;
  readonly nas: string;
  readonly serviceUrl: string;
  readonly key: string;
  readonly url: string;
  readonly since: number;
  readonly ahead: number;
}

const { url, since, ahead, ...order } = JSON.parse(process.argv[2] ?? '') as StormOrder;
const machine = new Machine({
  ...{ ...order, address: parseStudioUrl(url).address, clock: machineClock(since, ahead) },
  settings: { concurrency: { submit: 3 }, maxRate: { submit: 50, poll: 50 } },
});
process.on('SIGTERM', () => {
  void machine.stop().then(() => process.exit(0));
});
// The studio may be away just now.
for (let isUp = false; !isUp;) {
  isUp = await machine
    .start()
    .then((started) => started.work())
    .then(
      () => true,
      async (error: unknown) => {
        writeSync(2, `${order.name}: ${(error as Error).stack ?? ''} ${String((error as Error).cause)}\n`);
        await machine.stop();
        await new Promise((resolve) => setTimeout(resolve, 300));
        return false;
      },
    );
}
