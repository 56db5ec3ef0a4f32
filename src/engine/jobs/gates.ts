import { messageFor, type Text } from '../../contract/messages/message.ts';
import type { StepReport } from '../machine/job-facts.ts';
import type { Gate } from '../../contract/events.ts';
import { createBreaker, type Breaker } from '../api/breaker.ts';
import type { Step } from '../db/job-store.ts';
import type { HeldBy } from '../machine/run-monitor.ts';

/** While the service cannot be reached: first wait and longest wait before the next submit, ms. */
const FIRST_REST_MS = 1000;
const MAX_REST_MS = 60_000;

export type Halt = 'key_refused' | 'key_missing' | 'no_credit' | 'database';

/** What each of them stops: fetching results needs no key; an empty account may still ask about tasks it paid for. */
const halts: Readonly<Record<Halt, ReadonlySet<Step>>> = {
  key_refused: new Set(['prepare', 'submit', 'poll']),
  key_missing: new Set(['prepare', 'submit', 'poll']),
  no_credit: new Set(['prepare', 'submit']),
  database: new Set(['prepare', 'submit', 'poll', 'download']),
};

/** What holds back the queue or one kind of step, and why: for people, and for when the scheduler looks again. Pure. */
export class Gates {
  #breaker: Breaker = createBreaker();
  #halted: (Gate & { readonly reason: Halt }) | null = null;
  #pausedByUser = false;
  #unreachable: { readonly tries: number; readonly until: number; readonly message: Text } | null = null;

  note(step: Step, report: StepReport, now: number): void {
    switch (report.saw) {
      case 'answer':
        this.#unreachable = null;
        if (step === 'submit') this.#breaker.onOutcome('clear', now);
        return;
      case 'unclear_answer':
        this.#breaker.onOutcome('unclear', now);
        return;
      case 'no_connection':
        this.#rest(report.message, now);
        return;
      case 'key_refused':
        this.halt('key_refused', messageFor('failure.keyRejected', { reason: report.message }));
        return;
      case 'no_credit':
        this.halt('no_credit', messageFor('waiting.noCredit', { reason: report.message }));
        return;
      default:
      // Not about this service.
    }
  }

  /** Stops every step that `halts` lists for the reason until a person has acted. */
  halt(reason: Halt, message: Text): void {
    // An empty account stops the fewest steps, so any other reason replaces it.
    if (!this.#halted || this.#halted.reason === 'no_credit') this.#halted = { reason, message, until: null };
  }

  setPausedByUser(paused: boolean): void {
    this.#pausedByUser = paused;
    // Resuming after a refused key means that the key was changed.
    if (!paused) this.keyChanged();
  }

  get isPausedByUser(): boolean {
    return this.#pausedByUser;
  }

  /** Another key, or a person resumed the queue. A failed database needs a restart. */
  keyChanged(): void {
    if (this.#halted?.reason !== 'database') this.#halted = null;
    this.#unreachable = null;
  }

  /** The address changed: how the service at the old one answered says nothing about this one. */
  addressChanged(): void {
    this.keyChanged();
    this.#breaker = createBreaker();
  }

  tryNow(now: number): void {
    this.#unreachable = null;
    const { probeAt, ...breaker } = this.#breaker.snapshot();
    if (probeAt !== null) this.#breaker = createBreaker({ ...breaker, probeAt: Math.min(probeAt, now) });
  }

  stops(step: Step, { halts: byHalt = false, pause = false }: HeldBy): boolean {
    if (byHalt && this.#halted && halts[this.#halted.reason].has(step)) return true;
    return pause && this.#pausedByUser && (step === 'submit' || step === 'prepare');
  }

  before(step: Step, now: number): Gate | null {
    if (this.#halted && halts[this.#halted.reason].has(step)) return this.#halted;
    if (step !== 'submit' && step !== 'prepare') return null;
    if (this.#pausedByUser) return { reason: 'paused_by_user', message: messageFor('waiting.paused'), until: null };
    if (this.#unreachable && this.#unreachable.until > now) return this.#unreachableGate(this.#unreachable);
    const allowed = this.#breaker.allow(now);
    if (allowed.ok || step === 'prepare') return null;
    return {
      reason: 'breaker',
      message: messageFor('waiting.noClearAnswers'),
      until: allowed.probeAt,
    };
  }

  probeIsDue(now: number): boolean {
    const allowed = this.#breaker.allow(now);
    return !allowed.ok && allowed.probeDue;
  }

  onProbe(answered: boolean, now: number): void {
    this.#breaker.onProbe(answered, now);
  }

  closed(now: number): Gate[] {
    const gates = (['prepare', 'submit', 'poll', 'download'] as const).flatMap((step) => this.before(step, now) ?? []);
    return gates.filter((gate, index) => gates.findIndex((other) => other.reason === gate.reason) === index);
  }

  halted(): (Gate & { readonly reason: Halt }) | null {
    return this.#halted;
  }

  #rest(message: Text, now: number): void {
    // When a connection breaks, several requests fail together: that is one outage.
    if (this.#unreachable && this.#unreachable.until > now) return;
    const tries = (this.#unreachable?.tries ?? 0) + 1;
    const until = now + Math.min(MAX_REST_MS, FIRST_REST_MS * 2 ** (tries - 1));
    this.#unreachable = { tries, until, message };
  }

  #unreachableGate({ message, until }: { message: Text; until: number }): Gate {
    return { reason: 'unreachable', message: messageFor('waiting.unreachable', { reason: message }), until };
  }
}
