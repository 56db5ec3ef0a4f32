export type Ending = 'pending' | 'complete' | 'cut' | 'reset' | 'hung' | 'client-left';

export interface LedgerEntry {
  n: number;
  at: number;
  method: string;
  path: string;
  query: string;
  /** The listener that was asked: the API's own origin, or the separate one for media. */
  origin: 'api' | 'media';
  headers: Record<string, string>;
  hasAuthorization: boolean;
  authorized: boolean;
  body: unknown;
  committed: boolean;
  taskId: string | null;
  assetId: string | null;
  /** The status line that was sent, or null when none was. */
  status: number | null;
  ending: Ending;
  fault: string | null;
  /** An API key arrived at a signed media address, where it has no business. */
  leakedKey: boolean;
}

/** A service left on for weeks must not keep every poll in memory. */
const KEPT_ENTRIES = 200_000;

const BEGUN: Pick<LedgerEntry, 'body' | 'committed' | 'taskId' | 'assetId' | 'status' | 'ending' | 'fault'> = {
  ...{ body: null, committed: false, taskId: null, assetId: null, status: null, ending: 'pending', fault: null },
};

/** Every request in order of arrival: what tests and people ask when money is in question. */
export class Ledger {
  entries: LedgerEntry[] = [];
  /** Requests received since the start, those no longer kept included. */
  received = 0;
  /** Billable commits since the start, those no longer kept included. */
  commits = 0;

  open(facts: Omit<LedgerEntry, 'n' | keyof typeof BEGUN>): LedgerEntry {
    this.received += 1;
    const entry: LedgerEntry = { n: this.received, ...facts, ...BEGUN };
    this.entries.push(entry);
    if (this.entries.length > KEPT_ENTRIES) this.entries = this.entries.slice(KEPT_ENTRIES / 10);
    return entry;
  }

  commit(entry: LedgerEntry, taskId: string): void {
    entry.committed = true;
    entry.taskId = taskId;
    this.commits += 1;
  }

  billableCommits(): LedgerEntry[] {
    return this.entries.filter((entry) => entry.committed);
  }

  posts(path?: string): LedgerEntry[] {
    return this.#of('POST', path);
  }

  gets(path?: string): LedgerEntry[] {
    return this.#of('GET', path);
  }

  downloads(): LedgerEntry[] {
    return this.entries.filter((entry) => entry.path.startsWith('/media/'));
  }

  leakedKeys(): LedgerEntry[] {
    return this.entries.filter((entry) => entry.leakedKey);
  }

  clear(): void {
    this.entries = [];
    this.received = 0;
    this.commits = 0;
  }

  #of(method: string, path?: string): LedgerEntry[] {
    return this.entries.filter((entry) => entry.method === method && (path === undefined || entry.path === path));
  }
}
