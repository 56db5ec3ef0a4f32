import type { Json } from '../../contract/json.ts';
import { isLongWait } from '../../contract/events.ts';
import type { Clock, Random } from '../base/ports.ts';
import type { CallOptions } from './calls.ts';
import { NoAnswerError, RateLimitError, ServiceFaultError } from './errors.ts';
import type { Read } from './reads.ts';
import { retryGet } from './retry.ts';

/**
 * One GET, parsed, tried up to `tries` times (3) where that can help: no answer, a fault of the service, or too many
 * requests unless the wait is long. Throws the last `ServiceError`.
 */
export type RetryingGet = <T>(
  path: string,
  shape: (json: Json | undefined) => T | null,
  options?: CallOptions & { readonly tries?: number },
) => Promise<T>;

export function createGetAgain(read: Read, clock: Clock, random: Random): RetryingGet {
  return (path, shape, { signal, tries = 3 } = {}) =>
    retryGet(() => read(path, shape, { signal }), waitAfter, { clock, random, tries, signal });
}

function waitAfter(error: unknown): number | null {
  if (error instanceof RateLimitError) return isLongWait(error.retryAfterMs ?? 0) ? null : (error.retryAfterMs ?? 0);
  if (error instanceof ServiceFaultError) return 0;
  return error instanceof NoAnswerError && error.code !== 'stopped' ? 0 : null;
}
