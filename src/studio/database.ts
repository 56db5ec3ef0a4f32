import { randomUUID } from 'node:crypto';
import type { ClientBase } from 'pg';
import type { Logger } from '../engine/base/ports.ts';
import type { TakeCommand } from '../engine/jobs/studio-ports.ts';
import type { BudgetLimit, BudgetScope, DeclaredDead } from '../contract/studio.ts';
import type { StudioAddress } from './address.ts';
import { StudioConnection } from './connection.ts';
import { StudioError } from './errors.ts';
import { checkVersion } from './schema/migrate.ts';
import { ACCOUNT_ID, CHANGES, HAND_OUT, HELD_TAKES, STATUS, type StatusRow, toStatus } from './reads.ts';
import type {
  BudgetState,
  Enqueued,
  Grant,
  GrantRequest,
  Heartbeat,
  HeldTake,
  NewStudioTake,
  ProjectClaim,
  SlotKind,
  Slots,
  StudioAccount,
  StudioBatch,
  StudioChange,
  StudioFact,
  StudioKnowledge,
  StudioNotice,
  StudioProject,
  StudioRate,
  StudioSeen,
  StudioStatus,
  TakeState,
  Throttled,
} from './types.ts';

export interface StudioOptions {
  readonly address: StudioAddress;
  readonly password: string | null;
  /** Null for commands that only look, or that the admin gives. */
  readonly machine: { readonly name: string; readonly instance: string } | null;
  readonly logger: Logger;
  readonly seen: StudioSeen;
  /** Connections at once, without the one that listens. */
  readonly connections?: number;
}

export const NOTHING_SEEN: StudioSeen = { studio: null, grants: 0, facts: 0, changes: 0 };

/** Connects and checks versions. Throws StudioError; a halt is not one: see `isHalted`. */
export async function connectStudio(options: StudioOptions): Promise<StudioDatabase> {
  const studio = new StudioDatabase(options);
  try {
    await studio.greet();
    return studio;
  } catch (error) {
    await studio.close();
    throw error;
  }
}

interface Greeting {
  readonly studio: string;
  readonly isJoined: boolean;
  readonly isHalted: boolean;
  readonly isFenced: boolean;
  readonly isAdmin: boolean;
  readonly facts: number;
}

/** Takes of one transaction, at most; far below what a statement may take. */
const TAKES_AT_ONCE = 500;

/** One studio's database as one machine uses it. Every call throws StudioError; `isAway` says that it may be tried again. */
export class StudioDatabase {
  readonly address: StudioAddress;
  readonly #connection: StudioConnection;
  readonly #machine: StudioOptions['machine'];
  /** Of this process: where a second one uses the name of a machine, one of them is refused. */
  readonly #run = randomUUID();
  #seen: StudioSeen;
  #greeting: Greeting | null = null;

  constructor({ address, password, machine, logger, seen, connections = 4 }: StudioOptions) {
    this.address = address;
    this.#machine = machine;
    this.#seen = seen;
    const name = machine === null ? 'dailies' : `dailies ${machine.name}`;
    this.#connection = new StudioConnection({ address, password, name }, connections, logger, (client) =>
      this.#greet(client),
    );
  }

  /** What this machine has seen of the database, to be kept in its data folder and given at the next start. */
  get seen(): StudioSeen {
    return this.#seen;
  }

  /** The database was restored; nothing is sent until `reconcile`. As of the newest connection or heartbeat. */
  get isHalted(): boolean {
    return this.#greeting?.isHalted === true;
  }

  /** This machine was declared dead. Its takes are no longer its own; it joins again to work on. */
  get isFenced(): boolean {
    return this.#greeting?.isFenced === true;
  }

  get isAdmin(): boolean {
    return this.#greeting?.isAdmin === true;
  }

  async greet(): Promise<void> {
    await this.#connection.rows('SELECT 1');
  }

  async #greet(client: ClientBase): Promise<void> {
    await checkVersion(client);
    const { rows } = await client.query<{ value: Greeting }>('SELECT dailies.hello($1, $2, $3, $4) AS value', [
      this.#machine?.name ?? null,
      this.#machine?.instance ?? null,
      toJson(this.#seen),
      this.#run,
    ]);
    const greeting = rows[0]?.value;
    if (!greeting) throw new StudioError('studio_missing');
    this.#greeting = greeting;
    if (this.#machine && !greeting.isJoined && !greeting.isHalted) {
      throw new StudioError('studio_not_joined', { name: this.#machine.name });
    }
    // What a data folder that was itself restored forgot, the studio knows: its outbox goes on after that.
    this.#sees({ studio: greeting.studio, facts: greeting.facts });
  }

  #sees(seen: Partial<StudioSeen>): void {
    const { studio, grants, facts, changes } = this.#seen;
    // Another generation counts from what it was told; what was seen of the one before is over.
    if (seen.studio !== undefined && studio !== null && seen.studio !== studio && !this.isHalted) {
      this.#seen = { ...NOTHING_SEEN, ...seen };
      return;
    }
    this.#seen = {
      studio: this.isHalted && studio !== null ? studio : (seen.studio ?? studio),
      grants: Math.max(grants, seen.grants ?? 0),
      facts: Math.max(facts, seen.facts ?? 0),
      changes: Math.max(changes, seen.changes ?? 0),
    };
  }

  get #name(): string {
    if (this.#machine === null) throw new StudioError('studio_not_joined', { name: '' });
    return this.#machine.name;
  }

  /** Takes or keeps names for a person and a machine; a machine that was declared dead lives again. */
  async join(person: string, machine: string, instance: string): Promise<void> {
    await this.#connection.value('join_studio', person, machine, instance);
  }

  /** Stores a batch and its takes, in one transaction; called again, it adds what is missing. */
  async enqueue(batch: StudioBatch, takes: readonly NewStudioTake[], budget?: BudgetLimit): Promise<Enqueued> {
    const call = 'SELECT dailies.enqueue($1, $2, $3, $4) AS value';
    const facts = [this.#name, toJson(batch)];
    const limit = budget === undefined ? null : toJson(budget);
    return this.#connection.transaction(async (client) => {
      let queued = 0;
      const leftOut: string[] = [];
      for (let start = 0; start === 0 || start < takes.length; start += TAKES_AT_ONCE) {
        const some = toJson(takes.slice(start, start + TAKES_AT_ONCE));
        const { rows } = await client.query<{ value: Required<Enqueued> }>(call, [...facts, some, limit]);
        queued += rows[0]?.value.queued ?? 0;
        leftOut.push(...(rows[0]?.value.leftOut ?? []));
      }
      return { queued, ...(leftOut.length > 0 && { leftOut }) };
    });
  }

  /**
   * Takes whose project is under one of these roots and whose account this machine has the key of; none of the projects
   * that it leaves alone for now.
   */
  async takeNext(
    roots: readonly string[],
    accounts: readonly StudioAccount[],
    limit: number,
    exceptProjects: readonly string[] = [],
  ): Promise<readonly HeldTake[]> {
    return this.#handed('hand_over', roots, accounts, limit, exceptProjects);
  }

  /** Takes that were sent by a machine that left or was declared dead: they are followed free of charge. */
  async adoptSent(
    roots: readonly string[],
    accounts: readonly StudioAccount[],
    limit: number,
    exceptProjects: readonly string[] = [],
  ): Promise<readonly HeldTake[]> {
    return this.#handed('adopt_sent', roots, accounts, limit, exceptProjects);
  }

  async #handed(
    how: 'hand_over' | 'adopt_sent',
    roots: readonly string[],
    accounts: readonly StudioAccount[],
    limit: number,
    exceptProjects: readonly string[],
  ): Promise<HeldTake[]> {
    if (accounts.length === 0 || limit <= 0) return [];
    const values = [this.#name, roots, toJson(accounts), limit, exceptProjects];
    const [handed] = await this.#connection.rows<{ ids: readonly string[] | null }>(HAND_OUT(how), ...values);
    if (!handed?.ids) return [];
    return this.#connection.rows<HeldTake & Record<string, unknown>>(HELD_TAKES, handed.ids, this.#name);
  }

  /** The right to send one request. After an error with `isAway`, ask again with the same attempt. */
  async grant({ takeId, attemptId, epoch, bodyHash, model, priceMicros, account }: GrantRequest): Promise<Grant> {
    const facts = [takeId, attemptId, epoch, bodyHash, model, priceMicros, toJson(account)];
    const grant = await this.#connection.value<Grant>('grant_submit', this.#name, ...facts);
    if (grant.kind === 'granted') {
      await this.#connection.value('flush');
      this.#sees({ grants: grant.sequence });
    }
    return grant;
  }

  /** Stores facts of this machine's outbox. Returns the highest sequence that is stored. */
  async report(facts: readonly StudioFact[]): Promise<number> {
    const stored = await this.#connection.value<number>('report', this.#name, toJson(facts));
    this.#sees({ facts: stored });
    return stored;
  }

  /**
   * Changes after one, oldest first; of all projects, or of these. At least `limit` where there are so many: those of one
   * transaction come together, and those beside a transaction that still runs, anywhere on the server, come after it.
   * Without a limit all that is there now, whatever still runs: what is read on from its sequence repeats some of it.
   */
  async changesSince(
    after: number,
    projectIds?: readonly string[],
    limit: number | null = null,
  ): Promise<readonly StudioChange[]> {
    const values = [after, projectIds ?? null, limit];
    const changes = await this.#connection.rows<StudioChange & Record<string, unknown>>(CHANGES, ...values);
    // What others handed over may not be on the disk, and what this machine has seen must not be lost.
    if (changes.length > 0) await this.#connection.value('flush');
    return changes;
  }

  /** Says that this machine lives, and returns what concerns it. Every few seconds, and after a notice `commands`. */
  async heartbeat(): Promise<Heartbeat> {
    type Owned = readonly [takeId: string, epoch: number, isCancelled: boolean, isOnHold: boolean, state: TakeState];
    type Answer = Omit<Heartbeat, 'owned' | 'commands' | 'unsent'> & { readonly owned: readonly Owned[] };
    const { owned, ...beat } = await this.#connection.value<Answer>('heartbeat', this.#name);
    if (this.#greeting) {
      this.#greeting = { ...this.#greeting, isHalted: beat.isHalted, isFenced: beat.isFenced };
    }
    this.#sees(beat.isHalted ? {} : beat.seen);
    return {
      ...beat,
      seen: this.#seen,
      owned: new Map(owned.map(([takeId, epoch]) => [takeId, epoch])),
      unsent: new Set(owned.flatMap(([takeId, , , , state]) => (state === 'held' ? [takeId] : []))),
      commands: owned
        .filter(([, , isCancelled, isOnHold]) => isCancelled || isOnHold)
        .map(([takeId, epoch, isCancelled, isOnHold]) => ({ takeId, epoch, isCancelled, isOnHold })),
    };
  }

  /** What a person commands for takes, by id; returns how many it concerns. Those of others are left as they are. */
  async command(takeIds: readonly string[], command: TakeCommand): Promise<number> {
    const value = 'taskId' in command ? command.taskId : 'priority' in command ? Math.round(command.priority) : null;
    return this.#connection.value('command_takes', this.#name, takeIds, command.kind, value);
  }

  async reserveSlots(account: StudioAccount, kind: SlotKind, count: number): Promise<Slots> {
    return this.#ofAccount('reserve_slots($3, account.id, $4, $5)', account, this.#name, kind, count);
  }

  async throttled({ account, model, retryAfterMs, isCount }: Throttled): Promise<void> {
    const values = [this.#name, model, retryAfterMs, isCount];
    await this.#ofAccount('throttled($3, account.id, $4, $5, $6)', account, ...values);
  }

  /** What a function says of an account, which each call names: a restored database may have numbered it otherwise. */
  async #ofAccount<Value>(call: string, { name, address }: StudioAccount, ...values: unknown[]): Promise<Value> {
    const text = `SELECT dailies.${call} AS value FROM (${ACCOUNT_ID}) account`;
    const [row] = await this.#connection.rows<{ value: Value }>(text, name, address, ...values);
    return row?.value as Value;
  }

  /** Puts back takes of machines that have been silent for a minute and hold them unsent, and what pg-boss lost. */
  async sweep(): Promise<{ readonly returned: number; readonly requeued: number }> {
    return this.#connection.value('sweep', this.#name);
  }

  /**
   * This machine works in a project; the first one writes its shared files, until it stops asking. Renew every 20 s. The
   * cap that the folder has here lowers that of the project for all machines.
   */
  async claimProject(project: StudioProject, cap?: BudgetLimit): Promise<ProjectClaim> {
    return this.#connection.value('claim_project', this.#name, toJson(project), cap ? toJson(cap) : null);
  }

  async status(): Promise<StudioStatus> {
    const [row] = await this.#connection.rows<StatusRow>(STATUS);
    return toStatus(row as StatusRow);
  }

  async setWeight(person: string, weight: number): Promise<void> {
    await this.#connection.value('set_weight', person, weight);
  }

  async budgets(): Promise<readonly BudgetState[]> {
    return this.#connection.value('budget_states');
  }

  /** A limit that is not named stays; null removes one. */
  async setBudget(scope: BudgetScope, limit: Partial<BudgetLimit>): Promise<void> {
    const name = scope.scope === 'night' ? '' : scope.scope === 'person' ? scope.name : scope.id;
    await this.#connection.value('set_budget', scope.scope, name, toJson(limit));
  }

  /** What all machines together may send a second; null leaves it. Returns how many accounts have the name. */
  async setRate(account: string, { submits, polls, uploads }: StudioRate): Promise<number> {
    return this.#connection.value('set_rate', account, submits, polls, uploads);
  }

  async declareDead(machine: string): Promise<DeclaredDead> {
    return this.#connection.value('declare_dead', machine);
  }

  /** Gives a restored database what this machine knows. */
  async tell(known: StudioKnowledge): Promise<void> {
    await this.#connection.value('tell', this.#name, toJson(this.#seen), toJson(known));
  }

  /** Ends the halt once every machine has told; returns those that have not, and then changes nothing. */
  async reconcile(): Promise<{ readonly missing: readonly string[] }> {
    return { missing: await this.#connection.value<string[]>('reconcile') };
  }

  /** Calls `onNotice` as notices come, over a connection of its own that reconnects by itself. */
  async listen(onNotice: (notice: StudioNotice) => void): Promise<void> {
    await this.#connection.listen((payload) => {
      const notice = payload === 'reconnected' ? { kind: payload } : toNotice(payload);
      if (notice) onNotice(notice as StudioNotice);
    });
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }
}

/** Any login may notify anything: what no function of ours said is passed over. */
function toNotice(payload: string): { readonly kind: unknown } | null {
  try {
    const notice = JSON.parse(payload) as { readonly kind?: unknown } | null;
    return typeof notice?.kind === 'string' ? { ...notice, kind: notice.kind } : null;
  } catch {
    return null;
  }
}

/**
 * JSON that `jsonb` can hold. Answers of services, and texts that were cut, may have a zero character or half of an emoji,
 * which are escapes here; one of them would have the whole call refused.
 */
const toJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(/\\(?:u0000|ud[89a-f][\da-f]{2}|.)/g, (escape) =>
    /^\\u(?:0000|d)/.test(escape) ? '\ufffd' : escape,
  );
