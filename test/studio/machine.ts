import { cpSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { JobView } from '../../src/contract/job.ts';
import type { CapChange } from '../../src/contract/ledger.ts';
import type { ShotSpec } from '../../src/contract/shot.ts';
import { Settings } from '../../src/contract/settings.ts';
import type { Clock } from '../../src/engine/base/ports.ts';
import { openDatabase } from '../../src/engine/db/open.ts';
import { startEngine, type Engine } from '../../src/engine/engine.ts';
import type { StudioDesk } from '../../src/engine/jobs/studio-ports.ts';
import { freeBytes } from '../../src/engine/files/existing-paths.ts';
import { systemClock } from '../../src/host/process-environment.ts';
import type { StudioAddress } from '../../src/studio/address.ts';
import { connectStudio, NOTHING_SEEN, type StudioDatabase } from '../../src/studio/database.ts';
import { createDesk } from '../../src/studio/hand-over.ts';
import { joinStudio } from '../../src/studio/member.ts';
import { startWorker, type Worker } from '../../src/studio/worker.ts';
import { MemoryLog } from '../support/memory-log.ts';

/** Time goes so much faster for engines and service; that of the database is its own. */
const FASTER = 10;

/** A clock of one machine, which may be wrong by `ahead` ms. */
export const machineClock = (since: number, ahead = 0): Clock => ({
  now: () => Math.round(since + ahead + (Date.now() - since) * FASTER),
  steady: () => performance.now() * FASTER,
  sleep: (ms, options) => systemClock.sleep(ms / FASTER, options),
});

export interface MachineOptions {
  readonly name: string;
  readonly dataFolder: string;
  readonly nas: string;
  readonly serviceUrl: string;
  /** Null for a machine without any key. */
  readonly key: string | null;
  readonly address: StudioAddress;
  readonly clock: Clock;
  readonly settings?: object | undefined;
}

const notStarted = (): never => {
  throw new Error('no engine is running');
};

/** One machine of the studio: a data folder, its engine, and its worker. */
export class Machine {
  readonly #options: MachineOptions;
  readonly dataFolder: string;
  readonly log = new MemoryLog();
  #engine: Engine | null = null;
  #database: StudioDatabase | null = null;
  worker: Worker | null = null;
  #work: () => Worker = notStarted;
  #deskOf: (member: Worker['member']) => StudioDesk = notStarted;

  constructor(options: MachineOptions) {
    this.#options = options;
    this.dataFolder = options.dataFolder;
  }

  get engine(): Engine {
    if (!this.#engine) throw new Error('no engine is running');
    return this.#engine;
  }

  async start(): Promise<this> {
    const { name, nas, serviceUrl, key, clock, address } = this.#options;
    openDatabase(this.dataFolder).close();
    const settings = Settings.parse({ baseUrl: serviceUrl, ...this.#options.settings });
    this.#engine = await startEngine({
      ...{ dataFolder: this.dataFolder, machine: name, settings, command: 'test' },
      ports: {
        ...{ clock, logger: this.log, secrets: { apiKey: () => key }, random: Math.random },
        disk: { freeBytes },
      },
    });
    const access = { address, password: null, logger: this.log };
    const visitor = await connectStudio({ ...access, machine: null, seen: NOTHING_SEEN });
    try {
      await visitor.join('anna', name, this.dataFolder);
    } finally {
      await visitor.close();
    }
    const seen = { ...NOTHING_SEEN, ...this.engine.stores.jobs.studio.seen() };
    this.#database = await connectStudio({ ...access, machine: { name, instance: this.dataFolder }, seen });
    const options = {
      ...{ engine: this.engine, database: this.#database, studio: 'studio', machine: name, clock, logger: this.log },
      roots: new Map([['nas', nas]]),
    };
    // As a command that hands a list over has it.
    this.#deskOf = (member) => createDesk(member, options);
    this.engine.studio.desk = this.#deskOf(joinStudio(options));
    this.#work = () => startWorker({ ...options, settings: () => settings });
    return this;
  }

  /** Takes work from the studio, as `dailies worker` does. */
  async work(): Promise<this> {
    this.worker = this.#work();
    this.engine.studio.desk = this.#deskOf(this.worker.member);
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
