import { randomUUID } from 'node:crypto';
import type { MessageChannel, NightMessage } from '../../contract/night-messages.ts';
import { orLate } from '../../engine/base/time-limit.ts';
import { toMessage } from '../../engine/base/errors.ts';
import type { Clock, Logger } from '../../engine/base/ports.ts';
import { Channels, type ChannelsParts, DeliveryError } from './channels.ts';
import { type Reported, writeReportOf } from '../../server/reports/write-report.ts';
import { type WatchedEngine, watchNight } from './watch.ts';
import type { MessageService } from '../../server/services.ts';
import { secretSources, storeSecret } from './secrets.ts';

/** A command that ends waits this long for its last messages, ms. */
const FAREWELL_MS = 4000;
const LAST_LOOK_MS = 30_000;

export interface NightMessagesParts extends ChannelsParts {
  readonly engine: WatchedEngine & Reported['engine'];
  readonly dataFolder: string;
  readonly logger: Logger;
  /** Called after each reading of the engine: whether anything goes on by itself. */
  readonly hasPendingWork?: ((hasPendingWork: boolean) => void) | undefined;
}

/** Sends the messages of a night, at once, and writes its reports. The engine never waits for it. */
export class NightMessages {
  readonly #parts: NightMessagesParts;
  readonly #channels: Channels;
  readonly #outboxes = new Map<MessageChannel, Outbox>();
  readonly #stopped = new AbortController();
  #endWatch: (() => Promise<void>) | null = null;
  #beatAt = Number.NEGATIVE_INFINITY;
  #beating: Promise<void> = Promise.resolve();
  #reporting: Promise<void> = Promise.resolve();

  constructor(parts: NightMessagesParts) {
    this.#parts = parts;
    this.#channels = new Channels(parts);
  }

  follow(): void {
    if (this.#endWatch || this.#stopped.signal.aborted) return;
    const { engine, machine, logger } = this.#parts;
    this.#endWatch = watchNight(engine, machine.clock, logger, ({ messages, projectIds, hasPendingWork }) => {
      for (const message of messages) this.#tell(message);
      if (messages.some(({ event }) => event === 'finished')) this.#report(projectIds);
      this.#parts.hasPendingWork?.(hasPendingWork);
      this.#beat(hasPendingWork);
    });
  }

  /** Looks at the engine, which must still be open, a last time. A disk that does not answer is not waited for. */
  async lookOnceMore(): Promise<void> {
    if (this.#endWatch) await orLate(this.#parts.machine.clock, LAST_LOOK_MS, this.#endWatch(), undefined);
    // Its files are written as those of takes are: whole, and for as long as that takes.
    await this.#reporting;
  }

  async stop(): Promise<void> {
    const outboxes = [...this.#outboxes.values()];
    const drained = Promise.all(outboxes.map((outbox) => outbox.drained()));
    await orLate<unknown>(this.#parts.machine.clock, FAREWELL_MS, drained, undefined);
    this.#stopped.abort();
    await Promise.all([this.#beating, ...outboxes.map((outbox) => outbox.stop())]);
  }

  /** The work in these projects is over: writes the report of each, after those that are being written. */
  #report(projectIds: readonly string[]): void {
    const { engine, dataFolder, machine, logger } = this.#parts;
    const night = engine.nights.ended(projectIds);
    const reported = { engine, host: { dataFolder, clock: machine.clock, logger } };
    for (const project of projectIds) {
      this.#reporting = this.#reporting
        .then(async () => void (await writeReportOf(reported, project, night)))
        .catch((error: unknown) => {
          // A disk that is away or full: `dailies report --html` and the window make it again.
          logger.warn('The report of a night was not written', { project, reason: toMessage(error) });
        });
    }
  }

  #tell(message: NightMessage): void {
    if (this.#stopped.signal.aborted) return;
    for (const channel of this.#channels.on()) {
      if (this.#channels.wants(channel, message)) this.#outboxOf(channel).put(message);
    }
  }

  #outboxOf(channel: MessageChannel): Outbox {
    const known = this.#outboxes.get(channel);
    if (known) return known;
    const { machine, logger } = this.#parts;
    const outbox = createOutbox({
      channel,
      clock: machine.clock,
      logger,
      deliver: (message, id, signal) => this.#channels.send(channel, message, id, signal),
    });
    this.#outboxes.set(channel, outbox);
    return outbox;
  }

  /** A failed one is not repeated: the next one follows. */
  #beat(hasPendingWork: boolean): void {
    const { machine, settings, logger } = this.#parts;
    const { url, minutes } = settings().messages.heartbeat;
    const now = machine.clock.now();
    if (url === '' || !hasPendingWork || Math.abs(now - this.#beatAt) < minutes * 60_000) return;
    this.#beatAt = now;
    this.#beating = this.#channels.beat(this.#stopped.signal).catch((error: unknown) => {
      logger.warn('The heartbeat was not delivered', { reason: toMessage(error) });
    });
  }
}

/** Waits before the second, third, fourth and last try, ms. */
const WAITS_MS = [1000, 5000, 30_000, 120_000];
/** With more than these waiting, the oldest are dropped: the receiver has been dead for long. */
const MAX_WAITING = 20;

interface OutboxParts {
  readonly channel: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** One try; the same message has the same id in all of them. Throws DeliveryError. */
  readonly deliver: (message: NightMessage, id: string, signal: AbortSignal) => Promise<void>;
}

/** Delivers the messages of one channel, one after the other. Only `drained` waits for it. */
export function createOutbox({ channel, clock, logger, deliver }: OutboxParts) {
  const waiting: NightMessage[] = [];
  const stopped = new AbortController();
  const { signal } = stopped;
  let running: Promise<void> | null = null;

  const run = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await deliverPatiently(next);
    running = null;
  };
  const deliverPatiently = async (message: NightMessage): Promise<void> => {
    const id = randomUUID();
    for (const wait of [...WAITS_MS, null]) {
      if (signal.aborted) return;
      try {
        await deliver(message, id, signal);
        return;
      } catch (error) {
        const facts = { channel, event: message.event, reason: toMessage(error) };
        if (wait === null || !(error instanceof DeliveryError && error.mayPass)) {
          logger.warn('A message was not delivered', facts);
          return;
        }
        logger.debug('A message is sent again', facts);
        await clock.sleep(wait, { signal }).catch(() => undefined);
      }
    }
  };
  return {
    put(message: NightMessage): void {
      if (signal.aborted) return;
      waiting.push(message);
      if (waiting.length > MAX_WAITING) waiting.shift();
      running ??= run();
    },
    async drained(): Promise<void> {
      await running;
    },
    async stop(): Promise<void> {
      stopped.abort();
      await running;
    },
  };
}

type Outbox = ReturnType<typeof createOutbox>;

export function messageService(ways: ChannelsParts, night: Pick<NightMessages, 'follow'>): MessageService {
  return {
    settingsChanged: () => night.follow(),
    secrets: () => secretSources(ways.machine),
    storeSecret: (channel, secret) => storeSecret(ways.machine, channel, secret),
    test: (channel) => sendTest(ways, channel),
  };
}

export function sendTest(ways: ChannelsParts, channel: MessageChannel): Promise<void> {
  const test = { event: 'test', at: ways.machine.clock.now() } as const;
  return new Channels(ways).send(channel, test, randomUUID(), new AbortController().signal);
}
