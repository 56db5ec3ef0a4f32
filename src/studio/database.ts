import type { Logger } from '../engine/base/ports.ts';
import type { StudioAddress } from './address.ts';
import type {
  BudgetLimit,
  BudgetScope,
  BudgetState,
  DeclaredDead,
  Grant,
  GrantRequest,
  Heartbeat,
  HeldTake,
  NewStudioTake,
  ProjectClaim,
  QueuedTake,
  SlotKind,
  Slots,
  StudioAccount,
  StudioBatch,
  StudioChange,
  StudioFact,
  StudioKnowledge,
  StudioNotice,
  StudioPerson,
  StudioProject,
  StudioSeen,
  StudioStatus,
  StudioWish,
  Throttled,
} from './types.ts';

export interface StudioOptions {
  readonly address: StudioAddress;
  readonly password: string | null;
  readonly machine: string;
  readonly person: string;
  readonly logger: Logger;
  readonly seen: StudioSeen;
  /** Connections at once, without the one that listens. */
  readonly connections?: number;
}

/** Connects and checks versions. Throws StudioError; of a database that was restored, only once it is asked for work. */
export async function connectStudio(_options: StudioOptions): Promise<StudioDatabase> {
  throw new Error('not built yet');
}

/** One studio's database as one machine uses it. Every call throws StudioError; `isAway` says that it may be tried again. */
export class StudioDatabase {
  /** Stores a batch and its takes, in one transaction; told again, it adds what is missing. */
  enqueue(_batch: StudioBatch, _takes: readonly NewStudioTake[], _budget?: BudgetLimit): Promise<{ queued: number }> {
    throw new Error('not built yet');
  }

  /** Takes whose project is under one of these roots and whose account this machine has the key of. */
  takeNext(_roots: readonly string[], _accounts: readonly StudioAccount[], _limit: number): Promise<HeldTake[]> {
    throw new Error('not built yet');
  }

  /** Takes that were sent by a machine that was declared dead: they are followed free of charge. */
  adoptSent(_roots: readonly string[], _accounts: readonly StudioAccount[], _limit: number): Promise<HeldTake[]> {
    throw new Error('not built yet');
  }

  /** The right to send one request. After an error with `isAway`, ask again with the same attempt. */
  grant(_request: GrantRequest): Promise<Grant> {
    throw new Error('not built yet');
  }

  /** Stores facts of this machine's outbox. Returns the highest sequence that is stored. */
  report(_facts: readonly StudioFact[]): Promise<number> {
    throw new Error('not built yet');
  }

  /** Changes after a sequence, at most `limit`, oldest first; of all projects, or of these. */
  changesSince(_sequence: number, _projectIds?: readonly string[], _limit?: number): Promise<StudioChange[]> {
    throw new Error('not built yet');
  }

  /** Says that this machine lives, and returns what concerns it. Every few seconds, and after a notice `wishes`. */
  heartbeat(): Promise<Heartbeat> {
    throw new Error('not built yet');
  }

  /** What a person wants of takes, by id; returns how many it concerns. */
  wish(_takeIds: readonly string[], _wish: StudioWish): Promise<number> {
    throw new Error('not built yet');
  }

  reserveSlots(_account: StudioAccount, _kind: SlotKind, _count: number): Promise<Slots> {
    throw new Error('not built yet');
  }

  throttled(_answer: Throttled): Promise<void> {
    throw new Error('not built yet');
  }

  /** Puts back what was lost: takes of silent machines that hold them unsent, and takes that pg-boss forgot. */
  sweep(): Promise<{ returned: number; requeued: number }> {
    throw new Error('not built yet');
  }

  /** This machine works in a project; the first one writes its shared files, until it stops asking. Renew every 20 s. */
  claimProject(_project: StudioProject): Promise<ProjectClaim> {
    throw new Error('not built yet');
  }

  status(): Promise<StudioStatus> {
    throw new Error('not built yet');
  }

  queue(_limit: number): Promise<QueuedTake[]> {
    throw new Error('not built yet');
  }

  people(): Promise<StudioPerson[]> {
    throw new Error('not built yet');
  }

  setWeight(_person: string, _weight: number): Promise<void> {
    throw new Error('not built yet');
  }

  budgets(): Promise<BudgetState[]> {
    throw new Error('not built yet');
  }

  setBudget(_scope: BudgetScope, _limit: Partial<BudgetLimit>): Promise<BudgetState> {
    throw new Error('not built yet');
  }

  declareDead(_machine: string): Promise<DeclaredDead> {
    throw new Error('not built yet');
  }

  /** Tells a restored database what this machine knows. */
  tell(_known: StudioKnowledge): Promise<void> {
    throw new Error('not built yet');
  }

  /** Ends the halt once every machine has told; returns those that have not. */
  reconcile(): Promise<{ missing: readonly string[] }> {
    throw new Error('not built yet');
  }

  /** Calls `onNotice` as notices come, over a connection of its own that reconnects; `reconnected` says that some were missed. */
  listen(_onNotice: (notice: StudioNotice) => void): Promise<void> {
    throw new Error('not built yet');
  }

  get seen(): StudioSeen {
    throw new Error('not built yet');
  }

  close(): Promise<void> {
    throw new Error('not built yet');
  }
}
