import type { Changes } from '../../../contract/events.ts';
import { partsToRead, type Part } from './parts-to-read.ts';
import { reviewPlace } from './review-place.svelte.ts';
import type { ReviewSession } from './review-session.svelte.ts';

/** Changes that come together are read once, ms. */
const SETTLE_MS = 400;

export class ReviewReading {
  readonly #session: ReviewSession;
  readonly #toRead = new Set<Part>();
  #settling: ReturnType<typeof setTimeout> | undefined;

  constructor(session: ReviewSession) {
    this.#session = session;
  }

  /** Shows the changes of a message, and reads the parts it makes necessary once messages pause. */
  listen(changes: Changes): void {
    const { verdicts, focus, open } = this.#session;
    verdicts.hear(changes.verdicts);
    const { filter } = reviewPlace;
    const parts = partsToRead(changes, { filter, focus, isRead: (takeId) => open.takeOf(takeId) !== undefined });
    for (const part of parts) this.#toRead.add(part);
    // Not put off by later messages: a busy queue sends four a second.
    if (parts.length === 0 || this.#settling !== undefined) return;
    this.#settling = setTimeout(() => this.#read(), changes.resync ? 0 : SETTLE_MS);
  }

  /** The filter has changed: it begins at its top, and takes out of sight cannot be judged by accident. */
  restart(): void {
    this.#session.picking.restart();
    for (const part of ['list', 'tally', 'details'] as const) this.#toRead.add(part);
    this.#read();
  }

  #read(): void {
    const { list, tally, details, open } = this.#session;
    const { filter } = reviewPlace;
    clearTimeout(this.#settling);
    this.#settling = undefined;
    const parts = new Set(this.#toRead);
    this.#toRead.clear();
    const listed = parts.has('list') ? list.show(filter) : Promise.resolve();
    // Takes come first: counting keeps the engine busy.
    if (parts.has('tally')) void listed.then(() => tally.read(filter));
    if (parts.has('details')) void details.read();
    open.refresh();
  }
}
