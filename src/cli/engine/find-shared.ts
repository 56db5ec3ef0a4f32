import type { Settings } from '../../contract/settings.ts';
import { keyFingerprint } from '../../engine/api/address.ts';
import type { Holder } from '../../engine/base/instance-lock.ts';
import { findKey } from '../../host/key.ts';
import { packageVersion } from '../../host/package-folder.ts';
import { UsageError } from '../exit.ts';
import { assureKeyAddress, howToSetKey, namedAddress, settingsOf } from '../service-access.ts';
import type { Session } from '../session.ts';
import { connect, type Connection } from './connection.ts';
import { inWords } from './shared-errors.ts';
import { socketOf } from '../../server/private/socket-path.ts';

/** An engine of another process that this command may use, with the settings it works by. */
export interface FoundShared {
  readonly connection: Connection;
  readonly settings: Settings;
}

/**
 * Opens the line to an engine and makes sure that it does what this command would. Null while it cannot be reached: it
 * is starting, stopping, or gone. Throws UsageError when it must not be used; nothing was sent then.
 */
export async function openShared(
  session: Session,
  holder: Holder,
  { sends }: { readonly sends: boolean },
): Promise<FoundShared | null> {
  const socket = socketOf(holder);
  if (socket === null) return null;
  const connection = connect(holder, socket);
  try {
    return { connection, settings: await agreedSettings(session, connection, sends) };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** The settings of the other engine. Throws UsageError when this command would send elsewhere, or with another key. */
async function agreedSettings(session: Session, connection: Connection, sends: boolean): Promise<Settings> {
  const { settings, key, version } = await connection.ask((api) => api.settings.get());
  const who = inWords(connection.holder);
  if (version !== packageVersion()) {
    throw new UsageError(
      `${who} works in the data folder and is Dailies ${version}; this is ${packageVersion()}.`,
      'Stop it, or use the command that came with it.',
    );
  }
  const address = sends ? settingsOf(session).baseUrl : (namedAddress(session) ?? '');
  if (address !== '' && address !== settings.baseUrl) {
    throw new UsageError(
      `${who} works in the data folder for ${settings.baseUrl === '' ? 'no address yet' : settings.baseUrl}, not for ${address}: nothing was sent.`,
      'Set the address in its window, name the same one here, or stop it.',
    );
  }
  if (!sends) return settings;
  if (settings.baseUrl === '') {
    throw new UsageError(`No service address is set, and ${who} works without one.`, 'Set it in its window.');
  }
  await assureSameKey(session, connection, {
    baseUrl: settings.baseUrl,
    hasKey: key.present && key.keptFor === undefined,
  });
  return settings;
}

/** A key is never sent to the other engine, only asked about by its fingerprint. Without one, the other's own is used. */
async function assureSameKey(
  session: Session,
  connection: Connection,
  { baseUrl, hasKey }: { readonly baseUrl: string; readonly hasKey: boolean },
): Promise<void> {
  const found = await findKey(session.shell, session.dataFolder);
  if (!found && !hasKey) throw new UsageError('No key for the service is set.', howToSetKey(session));
  if (!found) return;
  assureKeyAddress(found, baseUrl);
  const fingerprint = keyFingerprint(found.key);
  if (await connection.ask((api) => api.settings.isKey({ fingerprint }))) return;
  const who = inWords(connection.holder);
  throw new UsageError(
    hasKey
      ? `${who} works in the data folder with another key than the one from ${found.from}: nothing was sent.`
      : `${who} works in the data folder without a key: nothing was sent.`,
    'Set the key in its window, or stop it and start it again with the same key.',
  );
}
