import type { JsonObject } from '../../../contract/json.ts';
import type { Capabilities } from '../../../contract/model.ts';
import type { CallOptions } from '../calls.ts';
import type { RetryingGet } from '../retrying-get.ts';
import { readCapabilities } from '../model-capabilities.ts';
import { readModels } from '../wire-schemas.ts';

/** Free, and every service answers it, so `probe` uses it too. */
export const MODELS = '/v1/models';

/** A model of the account (reference, "Model"). */
interface Model {
  readonly id: string;
  readonly ownedBy?: string;
  /** What else the service says about the model and we could read; absent if nothing. */
  readonly listed?: Capabilities;
}

export function modelsResource(getAgain: RetryingGet) {
  return {
    /**
     * The models that the account may use, in the service's order. Tries up to `tries` times (3) where that can help, then
     * throws the last `ServiceError`.
     */
    list: async (options?: CallOptions & { readonly tries?: number }): Promise<Model[]> => {
      const models = await getAgain(MODELS, readModels, options);
      return models.map((model) => {
        const { id, owned_by: ownedBy } = model;
        const listed = readCapabilities(model as JsonObject);
        return { id, ...(ownedBy && { ownedBy }), ...(Object.keys(listed).length > 0 && { listed }) };
      });
    },
  };
}
