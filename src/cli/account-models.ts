import { say } from '../contract/messages/words.ts';
import { loggerOf } from './engine/own-engine.ts';
import { proxiesOf } from '../engine/api/proxies.ts';
import { RefusedError, textOf } from '../engine/base/errors.ts';
import { accountModelsOf, type AccountModels, type ListedModel } from '../engine/models/listed.ts';
import { findKey } from '../host/key.ts';
import { wrongAddressProblem } from '../host/key-address.ts';
import { plainText } from './output/text.ts';
import { settingsOf, type ServiceAccess } from './service-access.ts';
import type { Session } from './session.ts';

/** How long a check of a list waits for the models, ms. */
const PATIENCE_MS = 10_000;

export interface AskedModels {
  readonly models: readonly ListedModel[];
  readonly origin: string;
}

/** Asks the service for the models of the account, which costs nothing. Throws its `ServiceError`. */
export async function listModels(
  session: Session,
  { settings, apiKey }: ServiceAccess,
  options: { readonly signal: AbortSignal; readonly tries?: number },
): Promise<AskedModels> {
  // Loaded only where there is a service to ask.
  const { createServiceClient, timeoutsOf } = await import('../engine/api/client.ts');
  const client = createServiceClient({
    baseUrl: settings.baseUrl,
    apiKey: () => apiKey,
    clock: session.shell.clock,
    logger: loggerOf(session, apiKey),
    timeouts: timeoutsOf(settings),
    proxyFor: proxiesOf(session.shell.env),
  });
  try {
    return { models: await client.models.list(options), origin: client.origin };
  } finally {
    await client.close();
  }
}

/** Says which models the account has; null where no service can be asked. */
export type AskModels = (signal: AbortSignal) => Promise<readonly ListedModel[] | null>;

/** Asks the service itself, where its address and a key that may go there are set. */
export function askService(session: Session): AskModels {
  return async (signal) => {
    const settings = settingsOf(session);
    if (settings.baseUrl === '') return null;
    const found = await findKey(session.shell, session.dataFolder);
    if (!found) return null;
    const problem = wrongAddressProblem(found, settings.baseUrl);
    if (problem !== null) throw new RefusedError('key_of_other_address', problem, '');
    return (await listModels(session, { settings, apiKey: found.key }, { signal, tries: 1 })).models;
  };
}

/**
 * The models to check a list against; undefined where they cannot be learned, which is told and no more. They are waited
 * for until `late` is aborted: a check can do without them.
 */
export async function modelsToCheckAgainst(
  { shell, interrupted }: Session,
  ask: AskModels,
  late = AbortSignal.timeout(PATIENCE_MS),
): Promise<AccountModels | undefined> {
  try {
    const models = await ask(AbortSignal.any([interrupted, late]));
    return models === null ? undefined : accountModelsOf(models);
  } catch (error) {
    interrupted.throwIfAborted();
    const reason = late.aborted ? say('cli.noAnswerSentence') : plainText(textOf(error));
    shell.stderr.write(`${say('cli.modelsUnknown', { reason })}\n`);
    return undefined;
  }
}
