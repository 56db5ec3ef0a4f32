import { t } from '../contract/messages/words.ts';
import type { Settings } from '../contract/settings.ts';
import { parseServiceAddress } from '../engine/api/address.ts';
import { toProxies } from '../engine/api/proxies.ts';
import { RefusedError, toText } from '../engine/base/errors.ts';
import type { Logger } from '../engine/base/ports.ts';
import { toAccountModels, type AccountModels, type ListedModel } from '../engine/models/index.ts';
import { toLogFile, nonEmpty } from '../host/data-folder.ts';
import { type FoundKey, findKey, wrongAddressProblem } from '../host/key.ts';
import { createFileLogger } from '../host/log-file.ts';
import { KEY_VARIABLE } from '../host/process-environment.ts';
import { readSettings } from '../host/settings-file.ts';
import { UsageError } from './exit.ts';
import { plainText } from './output/text.ts';
import type { Session } from './session.ts';

/** The settings in force: of the data folder, with the address of `--base-url` or `DAILIES_BASE_URL` over its own. */
export function toSettings(session: Session): Settings {
  const settings = readSettings(session.dataFolder);
  const baseUrl = namedAddress(session);
  return baseUrl === null ? settings : { ...settings, baseUrl };
}

/** The address that this very command was given; null when it goes by the settings. */
export function namedAddress({ shell, options }: Session): string | null {
  const address = options.baseUrl ?? nonEmpty(shell.env['DAILIES_BASE_URL']);
  return address === undefined ? null : parseServiceAddress(address).base;
}

export interface ServiceAccess {
  readonly settings: Settings;
  readonly apiKey: string;
}

/** Throws UsageError, before anything is stored, when address or key is missing. */
export async function serviceAccess(session: Session): Promise<ServiceAccess> {
  const settings = settingsWithAddress(session);
  return { settings, apiKey: (await keyFor(session, settings.baseUrl)).key };
}

/** Throws UsageError when no address is set. */
export function settingsWithAddress(session: Session): Settings {
  const settings = toSettings(session);
  if (settings.baseUrl !== '') return settings;
  const command = session.line('config', 'set', 'base-url', 'https://HOST');
  throw new UsageError(t('failure.noAddress'), t('cli.setAddress', { command }));
}

/** Throws UsageError when there is no key, or a kept one of another address. */
export async function keyFor(session: Session, baseUrl: string): Promise<FoundKey> {
  const found = await findKey(session.shell, session.dataFolder);
  if (!found) throw new UsageError(t('failure.noKey'), t('cli.remedySetRightKey'));
  assureKeyAddress(found, baseUrl);
  return found;
}

/** Throws UsageError when a kept key belongs to another address. */
export function assureKeyAddress(key: FoundKey, baseUrl: string): void {
  const problem = wrongAddressProblem(key, baseUrl);
  if (problem === null) return;
  throw new UsageError(problem, t('cli.keyOfOtherAddress', { variable: KEY_VARIABLE }));
}

/** The log of a session, with the key removed from every line. */
export function loggerFor({ dataFolder }: Session, apiKey: string | null): Logger {
  return createFileLogger(toLogFile(dataFolder), (line) => (apiKey === null ? line : line.replaceAll(apiKey, '[key]')));
}

/** How long a check of a list waits for the models, ms. */
const TIMEOUT_MS = 10_000;

/** Asks the service for the models of the account, which costs nothing. Throws its `ServiceError`. */
export async function listModels(
  session: Session,
  { settings, apiKey }: ServiceAccess,
  options: { readonly signal: AbortSignal; readonly tries?: number },
) {
  // Loaded only when there is a service to ask.
  const { createServiceClient, toTimeouts: timeoutsOf } = await import('../engine/api/client.ts');
  const { queuesUnder } = await import('../engine/api/request-queue.ts');
  const client = createServiceClient({
    baseUrl: settings.baseUrl,
    apiKey: () => apiKey,
    clock: session.shell.clock,
    logger: loggerFor(session, apiKey),
    timeouts: timeoutsOf(settings),
    queues: queuesUnder(settings, session.shell.clock),
    routesTo: toProxies(session.shell.env),
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
    const settings = toSettings(session);
    if (settings.baseUrl === '') return null;
    const found = await findKey(session.shell, session.dataFolder);
    if (!found) return null;
    const problem = wrongAddressProblem(found, settings.baseUrl);
    if (problem !== null) throw new RefusedError('key_of_other_address', problem, '');
    return (await listModels(session, { settings, apiKey: found.key }, { signal, tries: 1 })).models;
  };
}

/** The models to check a list against; undefined when unreadable, which is reported, or when `late` aborts first. */
export async function modelsToCheckAgainst(
  { complain, interrupted }: Session,
  ask: AskModels,
  late = AbortSignal.timeout(TIMEOUT_MS),
): Promise<AccountModels | undefined> {
  try {
    const models = await ask(AbortSignal.any([interrupted, late]));
    return models === null ? undefined : toAccountModels(models);
  } catch (error) {
    interrupted.throwIfAborted();
    const reason = late.aborted ? t('cli.noAnswerSentence') : plainText(toText(error));
    complain(t('cli.modelsUnknown', { reason }));
    return undefined;
  }
}
