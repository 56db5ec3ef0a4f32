import type { QueueStatus } from '../../contract/events.ts';
import type { Tally } from '../tally.ts';
import { PeopleReporter } from './people.ts';
import { countsLine, underWayLine } from './words.ts';

/** How long a log may be silent, ms: whoever reads it wants to know that somebody is at work. */
const HEARTBEAT_MS = 30_000;

/** A line for each take that settles and for each reason to wait; for logs and pipes. */
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

  begin(tally: Tally, now: number): void {
    this.#tally = tally;
    this.#spokenAt = now;
  }

  override queue(status: QueueStatus): void {
    this.#status = status;
    super.queue(status);
  }

  tick(now: number): void {
    if (this.#spoken) {
      this.#spoken = false;
      this.#spokenAt = now;
    }
    if (this.#tally && now - this.#spokenAt >= HEARTBEAT_MS) {
      this.say([`… ${countsLine(this.#tally.counts)}`, ...underWayLine(this.#status, this.#tally)].join('; '));
    }
  }

  end(): void {
    this.#tally = null;
  }
}
