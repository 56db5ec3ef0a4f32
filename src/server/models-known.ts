import type { Kind } from '../contract/kinds/kind.ts';
import type { Engine } from '../engine/engine-api.ts';
import { guessedKind, kindOfModel } from '../engine/models/index.ts';
import type { ListedModel } from '../engine/models/listed.ts';
import { modelsNamed } from '../engine/models/named.ts';

export interface KnownModel extends ListedModel {
  readonly kind: Kind | null;
  readonly ofAccount: boolean;
}

/** The models of the account where it can be asked, else the ones the service's reference names. */
export async function modelsKnown(engine: Pick<Engine, 'models'>): Promise<KnownModel[]> {
  const ofAccount = await engine.models().catch(() => null);
  const models: readonly ListedModel[] = ofAccount ?? modelsNamed.map((id) => ({ id }));
  return models.map(({ id, listed }) => ({
    id,
    listed,
    kind: kindOfModel(id) ?? guessedKind(id),
    ofAccount: ofAccount !== null,
  }));
}
