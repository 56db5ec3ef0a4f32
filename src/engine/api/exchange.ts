import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

/** Up to this much of an unused body is read, so that its connection can be used again. */
const LEFTOVER_BYTES = 64 * 1024;

export type Flow = Pick<Dispatcher.DispatchController, 'pause' | 'resume'>;

/**
 * One GET. Resolves when the whole body has arrived, or at once when it is not wanted; rejects with the error that
 * broke the exchange or with the signal's reason. The listener is not called after either; an error that it throws
 * ends the exchange. `head` says whether the body is wanted.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: {
    readonly url: Pick<URL, 'origin' | 'pathname' | 'search'>;
    readonly headers: Record<string, string>;
    readonly signal: AbortSignal;
  },
  listener: {
    head(status: number, headers: IncomingHttpHeaders): boolean;
    body(chunk: Buffer, flow: Flow): void;
  },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const { url, signal } = request;
    let controller: Dispatcher.DispatchController | null = null;
    let leftover = 0;
    let over = false;

    const end = (error: Error | null): void => {
      if (over) return;
      over = true;
      signal.removeEventListener('abort', abort);
      if (error === null) resolve();
      else reject(error);
    };
    const breakOff = (reason: unknown): void => {
      const error = reason instanceof Error ? reason : new Error(String(reason));
      end(error);
      controller?.abort(error);
    };
    const abort = (): void => breakOff(signal.reason);

    if (signal.aborted) {
      abort();
      return;
    }
    signal.addEventListener('abort', abort, { once: true });
    dispatcher.dispatch(
      { origin: url.origin, path: url.pathname + url.search, method: 'GET', headers: request.headers },
      {
        onRequestStart(started) {
          controller = started;
          // The signal may have come while the connection was still being made.
          if (over) started.abort(new Error('The request is not wanted any more.'));
        },
        onResponseStart(_started, status, headers) {
          if (over || status < 200) return;
          try {
            if (!listener.head(status, headers)) end(null);
          } catch (error) {
            breakOff(error);
          }
        },
        onResponseData(flow, chunk) {
          if (over) {
            leftover += chunk.length;
            if (leftover > LEFTOVER_BYTES) flow.abort(new Error('The rest of the answer is not wanted.'));
            return;
          }
          try {
            listener.body(chunk, flow);
          } catch (error) {
            breakOff(error);
          }
        },
        onResponseEnd: () => end(null),
        onResponseError: (_started, error) => end(error),
      },
    );
  });
}
