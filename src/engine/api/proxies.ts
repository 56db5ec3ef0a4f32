import { messageFor } from '../../contract/messages/message.ts';
import type { Route, RoutesTo, Target } from '../base/ports.ts';
import { isIP, isIPv6 } from 'node:net';
import { toReach, unbracketed } from './address.ts';
import { refused } from '../base/errors.ts';
import { ProxyError } from './errors.ts';

export const directly = (): readonly Route[] => [null];

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxies set in the environment, read as other programs do: `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and
 * `NO_PROXY`, lower case first. Services on this machine are always reached directly. Throws RefusedError for a value
 * that cannot be read, because a person who set a proxy does not want a direct connection.
 */
export function toProxies(env: Environment): (target: Target) => readonly [Route] {
  const proxyIn = (name: string): URL | null => proxyNamed(name, valueFor(env, name));
  const all = proxyIn('ALL_PROXY');
  const byProtocol: Readonly<Record<string, URL | null>> = {
    'https:': proxyIn('HTTPS_PROXY') ?? all,
    'http:': proxyIn('HTTP_PROXY') ?? all,
  };
  const exempt = exemptions(valueFor(env, 'NO_PROXY'));
  return (target) => {
    const proxy = byProtocol[target.protocol] ?? null;
    return [proxy === null || isOfThisMachine(target.hostname) || exempt(target) ? null : proxy];
  };
}

export const namesProxy = (env: Environment): boolean =>
  ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'].some((name) => valueFor(env, name) !== '');

const valueFor = (env: Environment, name: string): string => (env[name.toLowerCase()] ?? env[name] ?? '').trim();

function proxyNamed(variable: string, text: string): URL | null {
  if (text === '') return null;
  // `proxy.studio:3128` is as common as `http://proxy.studio:3128`.
  const proxy = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  // Do not repeat the text: it may contain a password.
  if (proxy && !canBeDecoded(proxy.username + proxy.password)) {
    throw refused('bad_proxy', messageFor('failure.proxyPercent', { variable }), 'remedy.writePercent');
  }
  if (proxy) return proxy;
  throw refused('bad_proxy', messageFor('failure.notAProxy', { variable }), 'remedy.setProxy');
}

function canBeDecoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** `.studio.example`, `*.studio.example` and `studio.example` mean the name and its subdomains; `*` everything. */
function exemptions(text: string): (target: Target) => boolean {
  const entries = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map(exemption);
  return ({ protocol, hostname, port }) => {
    const host = unbracketed(hostname).toLowerCase();
    const usual = protocol === 'https:' ? '443' : '80';
    return entries.some(
      (entry) =>
        (entry.port === undefined || entry.port === (port || usual)) &&
        (entry.name === '*' || host === entry.name || host.endsWith(`.${entry.name}`)),
    );
  };
}

function exemption(entry: string): { readonly name: string; readonly port: string | undefined } {
  // The end of an IPv6 address looks like a port. It has a port only when the address is in brackets.
  const withPort = isIPv6(entry) ? null : /^(.*?):(\d+)$/.exec(entry);
  const name = unbracketed(withPort?.[1] ?? entry);
  // An IPv6 address can be written in several ways; `URL` gives one form.
  const plain = isIPv6(name)
    ? unbracketed(URL.parse(`http://[${name}]`)?.hostname ?? name)
    : name.replace(/^\*?\./, '');
  return { name: plain, port: withPort?.[2] };
}

function isOfThisMachine(hostname: string): boolean {
  const host = unbracketed(hostname);
  if (isIP(host) !== 0) return toReach(host) === 'loopback';
  return host === 'localhost' || host.endsWith('.localhost');
}

/** The system's settings for an address, as a PAC script says it: `PROXY proxy.studio:3128;DIRECT`. */
export type AskSystem = (origin: string) => Promise<string>;

/** By environment, else by the system's settings: asked for each connection, since a laptop moves between networks. */
export function routesFrom(env: Environment, askSystem: AskSystem | undefined): RoutesTo {
  const byEnvironment = toProxies(env);
  if (askSystem === undefined || namesProxy(env)) return byEnvironment;
  return async (target) =>
    isOfThisMachine(target.hostname) ? [null] : routesInPac(await answerFor(askSystem, toOrigin(target)));
}

/** An empty answer is one of Electron's too: a script that must be obeyed could not be read. */
async function answerFor(askSystem: AskSystem, origin: string): Promise<string> {
  try {
    return await askSystem(origin);
  } catch (error) {
    throw new ProxyError(messageFor('failure.systemProxy'), { cause: error });
  }
}

/** Only the origin: a path or a signature has no business in a script of the network's. */
const toOrigin = ({ protocol, hostname, port }: Target): string =>
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
