import type { PowerMonitor } from 'electron';
import type { DesktopEvent, UpdateState, PowerEvent } from '../../contract/desktop.ts';

const MAX_KEPT = 20;

/** Events for windows. Without a listener they wait for the next one: a file may have opened the app. */
export class DesktopEvents {
  readonly #listeners = new Set<(event: DesktopEvent) => void>();
  #kept: DesktopEvent[] = [];
  #update: UpdateState = { state: 'none' };

  tell(event: DesktopEvent): void {
    if (event.type === 'update') this.#update = event.update;
    else if (this.#listeners.size === 0) this.#kept = [...this.#kept, event].slice(-MAX_KEPT);
    for (const listener of this.#listeners) listener(event);
  }

  stream(signal: AbortSignal | undefined): AsyncGenerator<DesktopEvent, void, void> {
    const first: DesktopEvent[] = [{ type: 'update', update: this.#update }, ...this.#kept];
    this.#kept = [];
    const subscribe = (onEvent: (event: DesktopEvent) => void) => {
      this.#listeners.add(onEvent);
      return () => this.#listeners.delete(onEvent);
    };
    return streamFor(subscribe, signal, first);
  }
}

/** Events as fast as the reader reads, `first` first. Ends when the signal aborts or the reader stops. */
async function* streamFor<Event>(
  subscribe: (onEvent: (event: Event) => void) => () => void,
  signal: AbortSignal | undefined,
  first: readonly Event[] = [],
): AsyncGenerator<Event, void, void> {
  const waiting = [...first];
  let wake = (): void => undefined;
  const unsubscribe = subscribe((event) => {
    waiting.push(event);
    wake();
  });
  const end = (): void => wake();
  signal?.addEventListener('abort', end);
  try {
    while (!signal?.aborted) {
      const next = waiting.shift();
      if (next !== undefined) yield next;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    unsubscribe();
    signal?.removeEventListener('abort', end);
  }
}

/** That the machine is about to sleep, and that it is awake again. */
export function powerEvents(
  monitor: Pick<PowerMonitor, 'on' | 'off'>,
  signal: AbortSignal | undefined,
): AsyncGenerator<PowerEvent, void, void> {
  return streamFor((onEvent) => {
    const suspend = (): void => onEvent('suspend');
    const wake = (): void => onEvent('wake');
    monitor.on('suspend', suspend);
    monitor.on('resume', wake);
    return () => {
      monitor.off('suspend', suspend);
      monitor.off('resume', wake);
    };
  }, signal);
}
