import { type Actor, type CountedCode, type HistoryFacts } from '../contract/history.ts';
import type { HistoryStore, NoteOf } from './db/history-store.ts';
import type { JobAnswer } from './jobs/job-commands.ts';

interface JournalParts {
  readonly history: HistoryStore;
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

type Decided = Omit<HistoryFacts<'takes.decided'>, 'takes'>;

const NONE_DECIDED: Decided = { attach: 0, accept: 0, lost: 0, resubmit: 0 };
