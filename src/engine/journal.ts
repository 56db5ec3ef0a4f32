import { historyText, type Actor, type CountedCode, type HistoryFacts } from '../contract/history.ts';
import type { Message } from '../contract/messages/message.ts';
import type { Cap, CapScope } from '../contract/ledger.ts';
import { moneyMessage } from '../contract/money.ts';
import type { WindowScope } from '../contract/night-window.ts';
import { MICROS } from './db/ledger-store.ts';
import type { FoundLimit } from './projects/limits.ts';
import type { HistoryStore, NoteOf } from './db/history-store.ts';
import type { JobAnswer } from './jobs/job-commands.ts';
import type { Stores } from './db/stores.ts';

interface JournalParts {
  readonly history: HistoryStore;
  readonly batches: Pick<Stores['batches'], 'get'>;
  readonly now: () => number;
  /** Runs several writes in one commit. */
  readonly inOneCommit: (work: () => void) => void;
}

/** Counts of takes that a person gave a command for. */
type TakesCode = Extract<CountedCode, `takes.${'queued' | 'retried' | 'cancelled' | 'held' | 'released' | 'moved'}`>;

/** Writes commands of people into the history, in the commit of the command. */
export class Journal {
  readonly #parts: JournalParts;

  constructor(parts: JournalParts) {
    this.#parts = parts;
  }

  readonly note: NoteOf = (code, facts, { projectId, by }) => {
    const { history, now } = this.#parts;
    history.note({ code, facts, by, at: now(), ...(projectId !== null && { projectId }) });
  };

  /** Adds takes to the line of the present minute. */
  takes(code: TakesCode, projectId: string, by: Actor): void {
    this.#count(code, { takes: 1 }, projectId, by);
  }

  /** Runs a command for one job, and counts it when it was accepted. */
  ofJob(code: TakesCode, by: Actor, command: () => JobAnswer): JobAnswer {
    return this.#counted(command, by, ({ projectId }) => this.takes(code, projectId, by));
  }

  /** The same for a decision about a submit of unknown outcome. */
  decision(action: keyof Decided, by: Actor, command: () => JobAnswer): JobAnswer {
    const facts = { ...NONE_DECIDED, takes: 1, [action]: 1 };
    return this.#counted(command, by, ({ projectId }) => this.#count('takes.decided', facts, projectId, by));
  }

  /** Notes the limits of a cap after a change. */
  cap(scope: CapScope, cap: Cap | null, currency: string, by: Actor): void {
    const place = this.#placeOf(scope);
    if (cap === null) return this.note('cap.removed', place.facts, { ...place, by });
    this.note('cap.changed', { ...place.facts, ...limitsIn(cap, currency) }, { ...place, by });
  }

  /** Notes a limit that a project's folder has brought. Returns the line. */
  found(limit: FoundLimit, currency: string): Message {
    const place = this.#placeOf(limit.scope);
    const at = { ...place, by: 'engine' } as const;
    if (limit.what === 'window') {
      const facts = { ...place.facts, isSet: limit.window === null ? 'no' : 'yes' };
      this.note('window.found', facts, at);
      return historyText('window.found', facts);
    }
    const { takes, micros } = limit.sent;
    const facts = {
      ...{ ...place.facts, ...limitsIn(limit.cap, currency) },
      ...{ sent: takes, spent: moneyMessage(micros / MICROS, currency) },
    };
    this.note('cap.found', facts, at);
    return historyText('cap.found', facts);
  }

  window(code: 'window.changed' | 'window.removed' | 'window.opened', scope: WindowScope, by: Actor): void {
    const place = this.#placeOf(scope);
    this.note(code, place.facts, { ...place, by });
  }

  #placeOf(scope: CapScope | WindowScope): {
    readonly projectId: string | null;
    readonly facts: { readonly scope: string; readonly batch: string };
  } {
    if (scope.scope === 'batch') {
      const batch = this.#parts.batches.get(scope.batchId);
      return { projectId: batch?.projectId ?? null, facts: { scope: 'batch', batch: batch?.name ?? '' } };
    }
    return {
      projectId: scope.scope === 'project' ? scope.projectId : null,
      facts: { scope: scope.scope, batch: '' },
    };
  }

  #counted(command: () => JobAnswer, by: Actor, count: (job: JobAnswer['job']) => void): JobAnswer {
    let answer: JobAnswer | undefined;
    this.#parts.inOneCommit(() => {
      answer = command();
      if (answer.ok && by !== 'engine') count(answer.job);
    });
    return answer as JobAnswer;
  }

  #count<Code extends CountedCode>(code: Code, facts: HistoryFacts<Code>, projectId: string, by: Actor): void {
    const { history, now } = this.#parts;
    history.count({ code, facts, projectId, by, at: now() });
  }
}

/** `limits`: `money`, `takes`, `both` or `none`. */
const limitsIn = ({ money, takes }: Cap, currency: string) => ({
  money: money === null ? '' : moneyMessage(money, currency),
  limits: money === null ? (takes === null ? 'none' : 'takes') : takes === null ? 'money' : 'both',
  takes: takes ?? 0,
});

type Decided = Omit<HistoryFacts<'takes.decided'>, 'takes'>;

const NONE_DECIDED: Decided = { attach: 0, accept: 0, lost: 0, resubmit: 0 };
