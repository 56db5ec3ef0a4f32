import {
  accountOn,
  accountsIn,
  serviceOfAccount,
  settingsOn,
  withAccount,
  type AccountSummary,
} from '../contract/accounts.ts';
import { resolve } from 'node:path';
import { t } from '../contract/messages/words.ts';
import type { Settings } from '../contract/settings.ts';
import { parseServiceAddress } from '../engine/api/address.ts';
import { toProxies } from '../engine/api/proxies.ts';
import { RefusedError, toText } from '../engine/base/errors.ts';
import type { Logger } from '../engine/base/ports.ts';
import { toAccountModels, type AccountModels, type ListedModel } from '../engine/models/index.ts';
import { toLogFile, nonEmpty } from '../host/data-folder.ts';
import { type FoundKey, findKey, type KeysOfEngine, wrongAddressProblem } from '../host/key.ts';
import { createFileLogger } from '../host/log-file.ts';
import { KEY_VARIABLE } from '../host/process-environment.ts';
import { readSettings } from '../host/settings-file.ts';
import { accountCalled, onlyAccount, otherAccount } from '../engine/projects/accounts.ts';
import { refused, UsageError } from './exit.ts';
import { knownProject, viewDataFolder } from './look.ts';
import { plainText } from './output/text.ts';
import type { Session } from './session.ts';

/**
 * The account of a command: the one that it names, else that of its project, else the only one. Null where there are
 * several. Throws UsageError for a name that is none.
 */
export function accountFor({ dataFolder, options, shell }: Session, project?: string | null): AccountSummary | null {
  const settings = readSettings(dataFolder);
  const wanted = options.account === undefined ? undefined : accountCalled(settings, options.account);
  const [first, ...others] = accountsIn(settings);
  if (first && others.length === 0) return first;
  if (project === undefined || project === null) return wanted ?? null;
  return viewDataFolder(dataFolder, ({ projects }) => {
    const known = knownProject(projects, resolve(shell.cwd, project));
    if (!known) return wanted ?? null;
    const its = accountOn(settings, projects.service(known.id)) ?? null;
    if (wanted && wanted.id !== its?.id) throw otherAccount(known.name, its, wanted);
    return its;
  });
}

/** The same where one is needed. Throws RefusedError, which ends with status 2, where there are several. */
export const accountNeeded = (session: Session, project?: string | null): AccountSummary =>
  accountFor(session, project) ?? onlyAccount(readSettings(session.dataFolder));

/**
 * For what belongs to no project, such as the library: that is the first account's. Throws UsageError where another one is
 * named, or none of several.
 */
export function requireFirstAccount(session: Session): void {
  const { id, name } = accountNeeded(session);
  if (id === null) return;
  throw refused('cli.firstAccountOnly', { account: name, first: readSettings(session.dataFolder).accountName });
}

/** The settings in force: of the data folder, with the address of `--base-url` or `DAILIES_BASE_URL` over that of `account`. */
export function toSettings(session: Session, account = accountFor(session)): Settings {
  const settings = readSettings(session.dataFolder);
  const baseUrl = namedAddress(session);
  return baseUrl === null || account === null ? settings : withAccount(settings, account.id, { baseUrl });
}

/** Whether the environment says something of the account of this command: where there are several, of one that it names. */
const isForUs = ({ dataFolder, options }: Session): boolean =>
  options.account !== undefined || readSettings(dataFolder).accounts.length === 0;

/** The address that this very command was given; null when it goes by the settings. */
export function namedAddress(session: Session): string | null {
  const { shell, options } = session;
  const variable = isForUs(session) ? shell.env['DAILIES_BASE_URL'] : undefined;
  const address = options.baseUrl ?? nonEmpty(variable);
  return address === undefined ? null : parseServiceAddress(address).base;
}

/** The settings as they hold for one account. */
export const settingsForAccount = (session: Session, account: AccountSummary): Settings =>
  settingsOn(toSettings(session, account), serviceOfAccount(account.id));

export interface ServiceAccess {
  readonly settings: Settings;
  readonly keys: KeysOfEngine;
}

/**
 * What an engine needs to send. Throws UsageError, before anything is stored, when address or key of the command's
 * account is missing. Where it has none in particular, each project is sent with the key that is kept for its account.
 */
export async function serviceAccess(session: Session, project?: string): Promise<ServiceAccess> {
  const account = accountFor(session, project);
  if (account === null) return keptAccess(session);
  const settings = toSettings(session, account);
  return { settings, keys: { accountId: account.id, key: (await accountAccess(session, account)).apiKey } };
}

/**
 * What an engine needs that sends with each key that is kept. Throws UsageError where the environment or `--base-url` names
 * a key or an address, and nothing says of which account.
 */
export function keptAccess(session: Session): ServiceAccess {
  const account = accountFor(session);
  if (account === null) requireNothingGiven(session);
  return { settings: toSettings(session, account), keys: { kept: true, variableOf: account?.id } };
}

/** Throws UsageError where a key or an address is given, of whichever account. */
export function requireNothingGiven({ options, shell }: Session): void {
  const given = [KEY_VARIABLE, 'DAILIES_BASE_URL'].find((name) => nonEmpty(shell.env[name]) !== undefined);
  const variable = options.baseUrl === undefined ? given : '--base-url';
  if (variable !== undefined) throw refused('cli.keyOfWhichAccount', { variable });
}

/** Settings and key of one account. Throws UsageError when address or key is missing. */
export async function accountAccess(session: Session, account: AccountSummary) {
  const settings = settingsWithAddress(session, account);
  return { settings, apiKey: (await keyFor(session, account, settings.baseUrl)).key };
}

/** Throws UsageError when no address is set. */
export function settingsWithAddress(session: Session, account: AccountSummary): Settings {
  const settings = settingsForAccount(session, account);
  if (settings.baseUrl !== '') return settings;
  const command = session.line('config', 'set', 'base-url', 'https://HOST');
  throw new UsageError(t('failure.noAddress'), t('cli.setAddress', { command }));
}

export const keyIfAny = (session: Session, { id }: AccountSummary): Promise<FoundKey | null> =>
  findKey(session.shell, session.dataFolder, { accountId: id, keptOnly: !isForUs(session) });

/** Throws UsageError when there is no key, or a kept one of another address. */
export async function keyFor(session: Session, account: AccountSummary, baseUrl: string): Promise<FoundKey> {
  const found = await keyIfAny(session, account);
  if (!found && !isForUs(session)) requireNothingGiven(session);
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
  { settings, apiKey }: { readonly settings: Settings; readonly apiKey: string },
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

export function askService(session: Session, project?: string): AskModels {
  return async (signal) => {
    const account = accountFor(session, project);
    const settings = account && settingsForAccount(session, account);
    if (!settings || settings.baseUrl === '') return null;
    const found = await keyIfAny(session, account);
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
