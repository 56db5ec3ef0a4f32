import type { NightMessage } from '../../contract/night-messages.ts';
import { messageOf } from '../../engine/base/errors.ts';
import type { Clock, Logger } from '../../engine/base/ports.ts';
import { DeliveryError } from './delivery-error.ts';

/** Waits before the second, third, fourth and last try, ms. */
const WAITS_MS = [1000, 5000, 30_000, 120_000];
/** With more than these waiting, the oldest are dropped: the receiver has been dead for long. */
const MOST_WAITING = 20;

export interface OutboxParts {
  readonly channel: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** One try; the same message has the same id in all of them. Throws DeliveryError. */
  readonly deliver: (message: NightMessage, id: string, signal: AbortSignal) => Promise<void>;
  readonly newId: () => string;
}

/** Delivers the messages of one channel, one after the other. Only `drain` waits for it. */
export class Outbox {
  readonly #parts: OutboxParts;
  readonly #waiting: NightMessage[] = [];
  readonly #stopped = new AbortController();
  #running: Promise<void> | null = null;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  put(message: NightMessage): void {
    if (this.#stopped.signal.aborted) return;
    this.#waiting.push(message);
    if (this.#waiting.length > MOST_WAITING) this.#waiting.shift();
    this.#running ??= this.#run();
  }

  /** Resolves when nothing waits. */
  async drained(): Promise<void> {
    await this.#running;
  }

  /** Drops the messages that are not delivered yet. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) await this.#deliver(next);
    this.#running = null;
  }

  async #deliver(message: NightMessage): Promise<void> {
    const { channel, clock, logger, deliver, newId } = this.#parts;
    const { signal } = this.#stopped;
    const id = newId();
    for (const wait of [...WAITS_MS, null]) {
      if (signal.aborted) return;
      try {
        await deliver(message, id, signal);
        return;
      } catch (error) {
        const facts = { channel, event: message.event, reason: messageOf(error) };
        if (wait === null || !(error instanceof DeliveryError && error.mayPass)) {
          logger.warn('A message was not delivered', facts);
          return;
        }
        logger.debug('A message is sent again', facts);
        await clock.sleep(wait, { signal }).catch(() => undefined);
      }
    }
  }
}
