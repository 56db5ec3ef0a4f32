import { say } from '../contract/messages/words.ts';
import { proxiesOf } from '../engine/api/proxies.ts';
import { RefusedError, textOf } from '../engine/base/errors.ts';
import { accountModelsOf, type AccountModels, type ListedModel } from '../engine/models/index.ts';
import { findKey, wrongAddressProblem } from '../host/key.ts';
import { plainText } from './output/text.ts';
import { loggerOf, settingsOf, type ServiceAccess } from './service-access.ts';
import type { Session } from './session.ts';

/** How long a check of a list waits for the models, ms. */
const PATIENCE_MS = 10_000;

/** Asks the service for the models of the account, which costs nothing. Throws its `ServiceError`. */
export async function listModels(
  session: Session,
  { settings, apiKey }: ServiceAccess,
  options: { readonly signal: AbortSignal; readonly tries?: number },
) {
  // Loaded only when there is a service to ask.
  const { createServiceClient, timeoutsOf } = await import('../engine/api/client.ts');
  const { queuesUnder } = await import('../engine/api/request-queue.ts');
  const client = createServiceClient({
    baseUrl: settings.baseUrl,
    apiKey: () => apiKey,
    clock: session.shell.clock,
    logger: loggerOf(session, apiKey),
    timeouts: timeoutsOf(settings),
    queues: queuesUnder(settings, session.shell.clock),
    routesTo: proxiesOf(session.shell.env),
  });
  try {
    return { models: await client.models.list(options), origin: client.origin };
  } finally {
    await client.close();
  }
}

/** The models that the account has; null when no service can be asked. */
export type AskModels = (signal: AbortSignal) => Promise<readonly ListedModel[] | null>;

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
 * The models to check a list against; undefined when they cannot be read, which is only reported. The check waits for
 * them until `late` is aborted, and can do without them.
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
