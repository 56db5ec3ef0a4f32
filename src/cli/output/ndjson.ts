import type { RecoveryReport } from '../../engine/jobs/recovery.ts';
import type { Estimate, OutsideFile, StartPlan, PaidAgain } from '../../contract/batch.ts';
import type { Gate, QueueStatus } from '../../contract/events.ts';
import type { Counts, JobView } from '../../contract/job.ts';
import type { Defect } from '../../contract/shot.ts';
import { Reporter, type PlanCounts } from './reporter.ts';
import { CONTROLS } from './text.ts';

/** One JSON object as one line, without characters that control a terminal. */
export function jsonLine(value: object): string {
  // Of the control characters, JSON.stringify escapes only those below U+0020.
  return `${escaped(JSON.stringify(value))}\n`;
}

export const escaped = (json: string): string => json.replace(CONTROLS, escapedCharacter);

function escapedCharacter(character: string): string {
  const units = Array.from({ length: character.length }, (_, place) => character.charCodeAt(place));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

export function summaryOf({ saved, failed, unknown, cancelled, unfinished }: Counts): object {
  return { type: 'summary', saved, failed, unknown, cancelled, unfinished };
}

/**
 * Reports a run to a program: one object a line, `type` first. `docs/reference/cli.md` lists the types. The last object is the
 * summary.
 */
export class NdjsonReporter extends Reporter {
  readonly tickMs = 60_000;
  #gates = '';

  defects(defects: readonly Defect[]): void {
    for (const defect of defects) this.#line({ type: 'defect', ...defect });
  }

  paidAgain(paid: PaidAgain): void {
    this.#line({ type: 'paid_again', ...paid });
  }

  outside(files: readonly OutsideFile[]): void {
    this.#line({ type: 'outside', files });
  }

  plan(plan: PlanCounts): void {
    this.#line({ type: 'plan', ...plan });
  }

  estimate(estimate: Estimate & Pick<StartPlan, 'lasts'>): void {
    this.#line({ type: 'estimate', ...estimate });
  }

  recovery(report: RecoveryReport): void {
    this.#line({ type: 'recovery', ...report });
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

  override summary(counts: Counts): void {
    this.#line(summaryOf(counts));
  }

  #line(value: object): void {
    this.out.write(jsonLine(value));
  }
}
