import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import { Recipe } from '../../src/contract/take.ts';
import { parseStudioUrl } from '../../src/studio/address.ts';
import { startDemoService, type DemoServiceOptions } from '../support/demo/service.ts';
import { scratchFolder } from '../support/scratch.ts';
import { newStudio, unlimited } from '../support/studio.ts';
import { Machine, machineClock, type MachineOptions } from './machine.ts';

/** A folder that all machines have, a service, and a studio of their own. `server`: another PostgreSQL than that of all tests. */
export async function openShared({ server, speed = { videoMs: 4000, jitter: 0 } }: SharedOptions = {}) {
  const clock = machineClock(Date.now());
  const folder = scratchFolder('dailies-studio-');
  const nas = join(realpathSync(folder), 'nas');
  const film = join(nas, 'film');
  mkdirSync(film, { recursive: true });
  const service = await startDemoService({ clock, media: 'tiny', speed });
  const studio = await newStudio(server);
  const machines: Machine[] = [];
  onTestFinished(async () => {
    await Promise.all(machines.map((machine) => machine.stop()));
    await service.stop();
    await studio.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    ...{ folder, nas, film, service, studio, server: server ?? inject('postgres') },
    machine(name: string, options: Partial<MachineOptions> = {}): Machine {
      const machine = new Machine({
        ...{ name, dataFolder: join(folder, name), nas, serviceUrl: service.url, key: service.apiKey, clock },
        ...{ address: studio.addressFor('anna'), ...options },
      });
      machines.push(machine);
      return machine;
    },
    /** Requests that the service charged, by prompt. */
    posts(): Map<string, number> {
      const counts = new Map<string, number>();
      for (const { body, committed } of service.ledger.posts()) {
        if (!committed) continue;
        const { prompt, fields } = body as { prompt?: string; fields?: { prompt?: string } };
        const said = prompt ?? fields?.prompt;
        if (said === undefined) continue;
        counts.set(said, (counts.get(said) ?? 0) + 1);
      }
      return counts;
    },
    files: () => readdirSync(join(film, 'Day 1')).filter((name) => !name.includes('.csv')),
    recipes(): Recipe[] {
      const takes = join(film, '.dailies', 'takes');
      const names = readdirSync(takes).filter((name) => name.endsWith('.json'));
      return names.map((name) => Recipe.parse(JSON.parse(readFileSync(join(takes, name), 'utf8'))));
    },
  };
}

export type Shared = Awaited<ReturnType<typeof openShared>>;

interface SharedOptions {
  readonly server?: { readonly folder: string; readonly port: number };
  readonly speed?: DemoServiceOptions['speed'];
}

/** The way of one machine to the studio, which can be closed for a while. */
export async function closableWay({ studio, server: behind }: Shared) {
  const { folder = '', port: serverPort } = behind ?? {};
  const sockets = new Set<Socket>();
  let isOpen = true;
  const way = createServer((client) => {
    if (!isOpen) return void client.destroy();
    const server = connect({ path: join(folder, `.s.PGSQL.${String(serverPort)}`) });
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => undefined).on('close', () => (sockets.delete(from), to.destroy()));
      from.pipe(to);
    }
  });
  way.listen(0, '127.0.0.1');
  await once(way, 'listening');
  onTestFinished(() => void way.close());
  const { port } = way.address() as AddressInfo;
  const url = `postgres://anna@127.0.0.1:${String(port)}/${studio.database}`;
  return {
    ...{ url, address: parseStudioUrl(url).address },
    setOpen(open: boolean): void {
      isOpen = open;
      if (!open) for (const socket of sockets) socket.destroy();
    },
  };
}

/** No waiting between requests of all machines together. */
export async function withoutLimits({ studio }: Shared, machine: Pick<Machine, 'engine'>): Promise<void> {
  const account = machine.engine.studio.accounts()[0]?.account;
  if (!account) throw new Error('no key');
  await studio.admin.setRate(account.keyFingerprint, unlimited);
}
