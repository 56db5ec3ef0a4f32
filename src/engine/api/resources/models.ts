import type { CallOptions } from '../calls.ts';
import type { GetAgain } from '../get-again.ts';
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

export function modelsResource(getAgain: GetAgain): Models {
  return {
    list: async (options) => {
      const models = await getAgain('/v1/models', readModels, options);
      return models.map(({ id, owned_by: ownedBy }) => ({ id, ...(ownedBy === undefined ? {} : { ownedBy }) }));
    },
  };
}
