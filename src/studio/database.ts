import type { ClientBase } from 'pg';
import type { Logger } from '../engine/base/ports.ts';
import type { StudioAddress } from './address.ts';
import { StudioConnection } from './connection.ts';
import { StudioError } from './errors.ts';
import { checkVersion } from './schema/migrate.ts';
import { HELD_TAKES, STATUS, type StatusRow, toStatus } from './reads.ts';
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
  SlotKind,
  Slots,
  StudioAccount,
  StudioBatch,
  StudioChange,
  StudioCommand,
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
}

/** Takes of one transaction, at most; far below what a statement may take. */
const TAKES_AT_ONCE = 500;

/** One studio's database as one machine uses it. Every call throws StudioError; `isAway` says that it may be tried again. */
export class StudioDatabase {
  readonly address: StudioAddress;
  readonly #connection: StudioConnection;
  readonly #machine: StudioOptions['machine'];
  readonly #accountIds = new Map<string, number>();
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

  async greet(): Promise<void> {
    await this.#connection.rows('SELECT 1');
  }

  async #greet(client: ClientBase): Promise<void> {
    await checkVersion(client);
    const { rows } = await client.query<{ value: Greeting }>('SELECT dailies.hello($1, $2, $3) AS value', [
      this.#machine?.name ?? null,
      this.#machine?.instance ?? null,
      JSON.stringify(this.#seen),
    ]);
    const greeting = rows[0]?.value;
    if (!greeting) throw new StudioError('studio_missing');
    this.#greeting = greeting;
    if (this.#machine && !greeting.isJoined && !greeting.isHalted) {
      throw new StudioError('studio_not_joined', { name: this.#machine.name });
    }
    this.#sees({ studio: greeting.studio });
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
  async enqueue(
    batch: StudioBatch,
    takes: readonly NewStudioTake[],
    budget?: BudgetLimit,
  ): Promise<{ readonly queued: number }> {
    const call = 'SELECT dailies.enqueue($1, $2, $3, $4) AS value';
    const facts = [this.#name, JSON.stringify(batch)];
    const limit = budget === undefined ? null : JSON.stringify(budget);
    return this.#connection.transaction(async (client) => {
      let queued = 0;
      for (let start = 0; start === 0 || start < takes.length; start += TAKES_AT_ONCE) {
        const some = JSON.stringify(takes.slice(start, start + TAKES_AT_ONCE));
        const { rows } = await client.query<{ value: number }>(call, [...facts, some, limit]);
        queued += rows[0]?.value ?? 0;
      }
      return { queued };
    });
  }

  /** Takes whose project is under one of these roots and whose account this machine has the key of. */
  async takeNext(
    roots: readonly string[],
    accounts: readonly StudioAccount[],
    limit: number,
  ): Promise<readonly HeldTake[]> {
    return this.#handed('hand_over', roots, accounts, limit);
  }

  /** Takes that were sent by a machine that left or was declared dead: they are followed free of charge. */
  async adoptSent(
    roots: readonly string[],
    accounts: readonly StudioAccount[],
    limit: number,
  ): Promise<readonly HeldTake[]> {
    return this.#handed('adopt_sent', roots, accounts, limit);
  }

  async #handed(
    how: 'hand_over' | 'adopt_sent',
    roots: readonly string[],
    accounts: readonly StudioAccount[],
    limit: number,
  ): Promise<HeldTake[]> {
    const ids = await this.#idsOf(accounts);
    if (ids.length === 0 || limit <= 0) return [];
    return this.#connection.rows<HeldTake & Record<string, unknown>>(HELD_TAKES[how], this.#name, roots, ids, limit);
  }

  /** The right to send one request. After an error with `isAway`, ask again with the same attempt. */
  async grant({ takeId, attemptId, epoch, bodyHash, model, priceMicros }: GrantRequest): Promise<Grant> {
    const facts = [takeId, attemptId, epoch, bodyHash, model, priceMicros];
    const grant = await this.#connection.value<Grant>('grant_submit', this.#name, ...facts);
    if (grant.kind === 'granted') {
      await this.#connection.value('flush');
      this.#sees({ grants: grant.sequence });
    }
    return grant;
  }

  /** Stores facts of this machine's outbox. Returns the highest sequence that is stored. */
  async report(facts: readonly StudioFact[]): Promise<number> {
    const stored = await this.#connection.value<number>('report', this.#name, JSON.stringify(facts));
    this.#sees({ facts: stored });
    return stored;
  }

  /**
   * Changes after one, oldest first; of all projects, or of these. At least `limit` where there are so many: those of one
   * transaction come together.
   */
  async changesSince(after: number, projectIds?: readonly string[], limit = 1000): Promise<readonly StudioChange[]> {
    return this.#connection.rows<StudioChange & Record<string, unknown>>(
      `SELECT changed AS "sequence", id AS "takeId", project_id AS "projectId", batch_id AS "batchId",
        shot_key AS "shotKey", state, outcome, machine, person, detail,
        CASE WHEN detail = 'null' THEN spec END AS spec
      FROM dailies.changes_since($1, $2, $3) ORDER BY changed, ordinal`,
      ...[after, projectIds ?? null, limit],
    );
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
  async command(takeIds: readonly string[], command: StudioCommand): Promise<number> {
    const priority = command.kind === 'priority' ? command.priority : null;
    return this.#connection.value('command_takes', this.#name, takeIds, command.kind, priority);
  }

  async reserveSlots(account: StudioAccount, kind: SlotKind, count: number): Promise<Slots> {
    const [id] = await this.#idsOf([account]);
    if (id === undefined) return { count: 0, inMs: 1000 };
    return this.#connection.value('reserve_slots', this.#name, id, kind, count);
  }

  async throttled({ account, model, retryAfterMs, isCount }: Throttled): Promise<void> {
    const [id] = await this.#idsOf([account]);
    if (id === undefined) return;
    await this.#connection.value('throttled', this.#name, id, model, retryAfterMs, isCount);
  }

  /** Puts back takes of machines that have been silent for a minute and hold them unsent, and what pg-boss lost. */
  async sweep(): Promise<{ readonly returned: number; readonly requeued: number }> {
    return this.#connection.value('sweep', this.#name);
  }

  /** This machine works in a project; the first one writes its shared files, until it stops asking. Renew every 20 s. */
  async claimProject(project: StudioProject): Promise<ProjectClaim> {
    return this.#connection.value('claim_project', this.#name, JSON.stringify(project));
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
    await this.#connection.value('set_budget', scope.scope, name, JSON.stringify(limit));
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
    await this.#connection.value('tell', this.#name, JSON.stringify(this.#seen), JSON.stringify(known));
  }

  /** Ends the halt once every machine has told; returns those that have not, and then changes nothing. */
  async reconcile(): Promise<{ readonly missing: readonly string[] }> {
    return { missing: await this.#connection.value<string[]>('reconcile') };
  }

  /** Calls `onNotice` as notices come, over a connection of its own that reconnects by itself. */
  async listen(onNotice: (notice: StudioNotice) => void): Promise<void> {
    await this.#connection.listen((payload) =>
      onNotice(payload === 'reconnected' ? { kind: payload } : (JSON.parse(payload) as StudioNotice)),
    );
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  /** Accounts are named by address and name; one that no take has used yet has no number. */
  async #idsOf(accounts: readonly StudioAccount[]): Promise<number[]> {
    const key = ({ name, address }: StudioAccount): string => JSON.stringify([name, address]);
    if (accounts.some((account) => !this.#accountIds.has(key(account)))) {
      const rows = await this.#connection.rows<StudioAccount & { readonly id: number }>(
        'SELECT id, name, address FROM dailies.accounts',
      );
      for (const row of rows) this.#accountIds.set(key(row), row.id);
    }
    return accounts.flatMap((account) => this.#accountIds.get(key(account)) ?? []);
  }
}
