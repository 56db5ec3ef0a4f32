import type { Text } from '../../contract/messages/message.ts';
import type { Gate } from '../../contract/events.ts';

/** How often to look at a full disk again, ms. */
const RECHECK_MS = 15_000;

/** The disk with the database, which every project needs. */
const DATA = Symbol('data');

type FullDisk = Gate & { readonly until: number };

/**
 * Disks with too little room, and when to look at each again. A full disk holds back only the projects on it, except
 * for the disk with the database, which holds back all. The caller passes in what steps saw and the time.
 */
export class FullDisks {
  readonly #full = new Map<string | typeof DATA, FullDisk>();

  noteProject(projectId: string, message: Text, now: number): void {
    this.#note(projectId, message, now);
  }

  noteData(message: Text, now: number): void {
    this.#note(DATA, message, now);
  }

  /** A person freed space, or asked for a smaller reserve: look at every disk now. */
  lookAgain(): void {
    this.#full.clear();
  }

  /** The gate before anything is written, or null when it is open. */
  ofData(now: number): FullDisk | null {
    const gate = this.#full.get(DATA);
    return gate && gate.until > now ? gate : null;
  }

  /** The projects that wait for room. */
  projects(now: number): string[] {
    return [...this.#full].flatMap(([disk, { until }]) => (disk !== DATA && until > now ? [disk] : []));
  }

  /** When the first of those projects is looked at again, ms; Infinity when there is none. */
  nextLookAt(now: number): number {
    return Math.min(...this.closed(now).map(({ until }) => until));
  }

  /** Every full disk, to show to a person. */
  closed(now: number): FullDisk[] {
    return [...this.#full.values()].filter(({ until }) => until > now);
  }

  #note(disk: string | typeof DATA, message: Text, now: number): void {
    this.#full.set(disk, {
      reason: 'disk_low',
      message,
      until: now + RECHECK_MS,
      ...(disk !== DATA && { projectId: disk }),
    });
  }
}
