import { createORPCClient, ORPCError } from '@orpc/client';
import { RPCLink } from '@orpc/client/fetch';
import { Agent, fetch as fetchPlainly } from 'undici';
import { serviceOfAccount, settingsOn } from '../contract/accounts.ts';
import type { JobView } from '../contract/job.ts';
import { t } from '../contract/messages/words.ts';
import { Refused } from '../contract/failure.ts';
import type { RunProgressEvent } from '../contract/run.ts';
import type { Settings } from '../contract/settings.ts';
import { keyFingerprint } from '../engine/api/address.ts';
import { DailiesError } from '../engine/base/errors.ts';
import type { Holder } from '../engine/base/instance-lock.ts';
import type { RecoveryReport } from '../engine/jobs/recovery.ts';
import { machineId } from '../host/data-folder.ts';
import { packageVersion } from '../host/package-folder.ts';
import { AGENT_HEADER } from '../server/private/host.ts';
import { socketFor } from '../server/private/socket-path.ts';
import {
  callable,
  EngineGoneError,
  SharedRefusal,
  type Api,
  type CommandEngine,
  type RunNews,
  type WantedEngine,
  type Watch,
} from './engine.ts';
import { InterruptedError, refused, UsageError } from './exit.ts';
import { holderInWords } from './output/words.ts';
import {
  accountFor,
  assureKeyAddress,
  keyIfAny,
  namedAddress,
  requireNothingGiven,
  settingsForAccount,
} from './service-access.ts';
import type { Session } from './session.ts';

const CONNECT_MS = 3000;
/** A socket has no host name, but HTTP needs one. */
const ORIGIN = 'http://localhost';

type Connection = ReturnType<typeof connect>;

/** Nothing is sent before the first call. Calls end when `interrupted` is aborted. */
export function connect(
  holder: Holder,
  socketPath: string,
  { interrupted, agent }: { readonly interrupted?: AbortSignal; readonly agent?: string | undefined } = {},
) {
  // Waiting for an asset has no time limit.
  const dispatcher = new Agent({ connect: { socketPath, timeout: CONNECT_MS }, headersTimeout: 0, bodyTimeout: 0 });
  const link = new RPCLink({
    url: `${ORIGIN}/rpc`,
    async fetch(request) {
      const { url, method, signal } = request;
      const headers = { ...Object.fromEntries(request.headers), ...(agent !== undefined && { [AGENT_HEADER]: agent }) };
      const body = new Uint8Array(await request.arrayBuffer());
      const sent = { method, headers, body, signal, dispatcher, redirect: 'error' } as const;
      // The same class from the copy of the library that Node.js brings.
      return (await fetchPlainly(url, sent)) as unknown as Response;
    },
  });
  return {
    holder,
    api: callable(createORPCClient<Api>(link), (error) => toCliError(error, holder), interrupted),
    async *listen(stream: AsyncIterable<RunProgressEvent>): RunNews {
      try {
        yield* stream;
      } catch (error) {
        throw toCliError(error, holder);
      }
      throw new EngineGoneError(holder);
    },
    /** An address that opens one window in a browser; null when the engine serves none. Throws EngineGoneError. */
    async newEntry(): Promise<string | null> {
      try {
        const answer = await fetchPlainly(`${ORIGIN}/entry`, { method: 'POST', dispatcher, redirect: 'error' });
        return answer.ok ? await answer.text() : null;
      } catch (error) {
        throw new EngineGoneError(holder, { cause: error });
      }
    },
    close: () => dispatcher.destroy(),
  };
}

function toCliError(error: unknown, holder: Holder): unknown {
  if (!(error instanceof ORPCError)) return isOurs(error) ? error : new EngineGoneError(holder, { cause: error });
  return error.code === 'REFUSED' ? new SharedRefusal(Refused.parse(error.data)) : error;
}

/** An interruption by the person, or an error thrown by our own listener, is not a broken connection. */
const isOurs = (error: unknown): boolean => error instanceof DailiesError || error instanceof InterruptedError;

export type FoundShared = NonNullable<Awaited<ReturnType<typeof openShared>>>;

/**
 * Connects to an engine and makes sure that it does what this command would. Null when it cannot be reached: it is
 * starting, stopping or gone. Throws UsageError when it must not be used; nothing was sent then.
 */
export async function openShared(session: Session, holder: Holder, wanted: WantedEngine) {
  const socket = socketFor(holder, machineId(session.shell));
  if (socket === null) return null;
  const connection = connect(holder, socket, { interrupted: session.interrupted, agent: wanted.agent });
  try {
    const settings = await agreedSettings(session, connection, wanted);
    return { engine: sharedEngine(session, connection), settings, close: connection.close };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** The settings of the other engine. Throws UsageError when this command would send elsewhere, or with another key. */
async function agreedSettings(
  session: Session,
  connection: Connection,
  { sends, project }: WantedEngine,
): Promise<Settings> {
  const { settings, key: ofFirst, accounts, version } = await connection.api.settings.get();
  const other = holderInWords(connection.holder);
  if (version !== packageVersion()) {
    throw refused('cli.otherVersion', { other, version, own: packageVersion() });
  }
  const account = accountFor(session, project);
  // Each project is sent with the key of its account, which that engine has.
  if (account === null) {
    if (sends) requireNothingGiven(session);
    return settings;
  }
  const accountId = account.id;
  const { baseUrl } = settingsOn(settings, serviceOfAccount(accountId));
  const address = sends ? settingsForAccount(session, account).baseUrl : (namedAddress(session) ?? '');
  if (address !== '' && address !== baseUrl) {
    const has = baseUrl === '' ? 'none' : 'another';
    throw refused('cli.otherAddress', { has, other, its: baseUrl, address });
  }
  if (!sends) return settings;
  if (baseUrl === '') throw refused('cli.noAddressThere', { other });
  // A key is never sent to the other engine, only compared by its fingerprint. Without one, the engine's own is used.
  const found = await keyIfAny(session, account);
  const key = accounts.find(({ id }) => id === accountId)?.key ?? ofFirst;
  const hasKey = key.present && key.keptFor === undefined;
  if (!found && !hasKey) throw new UsageError(t('failure.noKey'), t('cli.remedySetRightKey'));
  if (!found) return settings;
  assureKeyAddress(found, baseUrl);
  const fingerprint = keyFingerprint(found.key);
  if (await connection.api.settings.isKey({ fingerprint, accountId })) return settings;
  throw refused('cli.otherKey', { has: hasKey ? 'another' : 'none', other, place: found.from });
}

const nothingRecovered: RecoveryReport = { unknownSubmits: 0, recoveredAnswers: 0, interruptedImports: [] };

/** The engine of another process, for commands. That process reads the files: it is on this machine. */
function sharedEngine(session: Session, connection: Connection): CommandEngine {
  const { holder, api } = connection;
  return {
    ...{ api, sharedBy: holder, recovery: nothingRecovered },
    listen: connection.listen,
    async watch(scope, { resumePaused, progress }) {
      // Others paused it: their pause stays for a list that was started just now.
      if (progress) return watch(session, connection, progress);
      if (resumePaused) await api.queue.resume({});
      return watch(session, connection, connection.listen(await api.runs.follow(scope)));
    },
  };
}

async function watch({ line }: Session, connection: Connection, progress: RunNews): Promise<Watch> {
  const takes: JobView[] = [];
  for (;;) {
    const { done, value } = await progress.next();
    if (done === true || value.type !== 'takes') throw new EngineGoneError(connection.holder);
    takes.push(...value.takes);
    if (value.last) break;
  }
  return {
    takes,
    async go(onEvent) {
      for await (const message of progress) {
        if (message.type === 'events') message.events.forEach(onEvent);
        if (message.type === 'ended') return message.end;
      }
      throw new EngineGoneError(connection.holder);
    },
    whenPaused: t('cli.whenPaused', { command: line('resume') }),
    interruptNotice: () => t('cli.farewell', { other: holderInWords(connection.holder), command: line('status') }),
  };
}
