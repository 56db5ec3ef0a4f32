import type { Text } from '../../contract/messages/message.ts';
import type { Gate } from '../../contract/events.ts';

/** How often a full disk is looked at again, ms. */
const RECHECK_MS = 15_000;

/** The disk that everything is written down on, whatever project it belongs to. */
const DATA = Symbol('data');

type FullDisk = Gate & { readonly until: number };

/**
 * Disks with too little room, and when each is looked at again. A full disk holds back the projects that lie on it and
 * no others, unless it is the one with the database. It is told what steps saw and what time it is.
 */
export class FullDisks {
  readonly #full = new Map<string | typeof DATA, FullDisk>();

  noteProject(projectId: string, message: Text, now: number): void {
    this.#note(projectId, message, now);
  }

  noteData(message: Text, now: number): void {
    this.#note(DATA, message, now);
  }

  /** Room was made, or less of it is asked for: every disk is looked at now. */
  lookAgain(): void {
    this.#full.clear();
  }

  /** The gate before whatever is written anywhere, or null when it is open. */
  ofData(now: number): FullDisk | null {
    const gate = this.#full.get(DATA);
    return gate && gate.until > now ? gate : null;
  }

  /** The projects that are left alone for now. */
  projects(now: number): string[] {
    return [...this.#full].flatMap(([disk, { until }]) => (disk !== DATA && until > now ? [disk] : []));
  }

  /** When the first of those projects is looked at again, ms; Infinity when there is none. */
  nextLookAt(now: number): number {
    return Math.min(...this.closed(now).map(({ until }) => until));
  }

  /** Every full disk, for people. */
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
