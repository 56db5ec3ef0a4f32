import type { QueueStatus } from '../../contract/events.ts';
import type { JobView } from '../../contract/job.ts';
import { t } from '../../contract/messages/words.ts';
import { remarkMessages } from '../../contract/take.ts';
import type { Output } from '../shell.ts';
import { reportLines } from './report.ts';
import { Reporter, type RunReport, type RunTally } from './reporter.ts';
import { duration, plainText, type Style } from './text.ts';
import { capLine, countsLine, failureLine, gateLine, mark, takeName, underWayLine } from './words.ts';

/** How long a log may be silent, ms: a line after this time shows that the run is alive. */
const HEARTBEAT_MS = 30_000;
const BAR_WIDTH = 32;
/** Escape sequences: the last line removed, no wrapping of long lines, wrapping. */
const escapes = { erase: '\r\u001B[K', cut: '\u001B[?7l', wrap: '\u001B[?7h' };

/** Reports a run to people: a line for each take and each reason to wait and, on a terminal, a last line with a bar. */
export class PeopleReporter extends Reporter {
  readonly tickMs: number;
  readonly #style: Style;
  readonly #isLive: boolean;
  #tally: RunTally | null = null;
  #status: QueueStatus | null = null;
  #gates = new Set<string>();
  #startedAt = 0;
  #spokenAt = 0;
  #hasSpoken = true;
  #drawn = '';

  /** `isLive`: the output is a terminal that can move its cursor. */
  constructor(out: Output, style: Style, isLive: boolean) {
    super(out);
    this.#style = style;
    this.#isLive = isLive;
    // A person cannot see more than ten updates of a bar a second.
    this.tickMs = isLive ? 100 : 1000;
  }

  override say(text: string): void {
    this.#erase();
    this.out.write(`${text}\n`);
    this.#hasSpoken = true;
  }

  show(_objects: readonly object[], lines: (style: Style) => readonly string[]): void {
    for (const line of lines(this.#style)) this.say(line);
  }

  job(job: JobView, settled: boolean): void {
    // The bar counts what was saved. Only problems get a line that stays.
    if (settled && !(this.#isLive && job.standing === 'saved')) this.say(this.#settledLine(job));
  }

  queue(status: QueueStatus): void {
    this.#status = status;
    for (const cap of this.newCaps(status)) this.say(this.#style.warn(capLine(cap, cap.currency)));
    const { gates } = status;
    // Compared by reason: the time in the line changes while the reason stays the same.
    for (const gate of gates) if (!this.#gates.has(gate.reason)) this.say(this.#style.warn(gateLine(gate)));
    if (this.#gates.size > 0 && gates.length === 0) this.say(t('cli.goingOn'));
    this.#gates = new Set(gates.map((gate) => gate.reason));
  }

  override report(report: RunReport): void {
    for (const line of reportLines(report, this.#style)) this.say(line);
  }

  override begin(tally: RunTally, now: number): void {
    this.#tally = tally;
    this.#startedAt = this.#spokenAt = now;
    this.tick(now);
  }

  override tick(now: number): void {
    if (!this.#tally) return;
    if (this.#isLive) return this.#draw(this.#tally, now);
    if (this.#hasSpoken) this.#spokenAt = now;
    this.#hasSpoken = false;
    if (now - this.#spokenAt < HEARTBEAT_MS) return;
    this.say([`… ${countsLine(this.#tally.counts)}`, ...underWayLine(this.#status, this.#tally, now)].join('; '));
  }

  override end(): void {
    this.#erase();
    this.#tally = null;
  }

  #draw(tally: RunTally, now: number): void {
    const total = tally.jobs.size;
    const settled = total - tally.counts.unfinished;
    // Rounded down: a full bar means that every take is settled.
    const full = Math.floor((total === 0 ? 1 : settled / total) * BAR_WIDTH);
    const line = [
      `${'█'.repeat(full)}${this.#style.faint('░'.repeat(BAR_WIDTH - full))}`,
      this.#style.strong(t('common.countOf', { done: settled, total })),
      ...[countsLine(tally.counts), duration(now - this.#startedAt)],
      ...underWayLine(this.#status, tally, now).map(this.#style.faint),
    ].join('  ');
    if (line === this.#drawn) return;
    this.out.control?.(`${escapes.erase}${escapes.cut}`);
    this.out.write(line);
    this.out.control?.(escapes.wrap);
    this.#drawn = line;
  }

  #erase(): void {
    if (this.#drawn !== '') this.out.control?.(escapes.erase);
    this.#drawn = '';
  }

  #settledLine(job: JobView): string {
    const name = takeName(job);
    switch (job.standing) {
      case 'saved':
        return [
          `${this.#style.good(mark('saved'))}${name}: ${job.files.map(plainText).join(', ')}${this.#remarks(job)}`,
          ...(job.notice ? [this.#style.warn(`         ${failureLine(job.notice)}`)] : []),
        ].join('\n');
      case 'failed':
        return `${this.#style.bad(mark('failed'))}${name}: ${job.failure ? failureLine(job.failure) : job.state}`;
      case 'unknown':
        return `${this.#style.warn(mark('decide'))}${name}: ${job.failure ? failureLine(job.failure) : t('cli.notInTime')}`;
      case 'cancelled':
        return `${mark('stopped')}${name}`;
      case 'unfinished':
        return `${mark('again')}${name}`;
    }
  }

  #remarks({ remarks = [] }: JobView): string {
    if (remarks.length === 0) return '';
    const found = remarks.map((remark) => t(remarkMessages[remark])).join(', ');
    return ` ${this.#style.warn(t('cli.remarks', { found }))}`;
  }
}
