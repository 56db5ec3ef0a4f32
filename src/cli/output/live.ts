import { say } from '../../contract/messages/words.ts';
import type { QueueStatus } from '../../contract/events.ts';
import type { JobView } from '../../contract/job.ts';
import type { Tally } from '../tally.ts';
import { PeopleReporter } from './people.ts';
import { duration } from './text.ts';
import { countsLine, gateLine, takeName, underWayLine } from './words.ts';

const BAR_WIDTH = 32;
/** How often the elapsed time is redrawn when nothing else happens, ms. */
const CLOCK_MS = 1000;
/** Escape sequences: the cursor up by lines, from here to the end of the screen, no wrapping of long lines, wrapping. */
const escapes = { up: (lines: number) => `\u001B[${lines}A`, erase: '\u001B[J', cut: '\u001B[?7l', wrap: '\u001B[?7h' };

const latestLine = (job: JobView): string =>
  say('cli.latest', { take: takeName(job), state: job.state.replaceAll('_', ' ') });

export class LiveReporter extends PeopleReporter {
  /** A person cannot see more than ten updates of a bar a second. */
  readonly tickMs = 100;
  #tally: Tally | null = null;
  #status: QueueStatus | null = null;
  #latest: JobView | null = null;
  #startedAt = 0;
  #drawnLines = 0;
  #drawnAt = 0;
  #stale = true;

  override begin(tally: Tally, now: number): void {
    this.#tally = tally;
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
    this.#status = status;
    this.#stale = true;
  }

  override tick(now: number): void {
    if (this.#tally && (this.#stale || now - this.#drawnAt >= CLOCK_MS)) this.#draw(now);
  }

  override end(): void {
    this.#erase();
    this.#tally = null;
  }

  #draw(now: number): void {
    if (!this.#tally) return;
    const lines = this.#lines(this.#tally, now);
    this.out.control?.(`${this.#toTop()}${escapes.cut}`);
    this.out.write(lines.map((line) => `${line}\n`).join(''));
    this.out.control?.(escapes.wrap);
    this.#drawnLines = lines.length;
    this.#drawnAt = now;
    this.#stale = false;
  }

  #lines(tally: Tally, now: number): string[] {
    const { style } = this;
    const settled = tally.total - tally.counts.unfinished;
    const share = tally.total === 0 ? 1 : settled / tally.total;
    // Rounded down: a full bar means that every take is settled.
    const full = Math.floor(share * BAR_WIDTH);
    const bar = `${'█'.repeat(full)}${style.faint('░'.repeat(BAR_WIDTH - full))}`;
    const latest = this.#latest ? [latestLine(this.#latest)] : [];
    const doing = [...underWayLine(this.#status, tally, now), ...latest].join('; ');
    return [
      `${bar} ${style.strong(say('cli.settledOf', { settled, total: tally.total }))}  ${countsLine(tally.counts)}  ${duration(now - this.#startedAt)}`,
      ...(doing === '' ? [] : [style.faint(doing)]),
      ...(this.#status?.gates ?? []).map((gate) => style.warn(gateLine(gate))),
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
