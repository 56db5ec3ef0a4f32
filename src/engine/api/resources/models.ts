import type { JsonObject } from '../../../contract/json.ts';
import type { Capabilities } from '../../../contract/model.ts';
import type { CallOptions } from '../calls.ts';
import type { RetryingGet } from '../retrying-get.ts';
import { readCapabilities } from '../model-capabilities.ts';
import { readModels } from '../wire-schemas.ts';

/** Free to ask, and answered by every service: also how it is found out whether there is one at all. */
export const MODELS = '/v1/models';

/** A model of the account (reference, "Model"). */
interface Model {
  readonly id: string;
  readonly ownedBy?: string;
  /** What else the service says of it, as far as it could be read; absent when that is nothing. */
  readonly listed?: Capabilities;
}

export interface Models {
  /**
   * The models the account may use, in the service's order. Asks up to `tries` times (3) where asking again can help;
   * throws the `ServiceError` of the last.
   */
  list(options?: CallOptions & { readonly tries?: number }): Promise<Model[]>;
}

export function modelsResource(getAgain: RetryingGet): Models {
  return {
    list: async (options) => {
      const models = await getAgain(MODELS, readModels, options);
      return models.map((model) => {
        const { id, owned_by: ownedBy } = model;
        const listed = readCapabilities(model as JsonObject);
        return { id, ...(ownedBy && { ownedBy }), ...(Object.keys(listed).length > 0 && { listed }) };
      });
    },
  };
}
