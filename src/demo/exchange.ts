import type { ServerResponse, IncomingMessage } from 'node:http';
import { Refusal, type Answer, type Call, parseBody } from './call.ts';
import { mediaSubject } from './entries/results.ts';
import { buffer } from 'node:stream/consumers';
import { matchPath, type Route } from './entries/request.ts';
import type { LedgerEntry } from './ledger.ts';
import type { ServiceParts } from './service-parts.ts';

/** Stands between the wire and the routes: the mishaps of `dailies demo`, and whatever a test breaks. */
export interface Interceptor {
  /** Before the body is read; true when it has broken the request off. */
  breaksOff?(request: IncomingMessage, entry: LedgerEntry): Promise<boolean>;
  /** The answer to send whole; null when it has dealt with the response itself. `respond` answers as a route does. */
  answer(call: Call, respond: () => Promise<Answer>, response: ServerResponse): Promise<Answer | null>;
}

export interface ExchangeTools {
  parts: ServiceParts;
  interceptor: Interceptor | null;
  routes: readonly Route[];
  apiKey: string;
  signal: AbortSignal;
}

export async function exchange(
  request: IncomingMessage,
  response: ServerResponse,
  origin: 'api' | 'media',
  tools: ExchangeTools,
): Promise<void> {
  const { parts, interceptor, signal } = tools;
  const entry = openEntry(request, origin, tools);
  response.once('close', () => {
    if (entry.ending === 'pending') entry.ending = 'client-left';
  });
  try {
    if (await interceptor?.breaksOff?.(request, entry)) return;
    const body = await parseBody(await buffer(request), request.headers['content-type']);
    entry.body = body.json ?? body.form ?? ('unreadable' in body ? body : null);
    const { method, path, query: rawQuery } = entry;
    const call: Call = {
      ...{ method, path, rawQuery, query: new URLSearchParams(rawQuery), headers: request.headers },
      ...{ origin, body, entry, overrides: {}, signal, parts },
    };
    const routed = () => respond(call, tools);
    const answer = await (interceptor?.answer(call, routed, response) ?? routed());
    if (answer !== null && !response.destroyed) send(response, answer, call);
  } catch {
    // The client went away in the middle of its request, or the service stops in the middle of an answer.
    if (entry.ending === 'pending' && signal.aborted) entry.ending = 'reset';
    response.destroy();
  }
}

function send(response: ServerResponse, { status, headers, body }: Answer, { method, entry }: Call): void {
  entry.status = status;
  entry.ending = 'complete';
  response.writeHead(status, { ...headers, 'content-length': String(body.length) });
  response.end(method === 'HEAD' ? undefined : body);
}

async function respond(call: Call, tools: ExchangeTools): Promise<Answer> {
  try {
    const { route, values } = findRoute(call, tools.routes);
    if (route.open !== true && !call.entry.authorized) throw unauthorized(call.entry.hasAuthorization);
    return await route.answer(call, ...values);
  } catch (error) {
    if (error instanceof Refusal) return error.answer;
    if (tools.signal.aborted) throw error;
    const message = error instanceof Error ? error.message : String(error);
    return new Refusal(500, 'internal_error', message).answer;
  }
}

function findRoute(call: Call, routes: readonly Route[]): { route: Route; values: string[] } {
  let pathIsKnown = false;
  for (const route of routes) {
    const values = matchPath(route.path, call.path);
    if (values === null) continue;
    if (route.method === call.method) return { route, values };
    pathIsKnown = true;
  }
  if (!pathIsKnown) {
    throw new Refusal(404, 'unknown_route', `There is nothing at ${call.path}.`);
  }
  const message = `${call.path} does not take ${call.method}.`;
  throw new Refusal(405, 'method_not_allowed', message);
}

function unauthorized(keyWasGiven: boolean): Refusal {
  const message = keyWasGiven
    ? 'The API key is not valid.'
    : 'The API key is missing: send the header "Authorization: Bearer <API_KEY>".';
  const code = keyWasGiven ? 'invalid_api_key' : 'missing_api_key';
  return new Refusal(401, code, message, { type: 'authentication_error' });
}

function openEntry(request: IncomingMessage, origin: 'api' | 'media', tools: ExchangeTools): LedgerEntry {
  const [path = '/', ...rest] = (request.url ?? '/').split('?');
  const authorization = request.headers.authorization;
  const hasAuthorization = authorization !== undefined;
  return tools.parts.ledger.open({
    at: tools.parts.clock.now(),
    method: request.method ?? 'GET',
    path,
    query: rest.join('?'),
    origin,
    headers: {
      ...Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
      ...(hasAuthorization && { authorization: 'masked' }),
    },
    hasAuthorization,
    authorized: authorization === `Bearer ${tools.apiKey}`,
    leakedKey: hasAuthorization && path.startsWith('/media/'),
  });
}

const CUT_AFTER = 4096;

/** What a person may watch a run recover from. Each happens once, to the shot with that prompt; then `met` is true. */
export class Mishaps implements Interceptor {
  throttled = { prompt: '', met: false };
  cutOff = { prompt: '', met: false };

  async answer(call: Call, respond: () => Promise<Answer>, response: ServerResponse): Promise<Answer | null> {
    if (call.method === 'POST' && strikes(this.throttled, JSON.stringify(call.body.json ?? call.body.form))) {
      const message = 'Too many requests. Wait before you ask again.';
      return new Refusal(429, 'rate_limit_exceeded', message, { retryAfterSeconds: 1 }).answer;
    }
    const answer = await respond();
    const prompt = mediaSubject(call.path, call.parts)?.task.wanted.prompt ?? '';
    if (!strikes(this.cutOff, JSON.stringify(prompt))) return answer;
    call.entry.status = answer.status;
    call.entry.ending = 'cut';
    response.writeHead(answer.status, { ...answer.headers, 'content-length': String(answer.body.length) });
    response.write(answer.body.subarray(0, CUT_AFTER), () => response.socket?.destroySoon());
    return null;
  }
}

function strikes(mishap: { readonly prompt: string; met: boolean }, json = ''): boolean {
  if (mishap.met || mishap.prompt === '' || !json.includes(JSON.stringify(mishap.prompt).slice(1, -1))) return false;
  mishap.met = true;
  return true;
}
