import type { DesktopEvent, UpdateState } from '../../contract/desktop.ts';
import { streamOf } from './stream.ts';

/** What is kept for a window that is only coming up; more than this nobody has asked for. */
const MOST_KEPT = 20;

/** What windows are told. While none listens, it is kept for the next one: a file may be what has opened the app. */
export class DesktopEvents {
  readonly #listeners = new Set<(event: DesktopEvent) => void>();
  #kept: DesktopEvent[] = [];
  #update: UpdateState = { state: 'none' };

  tell(event: DesktopEvent): void {
    if (event.type === 'update') this.#update = event.update;
    else if (this.#listeners.size === 0) this.#kept = [...this.#kept, event].slice(-MOST_KEPT);
    for (const listener of this.#listeners) listener(event);
  }

  /** How it stands with updates, what was kept, then what comes. */
  stream(signal: AbortSignal | undefined): AsyncGenerator<DesktopEvent, void, void> {
    const first: DesktopEvent[] = [{ type: 'update', update: this.#update }, ...this.#kept];
    this.#kept = [];
    const subscribe = (hear: (event: DesktopEvent) => void) => {
      this.#listeners.add(hear);
      return () => this.#listeners.delete(hear);
    };
    return streamOf(subscribe, signal, first);
  }
}
