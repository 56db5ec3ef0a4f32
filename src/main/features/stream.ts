/**
 * Events as they come, each to be read when the reader is ready, `first` before all others. Ends when the signal is
 * aborted or nobody reads on.
 */
export async function* streamOf<Event>(
  subscribe: (hear: (event: Event) => void) => () => void,
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
