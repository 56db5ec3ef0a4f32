import { textForLog } from '../../../src/contract/messages/message.ts';
import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startDemoService, type DemoService, type LedgerEntry } from '../../support/demo/service.ts';
import { crashFolders } from '../../support/scratch.ts';
import { compileCache, inOneFile } from './one-file.ts';
import { BATCH, importFilm, INSIDE_ANSWER, REFUSED, SOURCE_PICTURE, startFilmEngine } from './sample-film.ts';
import { shotNamed, workUntilSettled, type FilmPlace } from './sample-film.ts';

const TWO_HOURS = 2 * 3_600_000;

const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVQI12P4z8AAAAMBAQAY3Y2wAAAAAElFTkSuQmCC',
  'base64',
);

export interface ChildEnd {
  /** The point at which it was killed; null when it ran to its end. */
  readonly killedAt: string | null;
  /** Every point it passed, when it ran to its end. */
  readonly points: readonly string[];
}

/** One project folder and one data folder of their own, for one story of a crash. */
export class Scene {
  readonly folder: string;
  readonly #data: string;
  /** Its project may be renamed. */
  place: FilmPlace;
  readonly service: DemoService;
  /** Shots that were sent again because a person said so. */
  readonly resubmitted: string[] = [];
  /** Its project is on a disk of another system. */
  isOdd = false;
  /** The journal of attempts went with the database, so that it can no longer be held against the service's books. */
  databaseIsLost = false;

  /** A scene begins with an empty ledger: a service that several scenes share takes them one after another. */
  constructor(service: DemoService) {
    const { folder, data } = crashFolders('dailies-crash-');
    this.folder = folder;
    this.#data = data;
    this.service = service;
    this.place = {
      dataFolder: join(data, 'data'),
      projectFolder: join(this.folder, 'film'),
      listFolder: this.folder,
      serviceUrl: service.url,
      apiKey: service.apiKey,
      since: Date.now(),
    };
    writeFileSync(join(this.folder, SOURCE_PICTURE), onePixel);
    service.ledger.clear();
    plantFaults(service);
  }

  /** Runs the film in a process that is killed at `killAt`, and waits until the service has seen all it sent. */
  async runChild(killAt: string | null, { cutsPower = false } = {}): Promise<ChildEnd> {
    const order = JSON.stringify({ place: this.place, killAt, cutsPower });
    const end = await runProcess(process.execPath, [await crashChild(), order]);
    await this.untilServiceIsIdle();
    return { killedAt: null, points: [], ...(JSON.parse(end) as Partial<ChildEnd>) };
  }

  /** The machine is gone. What is left is the project folder, on a disk that another machine opens. */
  loseDatabase(): void {
    rmSync(this.place.dataFolder, { recursive: true, force: true });
    this.databaseIsLost = true;
  }

  /** Goes on two hours of its time later, by itself as far as that goes; then decides what needs a decision. */
  async resume(): Promise<{ readonly attached: number }> {
    const engine = await startFilmEngine(this.place, { ahead: TWO_HOURS });
    try {
      const project = await engine.projects.open(this.place.projectFolder);
      const isCutOff = engine.recovery.interruptedImports.includes(BATCH) || this.databaseIsLost;
      if (isCutOff || !engine.stores.batches.named(project.id, BATCH)) await importFilm(engine, this.place, project);
      await workUntilSettled(engine);
      let attached = 0;
      for (const job of engine.stores.queries.list({ standing: 'unknown' })) {
        const taskId = this.posts(job.shot).find((post) => post.committed)?.taskId;
        const answer = engine.jobs.resolve(job.id, taskId ? { action: 'attach', taskId } : { action: 'resubmit' });
        if (!answer.ok) throw new Error(textForLog(answer.problem));
        if (taskId) attached += 1;
        else this.resubmitted.push(job.shot);
      }
      await workUntilSettled(engine);
      return { attached };
    } finally {
      await engine.stop();
    }
  }

  /** The billable requests the service has received, of one shot or of all, in order. */
  posts(shot?: string): LedgerEntry[] {
    return this.service.ledger.posts().filter((entry) => shot === undefined || shotOf(entry) === shot);
  }

  remove(): void {
    for (const folder of [this.folder, this.#data]) rmSync(folder, { recursive: true, force: true });
  }

  /** What a dead process had sent lies in our sockets still: it counts as sent. */
  async untilServiceIsIdle(): Promise<void> {
    const isAsked = () => this.service.ledger.entries.some((entry) => entry.ending === 'pending');
    for (let received = -1; received !== this.service.ledger.received || isAsked(); await wait(5)) {
      received = this.service.ledger.received;
    }
  }
}

/** A service whose tasks are done in the blink of an eye. A synchronous request takes as long as its images. */
export function startQuickService({ imageMs = 60 } = {}): Promise<DemoService> {
  const speed = { videoMs: 60, imageMs, musicMs: 60, speechMs: 60, textMs: 60, jitter: 0.2 };
  return startDemoService({ media: 'tiny', tinyBytes: 20_000, speed });
}

/** Refusals, a 429 and a broken download, so that more than the straight way is tested. */
function plantFaults({ faults }: DemoService): void {
  faults.clear();
  faults.add({
    match: { path: '/v1/images/generations/async', prompt: INSIDE_ANSWER, times: 'always' },
    do: { fault: 'status', status: 403, body: { error: { message: 'No asynchronous images for this model.' } } },
  });
  faults.add({ match: { method: 'POST', prompt: REFUSED, times: 'always' }, do: { fault: 'status', status: 400 } });
  faults.add({ match: { method: 'POST', prompt: '0002' }, do: { fault: 'rate-limit', seconds: 0.2 } });
  faults.add({ match: { path: '/media/*', prompt: '0001' }, do: { fault: 'cut', afterBytes: 10_000 } });
}

/** The shot a billable request was made for. */
const shotOf = ({ path, body }: LedgerEntry): string => shotNamed(`${path} ${JSON.stringify(body)}`);

let built: Promise<string> | null = null;
/** The file of a process that runs the film and may be killed at a point. */
export const crashChild = (): Promise<string> =>
  (built ??= inOneFile(join(import.meta.dirname, 'crash-child.ts'), 'crash-child'));

/** Resolves with what the process printed, whether it ended by itself or was killed; rejects when it failed. */
export function runProcess(command: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, NODE_COMPILE_CACHE: compileCache };
    execFile(command, args, { env }, (error, stdout, stderr) => {
      // On Windows, a process that ends itself so has no signal, only said what it would do.
      if (!error || error.signal === 'SIGKILL' || stdout.includes('"killedAt"')) resolve(stdout);
      else reject(new Error(`The child failed: ${stderr}`, { cause: error }));
    });
  });
}
