import type { Json } from '../contract/json.ts';
import type { BudgetLimit, BudgetScope } from '../contract/studio.ts';

/**
 * The words of a studio.
 *
 * A take is `waiting` until a machine is handed it (`held`). It becomes `granted` with the right to send one request, and
 * `sent` once the service has accepted that. Then it is `done`, with its outcome. `unclear` waits for a person: a request
 * may have been charged. Each hand-over gives the take a new epoch; who names an older one is refused.
 */
export type TakeState = 'waiting' | 'held' | 'granted' | 'sent' | 'done' | 'cancelled' | 'unclear';

/** An account as every machine of the studio knows it. The key stays in each machine's keychain. */
export interface StudioAccount {
  readonly name: string;
  readonly address: string;
}

/** What this machine has seen of the database. A database that knows less was restored from a backup. */
export interface StudioSeen {
  readonly studio: string | null;
  /** The highest sequence of a grant, of any machine. */
  readonly grants: number;
  /** The highest sequence of this machine's own facts that the database has stored. */
  readonly facts: number;
  /** The newest change of a take. */
  readonly changes: number;
}

export interface StudioProject {
  readonly id: string;
  readonly name: string;
  /** The name of a root, such as `nas`, and the path below it, with forward slashes. */
  readonly root: string;
  readonly path: string;
}

export interface StudioBatch {
  readonly id: string;
  readonly name: string;
  readonly project: StudioProject;
  /** The list as it was sent, for the machines that work on it. */
  readonly list: Json;
}

export interface NewStudioTake {
  readonly id: string;
  readonly shotKey: string;
  readonly account: StudioAccount;
  readonly model: string;
  /** Millionths of the studio's currency; null where no price is known. */
  readonly priceMicros: number | null;
  /** Within the takes of one person; 0 where nobody chose. Higher goes first. */
  readonly priority: number;
  readonly isHeld: boolean;
  /** For another shot or a person: no machine is handed it yet. */
  readonly waits: boolean;
  /** All that a machine needs to make it: the shot, its settings, its media by root and path. */
  readonly spec: Json;
}

/** A take that was handed to this machine. */
export interface HeldTake {
  readonly id: string;
  readonly epoch: number;
  readonly project: StudioProject;
  readonly batch: { readonly id: string; readonly name: string };
  readonly shotKey: string;
  readonly account: StudioAccount;
  readonly model: string;
  readonly priceMicros: number | null;
  readonly person: string;
  readonly spec: Json;
  /** The request that another machine sent and no longer follows; null for a take that is to be sent. */
  readonly sent: { readonly attemptId: string; readonly taskId: string; readonly isAttached: boolean } | null;
}

export interface GrantRequest {
  readonly takeId: string;
  readonly epoch: number;
  /** A new id for each request. After a COMMIT without an answer, the same id is asked again. */
  readonly attemptId: string;
  readonly bodyHash: string;
  readonly model: string;
  /** Of the request itself; the one the take was queued with counts where it is higher. */
  readonly priceMicros: number | null;
  /** That the request goes to. A take is sent with the account it was queued for, or not at all. */
  readonly account: StudioAccount;
}

/** What a person must do, or wait for, before the take may be sent. */
type GrantWait = 'rate' | 'throttled' | 'ceiling';
type GrantRefusal =
  | 'fenced'
  | 'not_owner'
  | 'other_account'
  | 'cancelled'
  | 'on_hold'
  | 'budget'
  | 'unpriced'
  | 'attempt_open'
  | 'attempt_used'
  | 'halted';

export type Grant =
  | { readonly kind: 'granted'; readonly sequence: number; readonly night: string }
  | { readonly kind: 'wait'; readonly why: GrantWait; readonly ms: number }
  | {
      readonly kind: 'refused';
      readonly why: GrantRefusal;
      readonly budget: Pick<BudgetState, 'scope' | 'name' | 'limit' | 'used'> | null;
    };

/** What became of a take at this machine. Facts have a sequence of their machine's outbox, and may be told twice. */
export type StudioFact = {
  readonly sequence: number;
  readonly takeId: string;
  readonly epoch: number;
  /** When it happened by the machine's clock, ms; for people only. */
  readonly at: number;
} & (
  | { readonly kind: 'not_sent'; readonly attemptId: string }
  | { readonly kind: 'accepted'; readonly attemptId: string; readonly taskId: string }
  | { readonly kind: 'unclear'; readonly attemptId: string }
  /** The service refused it, or its task failed. `isCharged`: the price stays reserved. */
  | { readonly kind: 'failed'; readonly attemptId: string | null; readonly isCharged: boolean; readonly detail: Json }
  /** `detail`: outputs and what else a window shows of a take that another machine made. */
  | { readonly kind: 'saved'; readonly attemptId: string; readonly priceMicros: number | null; readonly detail: Json }
  | { readonly kind: 'cancelled' }
  /** Back to the queue, unsent. */
  | { readonly kind: 'released' }
  /** A state to show elsewhere; changes nothing in the queue. */
  | { readonly kind: 'note'; readonly detail: Json }
  | { readonly kind: 'judged'; readonly verdict: Json }
);

/** One change of a take, for the rows of other machines. */
export interface StudioChange {
  readonly sequence: number;
  readonly takeId: string;
  readonly projectId: string;
  readonly batchId: string;
  readonly batchName: string;
  readonly shotKey: string;
  readonly state: TakeState;
  readonly epoch: number;
  readonly outcome: 'saved' | 'failed' | null;
  readonly isOnHold: boolean;
  readonly waits: boolean;
  readonly machine: string | null;
  readonly person: string;
  /** The newest fact with a detail. */
  readonly detail: Json;
  /** What people think of it, and who said so last; null where nobody has. */
  readonly verdict: Json;
  readonly judge: string | null;
  /** What the take was queued with; null once there is a detail. Other machines number their takes by it. */
  readonly spec: Json;
}

/** A command about a take that this machine has. */
interface PendingCommand {
  readonly takeId: string;
  readonly epoch: number;
  readonly isCancelled: boolean;
  readonly isOnHold: boolean;
}

export interface Heartbeat {
  /** This machine was declared dead: it publishes nothing, and joins again. */
  readonly isFenced: boolean;
  /** The database was restored; nothing is sent until it is reconciled. */
  readonly isHalted: boolean;
  readonly commands: readonly PendingCommand[];
  /** Epochs of all takes that this machine owns: a take that is missing is no longer its own. */
  readonly owned: ReadonlyMap<string, number>;
  /** Those of them that no request is out for: what may have been announced was not sent. */
  readonly unsent: ReadonlySet<string>;
  readonly seen: StudioSeen;
  /** Accounts that wait after a 429, or are full. */
  readonly accounts: readonly AccountState[];
}

export interface AccountState extends StudioAccount {
  readonly notBeforeMs: number;
  readonly inFlight: number;
  readonly ceilings: Readonly<Record<string, number>>;
  readonly intervalMs: number;
  readonly rate: StudioRate;
}

/** Requests a second, of all machines together. */
export interface StudioRate {
  readonly submits: number | null;
  readonly polls: number | null;
  readonly uploads: number | null;
}

export type SlotKind = 'poll' | 'upload';

/** Requests that this machine may begin in the second that starts in `inMs`. */
export interface Slots {
  readonly count: number;
  readonly inMs: number;
}

/** A 429. `isCount`: the service runs no more tasks of the model, so its rate stays. */
export interface Throttled {
  readonly account: StudioAccount;
  readonly model: string | null;
  readonly retryAfterMs: number;
  readonly isCount: boolean;
}

export interface BudgetState {
  readonly scope: BudgetScope['scope'] | 'batch';
  /** Of the person, the id of a project or batch, or the date of the night. */
  readonly name: string;
  /** What people call it. */
  readonly title: string;
  readonly limit: BudgetLimit;
  readonly used: { readonly takes: number; readonly micros: number };
  /** How many takes wait because it is used up, by the id of their batch. */
  readonly waiting: Readonly<Record<string, number>>;
}

export interface StudioPerson {
  readonly name: string;
  readonly weight: number;
  readonly waiting: number;
  readonly inFlight: number;
  readonly done: number;
}

export interface StudioMachine {
  readonly name: string;
  readonly person: string;
  readonly isFenced: boolean;
  /** Since its last heartbeat, ms. */
  readonly silentMs: number;
  readonly held: number;
  readonly granted: number;
  readonly sent: number;
  /** After a restore: it has told what it knows. */
  readonly hasReconciled: boolean;
}

export interface StudioStatus {
  readonly studio: string;
  readonly version: number;
  readonly isHalted: boolean;
  /** The machine that noticed the restore; null where the database did so itself. */
  readonly haltedBy: string | null;
  readonly takes: Readonly<Record<TakeState, number>>;
  readonly machines: readonly StudioMachine[];
  readonly people: readonly StudioPerson[];
  readonly accounts: readonly AccountState[];
  readonly budgets: readonly BudgetState[];
  readonly projects: readonly StudioProject[];
}

/** What came of a list that was handed over. */
export interface Enqueued {
  readonly queued: number;
  /** Takes that the studio has already under other ids: another person handed the list over first. */
  readonly leftOut?: readonly string[];
}

/** What one machine knows of a time that a restored database has forgotten. */
export interface StudioKnowledge {
  readonly batches: readonly {
    readonly batch: StudioBatch;
    /** Who queued these takes of it; left out where that is not known, and the teller's own person takes them. */
    readonly person?: string | undefined;
    /** The cap of the list. */
    readonly budget?: BudgetLimit | undefined;
    /** Those that are on hold here go on hold there. */
    readonly takes: readonly NewStudioTake[];
  }[];
  /**
   * Takes that this machine works on or made, and those of others that were cancelled. What the backup gives to another
   * machine becomes unclear at most.
   */
  readonly takes: readonly {
    readonly takeId: string;
    readonly epoch: number;
    readonly attempt: (GrantRequest & { readonly taskId: string | null; readonly isOpen: boolean }) | null;
    readonly state: 'held' | 'granted' | 'sent' | 'done' | 'cancelled' | 'unclear';
    readonly outcome: 'saved' | 'failed' | null;
  }[];
}

export interface ProjectClaim {
  /** This machine writes batch files, manifest and arrangement, until the time is over. */
  readonly isWriter: boolean;
  readonly epoch: number;
  readonly writer: string;
  readonly forMs: number;
}

/** What others of the studio are told at once: look again. */
export type StudioNotice =
  | { readonly kind: 'work' }
  | { readonly kind: 'commands'; readonly machine: string }
  | { readonly kind: 'changes' }
  | { readonly kind: 'throttled'; readonly account: string }
  | { readonly kind: 'halted' }
  | { readonly kind: 'reconnected' };
