import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as realSleep } from 'node:timers/promises';
import type { Counts, JobView } from '../../src/contract/job.ts';
import { Settings } from '../../src/contract/settings.ts';
import type { ShotSpec } from '../../src/contract/shot.ts';
import { startDemoService, type DemoService, type DemoServiceOptions } from '../../src/demo/service.ts';
import type { Engine, Settled } from '../../src/engine/engine-api.ts';
import { startEngine } from '../../src/engine/engine.ts';
import type { Logger, Ports } from '../../src/engine/ports.ts';
import { FakeClock } from './fake-clock.ts';

export interface WorldOptions {
  readonly service?: DemoServiceOptions;
  readonly settings?: Partial<Settings>;
  /** The key the engine has; the demo service's own when absent. */
  readonly key?: string | null;
}

/** A log that remembers, so that a test can look for what must not stand in it. */
export class MemoryLog implements Logger {
  readonly lines: string[] = [];
  readonly debug = (message: string, facts?: object): void => this.#add('debug', message, facts);
  readonly info = (message: string, facts?: object): void => this.#add('info', message, facts);
  readonly warn = (message: string, facts?: object): void => this.#add('warn', message, facts);
  readonly error = (message: string, facts?: object): void => this.#add('error', message, facts);

  #add(level: string, message: string, facts: object = {}): void {
    this.lines.push(`${level} ${message} ${JSON.stringify(facts)}`);
  }
}

/** The engine and the demo service over real sockets, on one clock that moves only when both are idle. */
export class World {
  readonly clock = new FakeClock();
  readonly log = new MemoryLog();
  readonly folder = mkdtempSync(join(tmpdir(), 'dailies-world-'));
  readonly projectPath = join(this.folder, 'film');
  readonly #options: WorldOptions;
  #service: DemoService | null = null;
  #engine: Engine | null = null;
  freeBytes = 1024 ** 4;
  key: string | null = null;

  constructor(options: WorldOptions = {}) {
    this.#options = options;
    mkdirSync(this.projectPath);
  }

  static async open(options: WorldOptions = {}): Promise<World> {
    const world = new World(options);
    world.#service = await startDemoService({ clock: world.clock, media: 'tiny', ...options.service });
    world.key = options.key === undefined ? world.service.apiKey : options.key;
    return world;
  }

  get service(): DemoService {
    if (!this.#service) throw new Error('the world has no service');
    return this.#service;
  }

  get engine(): Engine {
    if (!this.#engine) throw new Error('no engine is running');
    return this.#engine;
  }

  get ports(): Ports {
    return {
      clock: this.clock,
      logger: this.log,
      secrets: { apiKey: () => this.key },
      disk: { freeBytes: () => Promise.resolve(this.freeBytes) },
    };
  }

  async start(settings: Partial<Settings> = {}): Promise<Engine> {
    this.#engine = await startEngine({
      dataFolder: join(this.folder, 'data'),
      settings: Settings.parse({ baseUrl: this.service.url, ...this.#options.settings, ...settings }),
      ports: this.ports,
      command: 'test',
    });
    return this.#engine;
  }

  async stop(): Promise<void> {
    const engine = this.#engine;
    this.#engine = null;
    if (engine) await this.whilePumping(engine.stop());
  }

  /** Stops, and starts again with what is on disk. */
  async restart(settings: Partial<Settings> = {}): Promise<Engine> {
    await this.stop();
    return this.start(settings);
  }

  /** Imports a list, runs it, and resolves when nothing can go on by itself. */
  async run(shots: readonly ShotSpec[], options: { again?: boolean; name?: string } = {}): Promise<Settled> {
    if (!this.#engine) await this.start();
    await this.import(shots, options);
    return this.settle();
  }

  async import(shots: readonly ShotSpec[], { again = false, name = 'Day 1' } = {}): Promise<void> {
    const project = await this.engine.projects.open(this.projectPath);
    await this.engine.batches.start({ project, name, listFolder: this.folder, source: 'list.csv', shots, again });
  }

  settle(): Promise<Settled> {
    this.engine.queue.run({});
    return this.whilePumping(this.engine.queue.settled());
  }

  jobs(): JobView[] {
    return this.engine.jobs.list({});
  }

  job(shot: string, take = 1): JobView {
    const found = this.jobs().find((job) => job.shot === shot && job.take === take);
    if (!found) throw new Error(`no take ${take} of shot ${shot}`);
    return found;
  }

  counts(): Counts {
    return this.engine.jobs.counts({});
  }

  /** Billable POSTs the service has seen. */
  posts(): ReturnType<DemoService['ledger']['billableCommits']> {
    return this.service.ledger.entries.filter((entry) => entry.method === 'POST' && !entry.path.startsWith('/__demo'));
  }

  /**
   * Lets sockets do their work, and moves the clock to whoever sleeps next each time nothing is under way. When
   * something is under way but does not come on (a hanging answer), the clock moves all the same after a while.
   */
  async whilePumping<Result>(work: Promise<Result>): Promise<Result> {
    let done = false;
    const finished = work.finally(() => {
      done = true;
    });
    let idleTurns = 0;
    let lastRequests = -1;
    for (let turns = 0; !done; turns += 1) {
      if (turns > 200_000) throw new Error('the world does not settle');
      await realSleep(0);
      const requests = this.#service?.ledger.received ?? 0;
      const quiet = this.#isQuiet() && requests === lastRequests;
      idleTurns = quiet ? idleTurns + 3 : requests === lastRequests ? idleTurns + 1 : 0;
      lastRequests = requests;
      if (idleTurns < 90) continue;
      const next = this.clock.nextWakeAt();
      if (next !== null) this.clock.advance(Math.max(0, next - this.clock.now()));
      idleTurns = this.#isQuiet() ? 81 : 0;
    }
    return finished;
  }

  #isQuiet(): boolean {
    const underWay = this.#engine?.queue.status().underWay;
    return !underWay || underWay.submit + underWay.poll + underWay.download === 0;
  }

  async close(): Promise<void> {
    await this.stop();
    await this.#service?.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
