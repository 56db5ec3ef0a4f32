import { say } from '../../contract/messages/words.ts';
import type { Settings } from '../../contract/settings.ts';
import { keyFingerprint } from '../../engine/api/address.ts';
import type { Holder } from '../../engine/base/instance-lock.ts';
import { findKey } from '../../host/key.ts';
import { machineId } from '../../host/machine-id.ts';
import { packageVersion } from '../../host/package-folder.ts';
import { UsageError } from '../exit.ts';
import { assureKeyAddress, howToSetKey, namedAddress, settingsOf } from '../service-access.ts';
import type { Session } from '../session.ts';
import { connect, type Connection } from './connection.ts';
import { inWords } from './shared-errors.ts';
import { socketOf } from '../../server/private/socket-path.ts';

/** An engine of another process that this command may use, with its settings. */
export interface FoundShared {
  readonly connection: Connection;
  readonly settings: Settings;
}

/**
 * Connects to an engine and makes sure that it does what this command would. Null when it cannot be reached: it is
 * starting, stopping or gone. Throws UsageError when it must not be used; nothing was sent then.
 */
export async function openShared(
  session: Session,
  holder: Holder,
  { sends }: { readonly sends: boolean },
): Promise<FoundShared | null> {
  const socket = socketOf(holder, machineId(session.shell));
  if (socket === null) return null;
  const connection = connect(holder, socket, session.interrupted);
  try {
    return { connection, settings: await agreedSettings(session, connection, sends) };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** The settings of the other engine. Throws UsageError when this command would send elsewhere, or with another key. */
async function agreedSettings(session: Session, connection: Connection, sends: boolean): Promise<Settings> {
  const { settings, key, version } = await connection.api.settings.get();
  const other = inWords(connection.holder);
  if (version !== packageVersion()) {
    throw new UsageError(
      say('cli.otherVersion', { other, version, own: packageVersion() }),
      say('cli.otherVersionRemedy'),
    );
  }
  const address = sends ? settingsOf(session).baseUrl : (namedAddress(session) ?? '');
  if (address !== '' && address !== settings.baseUrl) {
    throw new UsageError(
      settings.baseUrl === ''
        ? say('cli.otherWithoutAddress', { other, address })
        : say('cli.otherAddress', { other, its: settings.baseUrl, address }),
      say('cli.otherAddressRemedy'),
    );
  }
  if (!sends) return settings;
  if (settings.baseUrl === '') {
    throw new UsageError(say('cli.noAddressThere', { other }), say('cli.noAddressThereRemedy'));
  }
  await assureSameKey(session, connection, {
    baseUrl: settings.baseUrl,
    hasKey: key.present && key.keptFor === undefined,
  });
  return settings;
}

/** A key is never sent to the other engine, only compared by its fingerprint. Without one, the engine's own is used. */
async function assureSameKey(
  session: Session,
  connection: Connection,
  { baseUrl, hasKey }: { readonly baseUrl: string; readonly hasKey: boolean },
): Promise<void> {
  const found = await findKey(session.shell, session.dataFolder);
  if (!found && !hasKey) throw new UsageError(say('cli.noKey'), howToSetKey(session));
  if (!found) return;
  assureKeyAddress(found, baseUrl);
  const fingerprint = keyFingerprint(found.key);
  if (await connection.api.settings.isKey({ fingerprint })) return;
  const other = inWords(connection.holder);
  throw new UsageError(
    hasKey ? say('cli.otherKey', { other, place: found.from }) : say('cli.otherWithoutKey', { other }),
    say('cli.otherKeyRemedy'),
  );
}
