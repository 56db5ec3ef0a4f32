import type { GlobalOptions } from '../session.ts';
import type { RecoveryReport } from '../../engine/jobs/recovery.ts';
import type { Estimate, OutsideFile, PaidAgain, StartPlan } from '../../contract/batch.ts';
import type { Gate, QueueStatus } from '../../contract/events.ts';
import type { Counts, JobView } from '../../contract/job.ts';
import type { StartedRun } from '../../contract/run.ts';
import type { Defect } from '../../contract/shot.ts';
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
export interface Reporter {
  say(text: string): void;
  defects(defects: readonly Defect[]): void;
  paidAgain(paid: PaidAgain): void;
  outside(files: readonly OutsideFile[]): void;
  plan(plan: PlanCounts): void;
  estimate(estimate: Estimate & Pick<StartPlan, 'lasts'>): void;
  recovery(report: RecoveryReport, options: GlobalOptions): void;
  begin(tally: Tally, now: number): void;
  /** The new facts of one job. `settled` when its standing has just changed from unfinished to another one. */
  job(job: JobView, settled: boolean): void;
  queue(status: QueueStatus): void;
  tick(now: number): void;
  readonly tickMs: number;
  /** Nothing changes after this. */
  end(): void;
  report(report: RunReport): void;
  summary(counts: Counts): void;
}
