import { cpSync, mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import type { JobView } from '../../src/contract/job.ts';
import type { CapChange } from '../../src/contract/ledger.ts';
import type { ShotSpec } from '../../src/contract/shot.ts';
import { Settings } from '../../src/contract/settings.ts';
import { Recipe } from '../../src/contract/take.ts';
import type { Clock } from '../../src/engine/base/ports.ts';
import { startEngine, type Engine } from '../../src/engine/engine.ts';
import { freeBytes } from '../../src/engine/files/existing-paths.ts';
import { systemClock } from '../../src/host/process-environment.ts';
import { parseStudioUrl, type StudioAddress } from '../../src/studio/address.ts';
import { connectStudio, NOTHING_SEEN, type StudioDatabase } from '../../src/studio/database.ts';
import { createDesk } from '../../src/studio/hand-over.ts';
import { joinStudio } from '../../src/studio/member.ts';
import { startWorker, type Worker } from '../../src/studio/worker.ts';
import { startDemoService, type DemoService } from '../support/demo/service.ts';
import { MemoryLog } from '../support/memory-log.ts';
import { scratchFolder } from '../support/scratch.ts';
import { newStudio, type TestStudio, unlimited } from '../support/studio.ts';
import { putEmptyDatabase } from '../support/world.ts';

/** Time goes so much faster for engines and service; that of the database is its own. */
const FASTER = 10;
const began = Date.now();

export const fastClock: Clock = {
  now: () => began + Math.round((Date.now() - began) * FASTER),
  steady: () => performance.now() * FASTER,
  sleep: (ms, options) => systemClock.sleep(ms / FASTER, options),
};

/** A folder that all machines have, a service, and a studio of their own. */
export async function openShared() {
  const folder = scratchFolder('dailies-studio-');
  const nas = join(realpathSync(folder), 'nas');
  const film = join(nas, 'film');
  mkdirSync(film, { recursive: true });
  const service = await startDemoService({ clock: fastClock, media: 'tiny', speed: { videoMs: 4000, jitter: 0 } });
  const studio = await newStudio();
  const machines: Machine[] = [];
  onTestFinished(async () => {
    await Promise.all(machines.map((machine) => machine.stop()));
    await service.stop();
    await studio.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    ...{ folder, nas, film, service, studio },
    machine(name: string, options: Partial<MachineOptions> = {}): Machine {
      const machine = new Machine({ ...{ name, folder, nas, service, studio }, ...options });
      machines.push(machine);
      return machine;
    },
    /** Billable requests that the service has seen, by prompt. */
    posts(): Map<string, number> {
      const counts = new Map<string, number>();
      for (const { body } of service.ledger.posts()) {
        const { prompt } = body as { prompt: string };
        counts.set(prompt, (counts.get(prompt) ?? 0) + 1);
      }
      return counts;
    },
    files: () => readdirSync(join(film, 'Day 1')).filter((name) => !name.endsWith('.csv')),
    recipes(): Recipe[] {
      const takes = join(film, '.dailies', 'takes');
      const names = readdirSync(takes).filter((name) => name.endsWith('.json'));
      return names.map((name) => Recipe.parse(JSON.parse(readFileSync(join(takes, name), 'utf8'))));
    },
  };
}

export type Shared = Awaited<ReturnType<typeof openShared>>;

interface MachineOptions {
  readonly name: string;
  readonly folder: string;
  readonly nas: string;
  readonly service: DemoService;
  readonly studio: TestStudio;
  /** Null for a machine without the account's key. */
  readonly key?: string | null;
  readonly address?: StudioAddress;
  readonly login?: string;
  readonly clock?: Clock;
  readonly settings?: object;
}

/** One machine of the studio: a data folder, its engine, and its worker. */
export class Machine {
  readonly #options: MachineOptions;
  readonly dataFolder: string;
  readonly log = new MemoryLog();
  #engine: Engine | null = null;
  #database: StudioDatabase | null = null;
  worker: Worker | null = null;
  #work: () => Worker = () => {
    throw new Error('no engine is running');
  };

  constructor(options: MachineOptions) {
    this.#options = options;
    this.dataFolder = join(options.folder, options.name);
  }

  get engine(): Engine {
    if (!this.#engine) throw new Error('no engine is running');
    return this.#engine;
  }

  async start(): Promise<this> {
    const { name, nas, service, studio, key = service.apiKey, login = 'anna', clock = fastClock } = this.#options;
    putEmptyDatabase(this.dataFolder);
    const settings = Settings.parse({ baseUrl: service.url, ...this.#options.settings });
    this.#engine = await startEngine({
      ...{ dataFolder: this.dataFolder, machine: name, settings, command: 'test' },
      ports: {
        ...{ clock, logger: this.log, secrets: { apiKey: () => key }, random: Math.random },
        disk: { freeBytes },
      },
    });
    const { address = studio.addressFor(login) } = this.#options;
    const machine = { name, instance: this.dataFolder };
    const visitor = await studio.open(login, null);
    await visitor.join(login, name, this.dataFolder);
    const marks = { ...NOTHING_SEEN, ...this.engine.stores.jobs.studio.seen() };
    this.#database = await connectStudio({ address, password: null, machine, logger: this.log, seen: marks });
    const options = {
      ...{ engine: this.engine, database: this.#database, studio: 'studio', machine: name, clock, logger: this.log },
      roots: new Map([['nas', nas]]),
    };
    // As a command that hands a list over has it.
    this.engine.studio.desk = createDesk(joinStudio(options), options);
    this.#work = () => startWorker({ ...options, settings: () => settings });
    return this;
  }

  /** Takes work from the studio, as `dailies worker` does. */
  async work(): Promise<this> {
    this.worker = this.#work();
    await this.worker.ready;
    this.engine.queue.run({});
    return this;
  }

  /** Hands a list over as `dailies run --studio` does. */
  async handOver(
    shots: readonly ShotSpec[],
    { name = 'Day 1', cap }: { name?: string; cap?: CapChange | undefined } = {},
  ): Promise<number> {
    const { nas } = this.#options;
    const { desk } = this.engine.studio;
    const film = join(nas, 'film');
    await desk?.begin(film);
    const project = await this.engine.projects.open(film);
    const { batch } = await this.engine.batches.start({
      ...{ project, name, listFolder: nas, source: 'list.csv', shots, again: false, agreed: [nas], studio: true },
    });
    return (await desk?.handOver(batch.id, cap)) ?? 0;
  }

  /** Each take with its state, in the order of its shot. */
  takes(): string[] {
    return this.jobs()
      .map(({ shot, take, state }) => `${shot} ${String(take)} ${state}`)
      .toSorted();
  }

  jobs(): JobView[] {
    return this.engine.stores.queries.list({});
  }

  async stop(): Promise<void> {
    const [engine, worker, database] = [this.#engine, this.worker, this.#database];
    this.#engine = this.worker = this.#database = null;
    await worker?.stop();
    await engine?.stop();
    await database?.close();
  }

  /** As when the process is killed: the next start finds what was on disk at this moment. */
  async kill(): Promise<void> {
    const snapshot = `${this.dataFolder} killed`;
    cpSync(this.dataFolder, snapshot, { recursive: true });
    await this.#database?.close();
    await this.stop();
    rmSync(this.dataFolder, { recursive: true });
    renameSync(snapshot, this.dataFolder);
  }
}

/** The way of one machine to the studio, which can be closed for a while. */
export async function closableWay({ studio }: Shared) {
  const { folder, port: serverPort } = inject('postgres') as { folder: string; port: number };
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
  return {
    address: parseStudioUrl(`postgres://anna@127.0.0.1:${String(port)}/${studio.database}`).address,
    setOpen(open: boolean): void {
      isOpen = open;
      if (!open) for (const socket of sockets) socket.destroy();
    },
  };
}

/** No waiting between requests of all machines together. */
export async function withoutLimits({ studio, service }: Shared, machine: Pick<Machine, 'engine'>): Promise<void> {
  const account = machine.engine.studio.accounts()[0]?.account;
  if (!account) throw new Error('no key');
  const { address = service.url } = { address: account.origin };
  await studio.admin.setRate({ name: account.keyFingerprint, address }, unlimited);
}
