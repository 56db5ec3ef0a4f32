import { messageFor } from '../../contract/messages/message.ts';
import { SecretChannel, type SecretSource } from '../../contract/night-messages.ts';
import { refused } from '../../engine/base/errors.ts';
import { nonEmpty } from '../data-folder.ts';
import { secretVariables, type Environment } from '../process-environment.ts';
import { isLocalHost } from '../../engine/api/address.ts';

type Machine = Pick<Environment, 'env' | 'keychain'>;

export async function findSecret(
  { env, keychain }: Machine,
  channel: SecretChannel,
): Promise<{ readonly secret: string | null; readonly from: SecretSource }> {
  const given = nonEmpty(env[secretVariables[channel]]);
  if (given !== undefined) return { secret: given, from: 'environment' };
  try {
    const kept = nonEmpty((await (await keychain(entryFor(channel))).getPassword()) ?? undefined);
    return kept === undefined ? { secret: null, from: 'none' } : { secret: kept, from: 'keychain' };
  } catch {
    // No keychain on this machine, or a locked one.
    return { secret: null, from: 'none' };
  }
}

/** Keeps a secret in the system keychain, or removes it (null). Throws RefusedError, which never repeats it. */
export async function storeSecret(
  { env, keychain }: Machine,
  channel: SecretChannel,
  secret: string | null,
): Promise<void> {
  const variable = secretVariables[channel];
  if (nonEmpty(env[variable]) !== undefined) {
    throw refused('secret_in_environment', messageFor('failure.secretInEnvironment', { variable }));
  }
  if (secret !== null) checkSecret(channel, secret.trim());
  try {
    const entry = await keychain(entryFor(channel));
    await (secret === null ? entry.deletePassword() : entry.setPassword(secret.trim()));
  } catch (error) {
    throw refused('secret_not_kept', 'failure.noKeychain', messageFor('remedy.noKeychain', { variable }), {
      cause: error,
    });
  }
}

function checkSecret(channel: SecretChannel, secret: string): void {
  if (secret === '' || /\p{Cc}/u.test(secret)) {
    throw refused('bad_secret', 'failure.badSecret', 'remedy.copyKeyAgain');
  }
  if (channel === 'slack' || channel === 'discord') messageAddress(secret);
}

const entryFor = (channel: SecretChannel): string => `messages-${channel}`;

export async function secretSources(machine: Machine): Promise<Record<SecretChannel, SecretSource>> {
  const sources = SecretChannel.options.map(async (channel) => [channel, (await findSecret(machine, channel)).from]);
  return Object.fromEntries(await Promise.all(sources)) as Record<SecretChannel, SecretSource>;
}

/**
 * An address for messages. Others could read them on their way, so http is for this machine and private networks only;
 * and a password in an address ends up in logs of others. Throws RefusedError, which repeats no address.
 */
export function messageAddress(text: string): URL {
  const url = URL.parse(text.trim());
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocalHost(url.hostname));
  if (url && isSafe && url.username === '' && url.password === '') return url;
  throw refused('bad_message_address', 'failure.messageAddress');
}
