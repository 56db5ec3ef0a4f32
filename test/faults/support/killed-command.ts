import { cpSync, existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startDemoService, type DemoService, type LedgerEntry } from '../../support/demo/service.ts';
import type { Clock } from '../../../src/engine/base/ports.ts';
import { CliScene, fastClock } from '../../cli/support.ts';
import { crashFolders } from '../../support/scratch.ts';
import { knownInData, rowOf } from './adoption-model.ts';
import { dailies, dailiesKilled } from './command.ts';

/** Far more than any command takes, ms. */
const TIMEOUT_MS = 60_000;
/** Of the moments of a command that is killed in a process of its own, so many are in a millisecond. */
const MOMENTS_A_MS = 0.3;
const SPEED = { videoMs: 60, imageMs: 60, musicMs: 60, speechMs: 60, textMs: 60, jitter: 0.2 };

/** How a command ended. */
export interface Ending {
  /** Null when it was killed. */
  readonly status: number | null;
  /** What it said, as far as it is known. */
  readonly said: string;
}

/** Commands on one project from several data folders, which may be killed, and the service that they use. */
export abstract class KillableCommands {
  readonly service: DemoService;
  readonly folder: string;
  readonly #data: string;
  /** The folder of the project. */
  project = 'film';

  constructor(service: DemoService, { folder, data }: ReturnType<typeof crashFolders>) {
    this.service = service;
    this.folder = folder;
    this.#data = data;
  }

  get projectFolder(): string {
    return this.path(this.project);
  }

  dataFolder(name: string): string {
    return join(this.#data, 'data', name);
  }

  path(...names: string[]): string {
    return join(this.folder, ...names);
  }

  /** The billable requests that were sent by commands that lived. */
  posts(): readonly LedgerEntry[] {
    return this.service.ledger.posts();
  }

  /** Runs a command, killed at one of its moments, of which there are some hundreds, unless it has ended before. */
  abstract run(dataFolder: string, args: readonly string[], killAt?: number): Promise<Ending>;

  /** What a dead process had sent lies in our sockets still: it counts as sent. */
  async untilServiceIsIdle(): Promise<void> {
    while (this.service.ledger.entries.some(({ ending }) => ending === 'pending')) await wait(2);
  }

  async close(): Promise<void> {
    await this.service.stop();
    for (const folder of [this.folder, this.#data]) rmSync(folder, { recursive: true, force: true });
  }
}

/** The commands as they are installed, killed by SIGKILL. */
export class KilledProcesses extends KillableCommands {
  isOdd = false;

  static async open({ isOdd = false } = {}): Promise<KillableCommands> {
    const service = await startDemoService({ media: 'tiny', speed: SPEED });
    return Object.assign(new KilledProcesses(service, crashFolders('dailies-crash-')), { isOdd });
  }

  async run(dataFolder: string, args: readonly string[], killAt?: number): Promise<Ending> {
    const place = { dataFolder, serviceUrl: this.service.url, apiKey: this.service.apiKey };
    const scene = {
      folder: this.folder,
      place,
      isOdd: this.isOdd,
      untilServiceIsIdle: () => this.untilServiceIsIdle(),
    };
    const ended = dailies.bind(null, scene);
    const { status } = await (killAt === undefined
      ? ended(...args)
      : dailiesKilled(scene, killAt / MOMENTS_A_MS, ...args));
    await this.untilServiceIsIdle();
    return { status, said: '' };
  }
}

/** What a kill leaves of a folder: as it was at that moment. */
const asKilled = (folder: string): string => `${folder} as killed`;

/**
 * Commands of this process. Whatever in the product or in the service does something asks for the time first: a kill is
 * at the `n`th time that either asks. What lies on disk at that moment is put aside, and the command is interrupted; once
 * it has ended, its folders are again as they were put aside. What it had announced by then stays sent. What it announced
 * later was not: a dead process announces nothing.
 */
export class KilledHere extends KillableCommands {
  readonly #scene: CliScene;
  readonly #moments: Moments;
  readonly #neverSent = new Set<LedgerEntry>();

  private constructor(scene: CliScene, service: DemoService, moments: Moments) {
    super(service, { folder: scene.folder, data: scene.folder });
    this.#scene = scene;
    this.#moments = moments;
  }

  static async open(): Promise<KillableCommands> {
    const moments = new Moments();
    const scene = new CliScene();
    const service = await startDemoService({ clock: moments, media: 'tiny', speed: SPEED });
    scene.clock = moments;
    scene.env['DAILIES_BASE_URL'] = service.url;
    scene.env['DAILIES_API_KEY'] = service.apiKey;
    return new KilledHere(scene, service, moments);
  }

  override posts(): readonly LedgerEntry[] {
    return super.posts().filter((post) => !this.#neverSent.has(post));
  }

  async run(dataFolder: string, args: readonly string[], killAt = Infinity): Promise<Ending> {
    const mortal = [this.projectFolder, dataFolder];
    let isDead = false;
    this.#moments.call(killAt, () => {
      isDead = true;
      for (const folder of mortal.filter((each) => existsSync(each)))
        cpSync(folder, asKilled(folder), { recursive: true });
      this.#scene.interrupt();
    });
    const status = await this.#inTime(this.#scene.run('--data', dataFolder, ...args));
    this.#moments.call(Infinity);
    await this.#inTime(this.untilServiceIsIdle());
    if (!isDead) return { status, said: this.#scene.said };
    this.#putBack(dataFolder, mortal);
    return { status: null, said: this.#scene.said };
  }

  #putBack(dataFolder: string, mortal: readonly string[]): void {
    const later = knownInData(dataFolder).requests;
    for (const folder of mortal) {
      rmSync(folder, { recursive: true, force: true });
      if (existsSync(asKilled(folder))) renameSync(asKilled(folder), folder);
    }
    const before = new Set(knownInData(dataFolder).requests.map(({ id }) => id));
    for (const { row } of later.filter(({ id }) => !before.has(id))) {
      const post = this.posts().findLast((each) => rowOf(each) === row);
      if (post) this.#neverSent.add(post);
    }
  }

  async #inTime<Result>(work: Promise<Result>): Promise<Result> {
    const ended = new AbortController();
    const giveUp = wait(TIMEOUT_MS, undefined, { signal: ended.signal }).then(() => {
      throw new Error(`it never ended: ${this.#scene.said}`);
    });
    giveUp.catch(() => undefined);
    try {
      return await Promise.race([work, giveUp]);
    } finally {
      ended.abort();
    }
  }
}

/** A fast clock that counts how often it is asked. */
class Moments implements Clock {
  readonly #clock = fastClock(50);
  readonly sleep = this.#clock.sleep;
  #asked = 0;
  #at = Infinity;
  #then: () => void = () => undefined;

  /** Begins to count, and does something at the `at`th time. */
  call(at: number, then: () => void = () => undefined): void {
    this.#asked = 0;
    this.#at = at;
    this.#then = then;
  }

  now(): number {
    this.#asked += 1;
    if (this.#asked === this.#at) this.#then();
    return this.#clock.now();
  }
}
