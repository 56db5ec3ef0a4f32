import { say, type MessageKey } from '../../contract/messages/words.ts';
import type { GlobalOptions } from '../session.ts';
import type { RecoveryReport } from '../../engine/jobs/recovery.ts';
import type { Estimate, OutsideFile, StartPlan, PaidAgain } from '../../contract/batch.ts';
import type { JobView } from '../../contract/job.ts';
import { spanInWords } from '../../contract/in-words.ts';
import { remarkMessages } from '../../contract/remarks.ts';
import type { Defect } from '../../contract/shot.ts';
import type { QueueStatus } from '../../contract/events.ts';
import type { Output } from '../shell.ts';
import type { Tally } from '../tally.ts';
import { reportLines } from './report.ts';
import { Reporter, type PlanCounts, type RunReport } from './reporter.ts';
import { padded, plainText, type Style } from './text.ts';
import {
  capLine,
  defectLines,
  estimateLines,
  failureLine,
  gateLine,
  outsideLines,
  paidAgainLine,
  recoveryLines,
  takeName,
  countsLine,
  underWayLine,
} from './words.ts';

export abstract class PeopleReporter extends Reporter {
  protected readonly style: Style;
  #gates = new Set<string>();

  constructor(out: Output, style: Style) {
    super(out);
    this.style = style;
  }

  override say(text: string): void {
    this.out.write(`${text}\n`);
  }

  defects(defects: readonly Defect[]): void {
    const errors = defects.filter((defect) => defect.severity === 'error');
    const warnings = defects.filter((defect) => defect.severity === 'warning');
    for (const line of defectLines(errors)) this.say(`${this.style.bad(mark('cli.markError'))}${line}`);
    for (const line of defectLines(warnings)) this.say(`${this.style.warn(mark('cli.markWarning'))}${line}`);
  }

  paidAgain(paid: PaidAgain): void {
    this.say(`${this.style.warn(mark('cli.markWarning'))}${paidAgainLine(paid)}`);
  }

  outside(files: readonly OutsideFile[]): void {
    this.say(`${this.style.warn(mark('cli.markWarning'))}${outsideLines(files).join('\n')}`);
  }

  plan({ batch, added, changed, unchanged, removed, newTakes, waiting }: PlanCounts): void {
    const shots = added + changed + unchanged + removed;
    const name = this.style.strong(plainText(batch));
    this.say(say('cli.plan', { batch: name, added, changed, unchanged, removed, shots, newTakes, waiting }));
  }

  estimate({ lasts, ...estimate }: Estimate & Pick<StartPlan, 'lasts'>): void {
    for (const line of estimateLines(estimate)) this.say(line);
    if (estimate.newTakes === 0) return;
    this.say(lasts === null ? say('start.lastsUnknown') : say('start.lasts', { span: spanInWords(lasts) }));
  }

  recovery(report: RecoveryReport, options: GlobalOptions): void {
    for (const line of recoveryLines(report, options)) this.say(this.style.warn(line));
  }

  job(job: JobView, settled: boolean): void {
    if (settled) this.say(this.settledLine(job));
  }

  queue(status: QueueStatus): void {
    this.warnOfCaps(status);
    const { gates } = status;
    // Compared by reason: the time in the line changes while the reason stays the same.
    for (const gate of gates) if (!this.#gates.has(gate.reason)) this.say(this.style.warn(gateLine(gate)));
    if (this.#gates.size > 0 && gates.length === 0) this.say(say('cli.goingOn'));
    this.#gates = new Set(gates.map((gate) => gate.reason));
  }

  /** Shows each cap only once. */
  protected warnOfCaps(status: QueueStatus): void {
    for (const cap of this.newCaps(status)) this.say(this.style.warn(capLine(cap, cap.currency)));
  }

  override report(report: RunReport): void {
    for (const line of reportLines(report, this.style)) this.say(line);
  }

  protected settledLine(job: JobView): string {
    const name = takeName(job);
    switch (job.standing) {
      case 'saved':
        return [
          `${this.style.good(mark('cli.markSaved'))}${name}: ${job.files.map(plainText).join(', ')}${this.#remarks(job)}`,
          ...(job.notice ? [this.style.warn(`         ${failureLine(job.notice)}`)] : []),
        ].join('\n');
      case 'failed':
        return `${this.style.bad(mark('cli.markFailed'))}${name}: ${job.failure ? failureLine(job.failure) : job.state}`;
      case 'unknown':
        return `${this.style.warn(mark('cli.markDecide'))}${name}: ${job.failure ? failureLine(job.failure) : say('cli.notInTime')}`;
      case 'cancelled':
        return `${mark('cli.markStopped')}${name}`;
      case 'unfinished':
        return `${mark('cli.markAgain')}${name}`;
    }
  }

  #remarks({ remarks = [] }: JobView): string {
    if (remarks.length === 0) return '';
    const found = remarks.map((remark) => say(remarkMessages[remark])).join(', ');
    return ` ${this.style.warn(say('cli.remarks', { found }))}`;
  }
}

type Mark = Extract<MessageKey, `cli.mark${string}`>;

const mark = (what: Mark): string => padded(say(what), 9);

/** How long a log may be silent, ms: a line after this time shows that the run is alive. */
const HEARTBEAT_MS = 30_000;

export class PlainReporter extends PeopleReporter {
  readonly tickMs = 1000;
  #tally: Tally | null = null;
  #status: QueueStatus | null = null;
  #spokenAt = 0;
  #spoken = true;

  override say(text: string): void {
    super.say(text);
    this.#spoken = true;
  }

  override begin(tally: Tally, now: number): void {
    this.#tally = tally;
    this.#spokenAt = now;
  }

  override queue(status: QueueStatus): void {
    this.#status = status;
    super.queue(status);
  }

  override tick(now: number): void {
    if (this.#spoken) {
      this.#spoken = false;
      this.#spokenAt = now;
    }
    if (this.#tally && now - this.#spokenAt >= HEARTBEAT_MS) {
      this.say([`… ${countsLine(this.#tally.counts)}`, ...underWayLine(this.#status, this.#tally, now)].join('; '));
    }
  }

  override end(): void {
    this.#tally = null;
  }
}
