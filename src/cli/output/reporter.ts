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

/** What is told at the end of a run. */
export interface RunReport {
  readonly title: string;
  readonly tally: Tally;
  readonly elapsedMs: number;
  /** Absolute folders with the files, each with its manifest when it has one. */
  readonly folders: readonly { readonly folder: string; readonly manifest: string }[];
  /** Why the queue stopped by itself, if it did. */
  readonly halted: Gate | null;
  readonly interrupted: boolean;
  /** Who goes on with it when this command ends: `process 4711 (dailies serve)`; null when nobody does. */
  readonly sharedBy: string | null;
  /** The command that goes on with what is left. */
  readonly goOn: string;
  readonly options: GlobalOptions;
}

/** Reports a run to a person at a terminal, a person reading a log, or a program. */
export interface Reporter {
  /** A line for people. */
  say(text: string): void;
  defects(defects: readonly Defect[]): void;
  /** What was made already and would be paid for again. */
  paidAgain(paid: PaidAgain): void;
  /** Files outside that a person has to agree to first. */
  outside(files: readonly OutsideFile[]): void;
  plan(plan: PlanCounts): void;
  /** What the new takes of a dry run come to. */
  estimate(estimate: Estimate & Pick<StartPlan, 'lasts'>): void;
  recovery(report: RecoveryReport, options: GlobalOptions): void;
  begin(tally: Tally, now: number): void;
  /** EngineEvents of one job. `settled` when its standing just changed to one that is not unfinished. */
  job(job: JobView, settled: boolean): void;
  queue(status: QueueStatus): void;
  /** Called every `tickMs` while a run goes on. */
  tick(now: number): void;
  readonly tickMs: number;
  /** Nothing moves any more. */
  end(): void;
  report(report: RunReport): void;
  /** The last thing that is told, whatever happened. */
  summary(counts: Counts): void;
}
