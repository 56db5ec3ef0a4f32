import type { TakeOrder } from '../../src/contract/batch.ts';
import type { Message } from '../../src/contract/messages/message.ts';
import type { CapChange } from '../../src/contract/ledger.ts';
import type { NightWindow } from '../../src/contract/night-window.ts';
import type { CommandInput, CommandName, DoneBy } from '../../src/contract/commands/index.ts';
import { type RunState, type EngineEvent } from '../../src/contract/events.ts';
import Database from 'better-sqlite3';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import type * as z from 'zod';
import type { Counts, JobView } from '../../src/contract/job.ts';
import { Settings } from '../../src/contract/settings.ts';
import type { ShotSpec } from '../../src/contract/shot.ts';
import { Recipe } from '../../src/contract/take.ts';
import { encodeMovie } from '../../src/demo/media/movie.ts';
import {
  startDemoService,
  type DemoClock,
  type DemoService,
  type DemoServiceOptions,
  type Fault,
  type FaultRule,
  type LedgerEntry,
} from './demo/service.ts';
import { databaseFile, openDatabase } from '../../src/engine/db/open.ts';
import { startEngine, type Engine } from '../../src/engine/engine.ts';
import type { OpenedProject } from '../../src/engine/projects/project-claims.ts';
import type { Ports } from '../../src/engine/base/ports.ts';
import { FakeClock } from './fake-clock.ts';
import { whenIdleOnTheWire } from './idle.ts';
import { MemoryLog } from './memory-log.ts';
import { Pump } from './pump.ts';
import { seededRandom } from './seeded-random.ts';
import { scratchFolder } from './scratch.ts';

export { MemoryLog } from './memory-log.ts';

export interface WorldOptions {
  readonly service?: DemoServiceOptions;
  readonly settings?: z.input<typeof Settings>;
  /** The key the engine has; the demo service's own when absent. */
  readonly key?: string | null;
}

/** A request is about to be sent, and nothing of it has left yet. */
export const isSubmitBegun = (event: EngineEvent): boolean =>
  event.type === 'queue' && event.status.underWay.submit > 0;

/** How a list is started. The folder of the world's lists is agreed to, as that of a person's list is. */
interface RunWorld {
  readonly again?: boolean;
  readonly name?: string;
  readonly agreed?: readonly string[];
  readonly cap?: CapChange;
  readonly order?: TakeOrder;
  readonly window?: NightWindow;
}

/** The service's view of the clock: it knows how many of its answers wait for the time on purpose. */
class CountedClock implements DemoClock {
  readonly #clock: FakeClock;
  sleeping = 0;

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  async sleep(ms: number, options?: { signal?: AbortSignal }): Promise<void> {
    this.sleeping += 1;
    try {
      await this.#clock.sleep(ms, options);
    } finally {
      this.sleeping -= 1;
    }
  }
}

let tinyMedia: Promise<unknown> | null = null;

/** The encoder of the demo's films is loaded once, in a way that nothing in this process shows. */
function tinyMediaAreReady(): Promise<unknown> {
  tinyMedia ??= encodeMovie({ width: 16, height: 16, framesPerSecond: 12, count: 1, paint: () => undefined });
  return tinyMedia;
}

let emptyDatabase: Buffer | null = null;

/** An empty database is made once a process: its migrations are a tenth of the time of a test. */
export function putEmptyDatabase(dataFolder: string): void {
  if (existsSync(databaseFile(dataFolder))) return;
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  if (emptyDatabase) return writeFileSync(databaseFile(dataFolder), emptyDatabase);
  openDatabase(dataFolder).close();
  emptyDatabase = readFileSync(databaseFile(dataFolder));
}

/** The engine and the demo service over real sockets, on one clock that moves only when both are idle. */
export class World {
  readonly clock = new FakeClock();
  readonly log = new MemoryLog();
  readonly folder = scratchFolder('dailies-world-');
  dataFolder = join(this.folder, 'data');
  projectPath = join(this.folder, 'film');
  readonly #options: WorldOptions;
  /** The same chances in every run: how long things take on the clock does not change from run to run. */
  readonly #random = seededRandom(1);
  readonly #serviceClock = new CountedClock(this.clock);
  readonly #pump = new Pump(this.clock, {
    stepsUnderWay: () => this.#stepsUnderWay(),
    serviceIsAtWork: () => this.#serviceIsAtWork(),
    whatGoesOn: () => this.#whatGoesOn(),
  });
  #service: DemoService | null = null;
  #engine: Engine | null = null;
  freeBytes = 1024 ** 4;
  /** Whether the system frees so many bytes when asked, as macOS does. */
  makesRoom = (_folder: string, _bytes: number): boolean => false;
  /** Bytes free in folders that lie on disks of their own. */
  readonly disks = new Map<string, number>();
  /** Path of the ffmpeg of this machine; null for a machine without one. */
  ffmpeg: string | null = null;
  key: string | null = null;
  /** Of the accounts beside the first, by id. */
  readonly keys = new Map<string, string>();
  /** What the engine said without a disk to write it on. */
  readonly saidAtOnce: Message[] = [];
  /** What another program has written into the settings. */
  changedSettings: () => Settings | null = () => null;

  static readonly #opened = new Set<World>();

  static async closeAll(): Promise<void> {
    for (const world of World.#opened) await world.close();
  }

  constructor(options: WorldOptions = {}) {
    World.#opened.add(this);
    this.#options = options;
    mkdirSync(this.projectPath);
  }

  static async open(options: WorldOptions = {}): Promise<World> {
    const world = new World(options);
    await tinyMediaAreReady();
    world.#service = await startDemoService({ clock: world.#serviceClock, media: 'tiny', ...options.service });
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
      secrets: { apiKey: (id = null) => (id === null ? this.key : (this.keys.get(id) ?? null)) },
      random: this.#random,
      disk: {
        freeBytes: (path) => Promise.resolve(this.disks.get(path) ?? this.freeBytes),
        makeRoom: (folder, bytes) => Promise.resolve(this.makesRoom(folder, bytes)),
      },
      sayAtOnce: (message) => void this.saidAtOnce.push(message),
      ffmpeg: () => this.ffmpeg,
    };
  }

  async start(settings: z.input<typeof Settings> = {}): Promise<Engine> {
    putEmptyDatabase(this.dataFolder);
    this.#engine = await startEngine({
      dataFolder: this.dataFolder,
      settings: Settings.parse({ baseUrl: this.service.url, ...this.#options.settings, ...settings }),
      changedSettings: () => this.changedSettings(),
      ports: this.ports,
      command: 'test',
      lockWaitMs: 5,
    });
    return this.#engine;
  }

  async stop(): Promise<void> {
    const engine = this.#engine;
    this.#engine = null;
    if (engine) await this.whilePumping(engine.stop());
  }

  /** Stops, and starts again with what is on disk. */
  async restart(settings: z.input<typeof Settings> = {}): Promise<Engine> {
    await this.stop();
    return this.start(settings);
  }

  /**
   * As when the process is killed: the next start finds what was on disk at this moment. What this engine had sent
   * stays sent; it sends nothing more. `afterAnswers`: killed once the answers under way were on disk, and no later.
   */
  async kill({ afterAnswers = false } = {}): Promise<void> {
    const snapshot = join(this.folder, 'killed');
    cpSync(this.dataFolder, snapshot, { recursive: true });
    await this.stop();
    if (afterAnswers) cpSync(join(this.dataFolder, 'answers'), join(snapshot, 'answers'), { recursive: true });
    rmSync(this.dataFolder, { recursive: true });
    renameSync(snapshot, this.dataFolder);
  }

  /** Carries the project folder to a machine that has never seen its database. */
  moveTo(machine: string): void {
    const carried = join(this.folder, machine, 'film');
    cpSync(this.projectPath, carried, { recursive: true });
    rmSync(this.projectPath, { recursive: true });
    this.projectPath = carried;
    this.dataFolder = join(this.folder, machine, 'data');
  }

  /** Opens the project, in an engine that starts where none runs. */
  async openProject(): Promise<OpenedProject> {
    if (!this.#engine) await this.start();
    return this.engine.projects.open(this.projectPath);
  }

  /** Opens the project on a machine that has never seen its database. */
  async openOn(machine: string): Promise<OpenedProject> {
    await this.stop();
    this.moveTo(machine);
    return this.openProject();
  }

  get projectId(): string {
    return this.engine.stores.projects.list()[0]?.id ?? '';
  }

  /** The recipe of the first take of a shot that the project folder has. */
  recipe(shot = '0001'): Recipe {
    const folder = join(this.projectPath, '.dailies', 'takes');
    const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
    const recipes = names.map((name) => Recipe.parse(JSON.parse(readFileSync(join(folder, name), 'utf8'))));
    const found = recipes.find((recipe) => recipe.shot.key === shot);
    if (!found) throw new Error(`no recipe of shot ${shot}`);
    return found;
  }

  recipeOf(takeId: string): Recipe {
    return Recipe.parse(
      JSON.parse(readFileSync(join(this.projectPath, '.dailies', 'takes', `${takeId}.json`), 'utf8')),
    );
  }

  manifest(): string {
    return readFileSync(join(this.projectPath, 'Day 1', 'manifest.csv'), 'utf8');
  }

  /** The journal of a job's POSTs, as it lies on disk. */
  journal(jobId: string): { number: number; outcome: string | null }[] {
    return this.sql('SELECT number, outcome FROM attempts WHERE job_id = ? ORDER BY number', jobId) as never[];
  }

  /** Runs a statement on the database beside the engine, and gives the rows it returns. */
  sql(statement: string, ...parameters: unknown[]): unknown[] {
    const db = new Database(databaseFile(this.dataFolder));
    try {
      const prepared = db.prepare(statement);
      if (prepared.reader) return prepared.all(...parameters);
      prepared.run(...parameters);
      return [];
    } finally {
      db.close();
    }
  }

  /** Imports a list, runs it, and resolves when nothing can go on by itself. */
  async run(shots: readonly ShotSpec[], options: RunWorld = {}): Promise<RunState> {
    await this.import(shots, options);
    return this.settle();
  }

  /** Imports a list and runs it, without waiting for anything that follows. */
  async begin(shots: readonly ShotSpec[], options: RunWorld = {}): Promise<void> {
    await this.import(shots, options);
    this.engine.queue.run({});
  }

  /** What the service does with the requests that match. */
  fault(match: FaultRule['match'], what: Fault): number {
    return this.service.faults.add({ match, do: what });
  }

  /** Runs a command as a person in a window does. */
  act<Name extends CommandName>(name: Name, input: CommandInput<Name>): Promise<DoneBy<Name> | null> {
    return this.engine.commands.run(name, input, 'window');
  }

  async import(
    shots: readonly ShotSpec[],
    { again = false, name = 'Day 1', agreed = [], cap, order, window }: RunWorld = {},
  ): Promise<void> {
    const project = await this.openProject();
    const listFolder = this.folder;
    const request = {
      project,
      name,
      listFolder,
      source: 'list.csv',
      shots,
      again,
      agreed: [realpathSync(listFolder), ...agreed],
      cap,
      order,
      window,
    };
    await this.engine.batches.start(request);
  }

  settle(): Promise<RunState> {
    this.engine.queue.run({});
    return this.whilePumping(this.engine.queue.settled());
  }

  /** Lets everything come to its end, which {@link has} this. */
  async comesTo(wanted: Readonly<Record<string, number | string>>): Promise<void> {
    expect(await this.settle()).toEqual({ is: 'over' });
    this.has(wanted);
  }

  /**
   * Expects so many takes of a standing, billable POSTs (`posts`) and tasks that the service made of them (`commits`),
   * and the state of the first take of a shot, by its key.
   */
  has(wanted: Readonly<Record<string, number | string>>): void {
    const all: Record<string, unknown> = { ...this.counts(), commits: this.service.ledger.commits };
    for (const { shot, take, state } of this.jobs()) if (take === 1) all[shot] ??= state;
    all['posts'] = this.posts().length;
    expect(all).toMatchObject(wanted);
  }

  jobs(): JobView[] {
    return this.engine.stores.queries.list({});
  }

  /** Each take with its number and state, in the order of its shot. */
  takes(): string[] {
    return this.jobs()
      .map(({ shot, take, state }) => `${shot} ${String(take)} ${state}`)
      .toSorted();
  }

  job(shot: string, take = 1): JobView {
    const found = this.jobs().find((job) => job.shot === shot && job.take === take);
    if (!found) throw new Error(`no take ${take} of shot ${shot}`);
    return found;
  }

  counts(): Counts {
    return this.engine.stores.tally.counts({});
  }

  /** Billable POSTs the service has seen, or those for one shot of {@link shot}. */
  posts(shotKey?: string): readonly LedgerEntry[] {
    const prompt = shotKey === undefined ? undefined : `Shot ${String(Number(shotKey))}`;
    return this.service.ledger.posts().filter(({ body }) => prompt === undefined || promptOf(body) === prompt);
  }

  /** Keeps engine and service going until `work` is done. */
  whilePumping<Result>(work: Promise<Result>): Promise<Result> {
    return this.#pump.untilDone(work);
  }

  /** Lets the engine work for `ms` of the clock, what it does at the last moment included. */
  async pass(ms: number): Promise<void> {
    await this.whilePumping(this.clock.sleep(ms));
    await this.#pump.untilStandstill();
  }

  /** Lets the engine work until `holds`, at most a day of the clock. */
  until(what: string, holds: () => boolean): Promise<void> {
    return this.#pump.untilHolds(what, holds);
  }

  /** Lets everything happen that happens without the clock. */
  rest(): Promise<void> {
    return whenIdleOnTheWire();
  }

  #stepsUnderWay(): number {
    return Object.values(this.#engine?.queue.status().underWay ?? {}).reduce((sum, count) => sum + count, 0);
  }

  #serviceIsAtWork(): boolean {
    const pending = this.#service?.ledger.entries.filter((entry) => entry.ending === 'pending').length ?? 0;
    return pending > this.#serviceClock.sleeping;
  }

  #whatGoesOn(): string {
    const jobs = this.#engine?.stores.queries
      .list({ limit: 5 })
      .map((job) => `${job.shot} ${job.state} ${job.paused ?? ''}`);
    return JSON.stringify({ jobs, queue: this.#engine?.queue.status(), asked: this.#service?.ledger.received });
  }

  async close(): Promise<void> {
    World.#opened.delete(this);
    await this.stop();
    await this.#service?.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Gives each test of a suite a world, and closes all that were opened in it. */
export function forEachTest(use: (world: World) => void, options: WorldOptions = {}): void {
  beforeEach(async () => use(await World.open(options)));
  afterEach(() => World.closeAll());
}

/** Also of a form. */
function promptOf(body: unknown): unknown {
  const { prompt, fields } = (body ?? {}) as { prompt?: unknown; fields?: { prompt?: unknown } };
  return prompt ?? fields?.prompt;
}
