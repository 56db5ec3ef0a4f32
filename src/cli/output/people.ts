import type { QueueStatus } from '../../contract/events.ts';
import type { JobView } from '../../contract/job.ts';
import { t } from '../../contract/messages/words.ts';
import { remarkMessages } from '../../contract/take.ts';
import type { Output } from '../shell.ts';
import { reportLines } from './report.ts';
import { Reporter, type RunReport, type RunTally } from './reporter.ts';
import { duration, plainText, type Style } from './text.ts';
import { capLine, countsLine, failureLine, gateLine, mark, takeName, underWayLine } from './words.ts';

abstract class PeopleReporter extends Reporter {
  protected readonly style: Style;
  protected tally: RunTally | null = null;
  protected status: QueueStatus | null = null;
  #gates = new Set<string>();

  constructor(out: Output, style: Style) {
    super(out);
    this.style = style;
  }

  override say(text: string): void {
    this.out.write(`${text}\n`);
  }

  show(_objects: readonly object[], lines: (style: Style) => readonly string[]): void {
    for (const line of lines(this.style)) this.say(line);
  }

  job(job: JobView, settled: boolean): void {
    if (settled) this.say(this.settledLine(job));
  }

  queue(status: QueueStatus): void {
    this.status = status;
    this.warnOfCaps(status);
    const { gates } = status;
    // Compared by reason: the time in the line changes while the reason stays the same.
    for (const gate of gates) if (!this.#gates.has(gate.reason)) this.say(this.style.warn(gateLine(gate)));
    if (this.#gates.size > 0 && gates.length === 0) this.say(t('cli.goingOn'));
    this.#gates = new Set(gates.map((gate) => gate.reason));
  }

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
          `${this.style.good(mark('saved'))}${name}: ${job.files.map(plainText).join(', ')}${this.#remarks(job)}`,
          ...(job.notice ? [this.style.warn(`         ${failureLine(job.notice)}`)] : []),
        ].join('\n');
      case 'failed':
        return `${this.style.bad(mark('failed'))}${name}: ${job.failure ? failureLine(job.failure) : job.state}`;
      case 'unknown':
        return `${this.style.warn(mark('decide'))}${name}: ${job.failure ? failureLine(job.failure) : t('cli.notInTime')}`;
      case 'cancelled':
        return `${mark('stopped')}${name}`;
      case 'unfinished':
        return `${mark('again')}${name}`;
    }
  }

  #remarks({ remarks = [] }: JobView): string {
    if (remarks.length === 0) return '';
    const found = remarks.map((remark) => t(remarkMessages[remark])).join(', ');
    return ` ${this.style.warn(t('cli.remarks', { found }))}`;
  }
}

/** How long a log may be silent, ms: a line after this time shows that the run is alive. */
const HEARTBEAT_MS = 30_000;

export class PlainReporter extends PeopleReporter {
  readonly tickMs = 1000;
  #spokenAt = 0;
  #spoken = true;

  override say(text: string): void {
    super.say(text);
    this.#spoken = true;
  }

  override begin(tally: RunTally, now: number): void {
    this.tally = tally;
    this.#spokenAt = now;
  }

  override tick(now: number): void {
    if (this.#spoken) {
      this.#spoken = false;
      this.#spokenAt = now;
    }
    if (this.tally && now - this.#spokenAt >= HEARTBEAT_MS) {
      this.say([`… ${countsLine(this.tally.counts)}`, ...underWayLine(this.status, this.tally, now)].join('; '));
    }
  }

  override end(): void {
    this.tally = null;
  }
}

const BAR_WIDTH = 32;
/** How often the elapsed time is redrawn when nothing else happens, ms. */
const CLOCK_MS = 1000;
/** Escape sequences: the cursor up by lines, from here to the end of the screen, no wrapping of long lines, wrapping. */
const escapes = { up: (lines: number) => `\u001B[${lines}A`, erase: '\u001B[J', cut: '\u001B[?7l', wrap: '\u001B[?7h' };

const latestLine = (job: JobView): string =>
  t('cli.latest', { take: takeName(job), state: job.state.replaceAll('_', ' ') });

export class LiveReporter extends PeopleReporter {
  /** A person cannot see more than ten updates of a bar a second. */
  readonly tickMs = 100;
  #latest: JobView | null = null;
  #startedAt = 0;
  #drawnLines = 0;
  #drawnAt = 0;
  #stale = true;

  override begin(tally: RunTally, now: number): void {
    this.tally = tally;
    this.#startedAt = now;
    this.#draw(now);
  }

  override say(text: string): void {
    this.#erase();
    super.say(text);
    this.#stale = true;
  }

  override job(job: JobView, settled: boolean): void {
    this.#latest = job;
    this.#stale = true;
    // The bar counts what was saved. Only problems get a line that stays.
    if (settled && job.standing !== 'saved') super.job(job, settled);
  }

  /** Gates are part of the bar, so they disappear when they end. */
  override queue(status: QueueStatus): void {
    this.warnOfCaps(status);
    this.status = status;
    this.#stale = true;
  }

  override tick(now: number): void {
    if (this.tally && (this.#stale || now - this.#drawnAt >= CLOCK_MS)) this.#draw(now);
  }

  override end(): void {
    this.#erase();
    this.tally = null;
  }

  #draw(now: number): void {
    if (!this.tally) return;
    const lines = this.#lines(this.tally, now);
    this.out.control?.(`${this.#toTop()}${escapes.cut}`);
    this.out.write(lines.map((line) => `${line}\n`).join(''));
    this.out.control?.(escapes.wrap);
    this.#drawnLines = lines.length;
    this.#drawnAt = now;
    this.#stale = false;
  }

  #lines(tally: RunTally, now: number): string[] {
    const { style } = this;
    const total = tally.jobs.size;
    const settled = total - tally.counts.unfinished;
    const share = total === 0 ? 1 : settled / total;
    // Rounded down: a full bar means that every take is settled.
    const full = Math.floor(share * BAR_WIDTH);
    const bar = `${'█'.repeat(full)}${style.faint('░'.repeat(BAR_WIDTH - full))}`;
    const latest = this.#latest ? [latestLine(this.#latest)] : [];
    const doing = [...underWayLine(this.status, tally, now), ...latest].join('; ');
    return [
      `${bar} ${style.strong(t('common.countOf', { done: settled, total }))}  ${countsLine(tally.counts)}  ${duration(now - this.#startedAt)}`,
      ...(doing === '' ? [] : [style.faint(doing)]),
      ...(this.status?.gates ?? []).map((gate) => style.warn(gateLine(gate))),
    ];
  }

  #erase(): void {
    if (this.#drawnLines > 0) this.out.control?.(this.#toTop());
    this.#drawnLines = 0;
  }

  #toTop(): string {
    return this.#drawnLines > 0 ? `${escapes.up(this.#drawnLines)}${escapes.erase}` : '';
  }
}
