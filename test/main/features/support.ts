import type { BatchView } from '../../../src/contract/batch.ts';
import type { Changes, QueueView } from '../../../src/contract/events.ts';
import type { DiagnosticsExtent } from '../../../src/contract/desktop.ts';
import type { Counts } from '../../../src/contract/job.ts';
import type { ProjectView } from '../../../src/contract/project.ts';
import { Settings } from '../../../src/contract/settings.ts';
import type { Desktop } from '../../../src/main/desktop.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { quietChanges } from '../../support/quiet-changes.ts';

export const noCounts: Counts = { saved: 0, failed: 0, unknown: 0, cancelled: 0, unfinished: 0 };

export const aBatch = (id: string, counts: Partial<Counts>, change: Partial<BatchView> = {}): BatchView => ({
  id,
  projectId: 'film',
  name: 'Day 1',
  folder: 'Day 1',
  source: 'day1.csv',
  createdAt: 0,
  shots: 3,
  counts: { ...noCounts, ...counts },
  importing: false,
  archivedAt: null,
  notes: '',
  ...change,
});

export const aProject = (id: string, counts: Partial<Counts>): ProjectView => ({
  id,
  account: null,
  name: id,
  path: `/films/${id}`,
  available: true,
  batches: 1,
  batchOrder: 'date',
  counts: { ...noCounts, ...counts },
  bytes: 0,
  openedAt: 0,
  isSample: false,
});

export const aQueue = (change: Partial<QueueView> = {}): QueueView => ({
  status: { underWay: { prepare: 0, submit: 0, poll: 0, download: 0 }, gates: [] },
  running: true,
  waitsForTonight: false,
  pausedByUser: false,
  run: { is: 'going' },
  counts: noCounts,
  rates: [],
  taskTimes: [],
  keepsAwake: false,
  onBattery: false,
  freeBytes: null,
  ...change,
});

/** The app's core, as features have it, with an engine that is what a test says. */
export class FakeDesktop {
  readonly clock = new FakeClock();
  readonly logged: string[] = [];
  /** What the engine answers. */
  queue = aQueue();
  projects: ProjectView[] = [];
  batches: BatchView[] = [];
  settings = Settings.parse({});
  /** The calls that change something. */
  readonly asked: string[] = [];
  readonly quits: ((() => void) | undefined)[] = [];
  readonly works: (() => void | Promise<void>)[] = [];
  readonly lastWords: (() => void)[] = [];
  shown = 0;
  dataFolder = '/data';
  window: unknown = null;
  #listeners: ((changes: Changes) => void)[] = [];
  #open: (paths: readonly string[]) => void = () => undefined;

  /** As the features are given it. */
  get desktop(): Desktop {
    const note = (message: string, facts?: object): void => {
      this.logged.push(`${message} ${JSON.stringify(facts ?? {})}`);
    };
    return {
      client: {
        queue: {
          view: () => Promise.resolve(this.queue),
          pause: () => this.#ask('pause'),
          resume: () => this.#ask('resume'),
        },
        projects: { list: () => Promise.resolve(this.projects) },
        batches: {
          list: ({ projectId }: { projectId: string }) =>
            Promise.resolve(this.batches.filter((batch) => batch.projectId === projectId)),
        },
        settings: { get: () => Promise.resolve({ settings: this.settings }) },
        desktop: {
          diagnostics: ({ extent }: { extent: DiagnosticsExtent }) =>
            Promise.resolve({ fileName: 'diagnostics.txt', text: `${extent}, of the engine` }),
        },
      } as unknown as Desktop['client'],
      listen: (listener) => {
        this.#listeners.push(listener);
        return () => undefined;
      },
      window: {
        current: () => this.window as ReturnType<Desktop['window']['current']>,
        show: () => {
          this.shown += 1;
          return this.window as ReturnType<Desktop['window']['show']>;
        },
      },
      openings: {
        listen: (listener) => {
          this.#open = listener;
          return () => undefined;
        },
      },
      clock: this.clock,
      logger: { debug: note, info: note, warn: note, error: note },
      awakeHelper: null,
      dataFolder: this.dataFolder,
      packageFolder: '/package',
      version: '1.2.3',
      quit: {
        before: (work) => void this.works.push(work),
        onSessionEnd: (work) => void this.lastWords.push(work),
        begin: (last) => void this.quits.push(last),
      },
    };
  }

  /** Sends a change as the engine does; resolves when everybody has read the new state. */
  async tell(changes: Partial<Changes> = { projects: ['film'] }): Promise<void> {
    // The reading before has to be a while ago.
    this.clock.advance(2000);
    await settled();
    await this.tellAtOnce(changes);
  }

  /** The same, right after the last change. */
  async tellAtOnce(changes: Partial<Changes>): Promise<void> {
    for (const listen of this.#listeners) listen({ ...quietChanges, ...changes });
    await settled();
  }

  open(...paths: string[]): void {
    this.#open(paths);
  }

  #ask(what: string): Promise<QueueView> {
    this.asked.push(what);
    return Promise.resolve(this.queue);
  }
}

/** Everything that waits for nothing but its turn has had it. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
}
