import type { Gate, QueueStatus } from '../../contract/events.ts';
import type { Counts, JobView, Standing } from '../../contract/job.ts';
import { scopeName, type CapNear } from '../../contract/ledger.ts';
import { noCounts, type RunCounts } from '../exit.ts';
import type { GlobalOptions } from '../session.ts';
import type { Output } from '../shell.ts';
import { jsonLine, type Style } from './text.ts';

export interface RunReport {
  readonly title: string;
  readonly tally: RunTally;
  readonly elapsedMs: number;
  /** Absolute folders with the files, each with its manifest when it has one. */
  readonly folders: readonly { readonly folder: string; readonly manifest: string }[];
  readonly halted: Gate | null;
  readonly interrupted: boolean;
  /** Who continues when this command ends: `process 4711 (dailies serve)`; null for nobody. */
  readonly sharedBy: string | null;
  readonly goOn: string;
  readonly options: GlobalOptions;
}

export abstract class Reporter {
  protected readonly out: Output;
  readonly #capsReported = new Set<string>();
  abstract readonly tickMs: number;

  constructor(out: Output) {
    this.out = out;
  }

  /** Objects for a program, lines for people. */
  abstract show(objects: readonly object[], lines: (style: Style) => readonly string[]): void;
  /** The new facts of one job. `settled` when its standing has just changed from unfinished to another one. */
  abstract job(job: JobView, settled: boolean): void;
  abstract queue(status: QueueStatus): void;

  /** For people only, as is `report`. */
  say(_text: string): void {}
  begin(_tally: RunTally, _now: number): void {}
  tick(_now: number): void {}
  /** Nothing changes after this. */
  end(): void {}
  report(_report: RunReport): void {}
  /** For programs: people have seen the counts in the report. */
  summary(_counts: RunCounts): void {}

  protected newCaps({ capsNear = [] }: QueueStatus): CapNear[] {
    const caps = capsNear.filter(({ scope }) => !this.#capsReported.has(scopeName(scope)));
    for (const { scope } of caps) this.#capsReported.add(scopeName(scope));
    return caps;
  }
}

export function toSummary({ saved, failed, unknown, cancelled, unfinished, waiting }: RunCounts): object {
  return { type: 'summary', saved, failed, unknown, cancelled, unfinished, waiting };
}

/** Reports a run to a program: an object a line, `type` first (docs/reference/cli.md); the last is the summary. */
export class NdjsonReporter extends Reporter {
  readonly tickMs = 60_000;
  #gates = '';

  show(objects: readonly object[]): void {
    for (const object of objects) this.#line(object);
  }

  job(job: JobView): void {
    this.#line({ type: 'job', ...job });
  }

  queue(status: QueueStatus): void {
    for (const { scope, name, cap, spent } of this.newCaps(status)) {
      this.#line({ type: 'cap_near', scope, name, cap, spent });
    }
    const { gates } = status;
    const text = JSON.stringify(gates);
    if (text === this.#gates) return;
    this.#gates = text;
    this.#line({ type: 'gates', gates: gates.map(({ reason, message, until }: Gate) => ({ reason, message, until })) });
  }

  override summary(counts: RunCounts): void {
    this.#line(toSummary(counts));
  }

  #line(value: object): void {
    this.out.write(jsonLine(value));
  }
}

/** The state of all jobs of one run, kept up to date by the engine's events. */
export class RunTally {
  /** By their ids, in the order of the shot list. */
  readonly jobs = new Map<string, JobView>();
  readonly counts: Counts & { waiting: number } = { ...noCounts };
  atService = 0;
  /** Takes whose media are being uploaded or waited for. Most of this time no request is under way. */
  preparing = 0;

  constructor(jobs: readonly JobView[]) {
    for (const job of jobs) this.#put(job);
  }

  /** Updates a job. Returns whether its standing changed; null for a job of another run. */
  update(job: JobView): { readonly changed: boolean } | null {
    const before = this.jobs.get(job.id);
    if (!before) return null;
    this.counts[before.standing] -= 1;
    if (isAtService(before)) this.atService -= 1;
    if (isPreparing(before)) this.preparing -= 1;
    if (waitsForPerson(before)) this.counts.waiting -= 1;
    this.#put(job);
    return { changed: before.standing !== job.standing };
  }

  with(standing: Standing): JobView[] {
    return [...this.jobs.values()].filter((job) => job.standing === standing);
  }

  #put(job: JobView): void {
    this.jobs.set(job.id, job);
    this.counts[job.standing] += 1;
    if (isAtService(job)) this.atService += 1;
    if (isPreparing(job)) this.preparing += 1;
    if (waitsForPerson(job)) this.counts.waiting += 1;
  }
}

export const waitsForPerson = ({ wait, paused }: JobView): boolean => wait !== undefined && paused === null;

const isPreparing = (job: JobView): boolean => job.state === 'needs_assets' && job.wait === undefined;

const isAtService = ({ state }: JobView) => state === 'accepted' || state === 'polling';
