import type { Clock } from '../../ports.ts';
import type { CallOptions } from '../calls.ts';
import { NoAnswerError, RateLimitError, ServiceFaultError } from '../errors.ts';
import type { Read } from '../reads.ts';
import { retryGet, type Random } from '../retry.ts';
import { readModels } from '../wire-schemas.ts';

/** A model of the account (reference, "Model"). */
export interface Model {
  readonly id: string;
  readonly ownedBy?: string;
}

export interface Models {
  /**
   * The models the account may use, in the service's order. Asks up to `tries` times (3) where asking again can help;
   * throws the `ServiceError` of the last.
   */
  list(options?: CallOptions & { readonly tries?: number }): Promise<Model[]>;
}

export function modelsResource(read: Read, clock: Clock, random: Random): Models {
  return {
    list: async ({ signal, tries = 3 } = {}) => {
      const models = await retryGet(() => read('/v1/models', readModels, { signal }), waitAfter, {
        clock,
        random,
        tries,
        signal,
      });
      return models.map(({ id, owned_by: ownedBy }) => ({ id, ...(ownedBy === undefined ? {} : { ownedBy }) }));
    },
  };
}

function waitAfter(error: unknown): number | null {
  if (error instanceof RateLimitError) return error.retryAfterMs ?? 0;
  if (error instanceof ServiceFaultError) return 0;
  return error instanceof NoAnswerError && error.code !== 'stopped' ? 0 : null;
}
