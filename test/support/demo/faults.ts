import type { DemoClock } from '../../../src/demo/task-store.ts';
import type { MediaKind } from '../../../src/demo/models.ts';
import { faultRuleSchema, outageSchema, type Fault, type FaultRule, type Outage } from './fault-rules.ts';

export interface FaultSubject {
  method: string;
  path: string;
  prompt?: string | undefined;
  model?: string | undefined;
  kind?: MediaKind | undefined;
  taskId?: string | undefined;
}

interface ArmedRule {
  id: number;
  rule: FaultRule;
  matches: Map<string, number>;
  hits: number;
}

/** The programmable faults of one running service. The first rule that strikes a request wins. */
export class Faults {
  readonly #clock: DemoClock;
  readonly #setOpen: (isOpen: boolean) => Promise<unknown>;
  #rules: ArmedRule[] = [];
  #nextId = 1;
  currentOutage: Outage | null = null;
  #outageTimer: AbortController | null = null;

  constructor(clock: DemoClock, setOpen: (isOpen: boolean) => Promise<unknown>) {
    this.#clock = clock;
    this.#setOpen = setOpen;
  }

  /** Arms a rule and returns its number. Throws when the rule is malformed. */
  add(rule: FaultRule): number {
    const id = this.#nextId++;
    this.#rules.push({ id, rule: faultRuleSchema.parse(rule), matches: new Map(), hits: 0 });
    return id;
  }

  remove(id: number): void {
    this.#rules = this.#rules.filter((armed) => armed.id !== id);
  }

  clear(): void {
    this.#rules = [];
  }

  hits(id: number): number {
    return this.#rules.find((armed) => armed.id === id)?.hits ?? 0;
  }

  /** Everything fails until the outage is lifted or its time is over. */
  async outage(outage: Outage): Promise<void> {
    await this.lift();
    this.currentOutage = outageSchema.parse(outage);
    if (this.currentOutage.answer === 'refused') await this.#setOpen(false);
    if (outage.forMs !== undefined) this.#liftAfter(outage.forMs);
  }

  async lift(): Promise<void> {
    this.#outageTimer?.abort();
    this.#outageTimer = null;
    const ended = this.currentOutage;
    this.currentOutage = null;
    if (ended?.answer === 'refused') await this.#setOpen(true);
  }

  /** Counts a request against the rules and returns its fault, if any. `isBeforeBody`: only method and path known. */
  strike(subject: FaultSubject, isBeforeBody = false): Fault | undefined {
    for (const armed of this.#rules) {
      const isEarly = armed.rule.do.fault === 'break-request';
      if (isEarly !== isBeforeBody || !concerns(armed.rule, subject)) continue;
      const { nth = 1, times = 1, each } = armed.rule.match ?? {};
      const counter = each === 'task' ? (subject.taskId ?? subject.prompt ?? '') : '';
      const matched = (armed.matches.get(counter) ?? 0) + 1;
      armed.matches.set(counter, matched);
      const last = times === 'always' ? Number.POSITIVE_INFINITY : nth + times - 1;
      if (matched < nth || matched > last) continue;
      armed.hits += 1;
      return armed.rule.do;
    }
    return undefined;
  }

  /** Forgets a running outage without opening the port again: the service is stopping. */
  abandonOutage(): void {
    this.#outageTimer?.abort();
    this.currentOutage = null;
  }

  #liftAfter(ms: number): void {
    const timer = new AbortController();
    this.#outageTimer = timer;
    this.#clock
      .sleep(ms, { signal: timer.signal })
      .then(() => this.lift())
      .catch(() => {
        // The outage was lifted by hand, or the service stopped, before its time was over.
      });
  }
}

function concerns(rule: FaultRule, subject: FaultSubject): boolean {
  const { method, path, prompt, model, kind } = rule.match ?? {};
  return (
    (method === undefined || method.toUpperCase() === subject.method) &&
    (path === undefined || pathMatches(path, subject.path)) &&
    (prompt === undefined || (subject.prompt?.includes(prompt) ?? false)) &&
    (model === undefined || model === subject.model) &&
    (kind === undefined || kind === subject.kind)
  );
}

function pathMatches(pattern: string | RegExp, path: string): boolean {
  if (pattern instanceof RegExp) return new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, '')).test(path);
  const pieces = pattern.split('*').map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${pieces.join('.*')}$`).test(path);
}
