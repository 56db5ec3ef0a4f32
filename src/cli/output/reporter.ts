import type { GlobalOptions } from '../session.ts';
import type { RecoveryReport } from '../../engine/jobs/recovery.ts';
import type { Estimate, OutsideFile, PaidAgain, StartPlan } from '../../contract/batch.ts';
import type { Gate, QueueStatus } from '../../contract/events.ts';
import type { Counts, JobView } from '../../contract/job.ts';
import type { StartedRun } from '../../contract/run.ts';
import type { Defect } from '../../contract/shot.ts';
import { scopeName, type CapNear } from '../../contract/ledger.ts';
import type { Output } from '../shell.ts';
import type { Tally } from '../tally.ts';

/** What starting a list does, in numbers of shots. */
export type PlanCounts = Omit<StartedRun, 'project' | 'batch'> & { readonly batch: string };

export interface RunReport {
  readonly title: string;
  readonly tally: Tally;
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

/** Reports a run to a person at a terminal, a person reading a log, or a program. */
export abstract class Reporter {
  protected readonly out: Output;
  readonly #capsReported = new Set<string>();
  abstract readonly tickMs: number;

  constructor(out: Output) {
    this.out = out;
  }

  abstract defects(defects: readonly Defect[]): void;
  abstract paidAgain(paid: PaidAgain): void;
  abstract outside(files: readonly OutsideFile[]): void;
  abstract plan(plan: PlanCounts): void;
  abstract estimate(estimate: Estimate & Pick<StartPlan, 'lasts'>): void;
  abstract recovery(report: RecoveryReport, options: GlobalOptions): void;
  /** The new facts of one job. `settled` when its standing has just changed from unfinished to another one. */
  abstract job(job: JobView, settled: boolean): void;
  abstract queue(status: QueueStatus): void;

  /** For people only, as is `report`. */
  say(_text: string): void {}
  begin(_tally: Tally, _now: number): void {}
  tick(_now: number): void {}
  /** Nothing changes after this. */
  end(): void {}
  report(_report: RunReport): void {}
  /** For programs: people have seen the counts in the report. */
  summary(_counts: Counts): void {}

  /** Those of a status that were not reported yet. */
  protected newCaps({ capsNear = [] }: QueueStatus): CapNear[] {
    const caps = capsNear.filter(({ scope }) => !this.#capsReported.has(scopeName(scope)));
    for (const { scope } of caps) this.#capsReported.add(scopeName(scope));
    return caps;
  }
}
