import { messageFor } from '../../contract/messages/message.ts';
import type { Route, RoutesTo, Target } from '../base/ports.ts';
import { isOfThisMachine, namesProxy, proxiesOf, type Environment } from './proxies.ts';
import { ProxyError } from './tunnel.ts';

/**
 * What the system's settings say of an address, as the result of a PAC script: `PROXY proxy.studio:3128;DIRECT`. Only the
 * app can ask.
 */
export type AskSystem = (origin: string) => Promise<string>;

/**
 * The routes of a process: by its environment where that names a proxy, else by the system's settings where they can be
 * asked. They are asked again for each connection, since a laptop moves between networks.
 */
export function routesFrom(env: Environment, askSystem: AskSystem | undefined): RoutesTo {
  const byEnvironment = proxiesOf(env);
  if (askSystem === undefined || namesProxy(env)) return byEnvironment;
  return async (target) =>
    isOfThisMachine(target.hostname) ? [null] : routesInPac(await answerOf(askSystem, originOf(target)));
}

/** An empty answer is one of Electron's too: a script that must be obeyed could not be read. */
async function answerOf(askSystem: AskSystem, origin: string): Promise<string> {
  try {
    return await askSystem(origin);
  } catch (error) {
    throw new ProxyError(messageFor('failure.systemProxy'), { cause: error });
  }
}

/** Only the origin: a path or a signature has no business in a script of the network's. */
const originOf = ({ protocol, hostname, port }: Target): string =>
  `${protocol}//${hostname}${port === '' ? '' : `:${port}`}`;

const SCHEMES: Readonly<Record<string, string>> = {
  PROXY: 'http',
  HTTP: 'http',
  HTTPS: 'https',
  SOCKS: 'socks4',
  SOCKS4: 'socks4',
  SOCKS5: 'socks5',
  QUIC: 'quic',
};

/** Reads the result of a PAC script. Throws {@link ProxyError} where nothing can be read from it. */
export function routesInPac(answer: string): readonly Route[] {
  const entries = answer
    .split(';')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const routes = entries.map(routeIn).filter((route) => route !== undefined);
  if (routes.length === 0 || routes.length < entries.length) throw new ProxyError(messageFor('failure.systemProxy'));
  return routes;
}

function routeIn(entry: string): Route | undefined {
  if (/^DIRECT$/i.test(entry)) return null;
  const [, word = '', host = ''] = /^(\w+)\s+(\S+)$/.exec(entry) ?? [];
  const scheme = SCHEMES[word.toUpperCase()];
  return (scheme === undefined ? null : URL.parse(`${scheme}://${host}`)) ?? undefined;
}
