import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal, type Answer } from './answer.ts';
import { buffer } from 'node:stream/consumers';
import { fieldsIn, parseBody, type Call } from './call.ts';
import { deliver, type Delivery } from './deliver.ts';
import { corrupt } from './fault-effects.ts';
import type { Faults, FaultSubject } from './faults.ts';
import type { LedgerEntry } from './ledger.ts';
import { findModel } from './models.ts';
import { mediaSubject } from './entries/results.ts';
import { matchPath, type Route } from './entries/request.ts';
import type { ServiceParts } from './service-parts.ts';

export interface ExchangeTools {
  parts: ServiceParts;
  faults: Faults;
  routes: readonly Route[];
  apiKey: string;
  /** Another origin that reaches this service, for redirects. */
  otherOrigin: () => string;
  signal: AbortSignal;
}

export async function exchange(
  request: IncomingMessage,
  response: ServerResponse,
  origin: 'api' | 'media',
  tools: ExchangeTools,
): Promise<void> {
  const entry = openEntry(request, origin, tools);
  response.once('close', () => {
    if (entry.ending === 'pending') entry.ending = 'client-left';
  });
  try {
    const broken = tools.faults.strike({ method: entry.method, path: entry.path }, true);
    if (broken?.fault === 'break-request') {
      await breakOff(request, entry, broken.afterBytes);
      return;
    }
    const body = await parseBody(await buffer(request), request.headers['content-type']);
    entry.body = body.json ?? body.form ?? ('unreadable' in body ? body : null);
    const { method, path, query: rawQuery } = entry;
    const call: Call = {
      ...{ method, path, rawQuery, query: new URLSearchParams(rawQuery), headers: request.headers },
      ...{ origin, body, entry, fault: undefined, signal: tools.signal, parts: tools.parts },
    };
    const delivery = await decide(call, tools);
    await deliver(response, delivery, call);
  } catch {
    // The client went away in the middle of its request, or the service stops in the middle of an answer.
    if (entry.ending === 'pending' && tools.signal.aborted) entry.ending = 'reset';
    response.destroy();
  }
}

/** Reads a piece of the body and cuts the connection in the middle of it. */
async function breakOff(request: IncomingMessage, entry: LedgerEntry, afterBytes: number): Promise<void> {
  let read = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    read += chunk.length;
    if (read >= afterBytes) break;
  }
  entry.fault = 'break-request';
  entry.ending = 'reset';
  request.socket.resetAndDestroy();
}

async function decide(call: Call, tools: ExchangeTools): Promise<Delivery> {
  const isControl = call.path.startsWith('/__demo/');
  const outage = isControl ? null : tools.faults.currentOutage;
  if (outage !== null) return outageDelivery(outage.answer);
  const fault = isControl ? undefined : tools.faults.strike(toSubject(call));
  if (fault === undefined) return { answer: await respond(call, tools) };
  call.fault = fault;
  call.entry.fault = fault.fault;
  return corrupt(fault, call, () => respond(call, tools), tools.otherOrigin());
}

function outageDelivery(answer: 'refused' | 'reset' | number): Delivery {
  if (typeof answer !== 'number') return { answer: null, ending: 'reset' };
  const message = 'The service is not available at the moment.';
  return { answer: new Refusal(answer, 'service_unavailable', message).answer };
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

/** The task a call is about: the one it asks for by path, or the one its body orders. */
function toSubject({ method, path, body, parts }: Call): FaultSubject {
  const task = mediaSubject(path, parts)?.task ?? parts.tasks.get(path.replace(/^.*\//, ''));
  if (task !== undefined) {
    return { method, path, prompt: task.wanted.prompt, model: task.model, kind: task.kind, taskId: task.id };
  }
  const { prompt, input, content, contents, messages, query, url, ...fields } = fieldsIn(body);
  const texts = textsIn([prompt, input, content, contents, messages, query, url]);
  const named = fields.model ?? /\/models\/([^/:]+)/.exec(path)?.[1];
  const model = typeof named === 'string' ? named : undefined;
  const kind = model === undefined ? undefined : findModel(model)?.kind;
  return { method, path, prompt: texts.length === 0 ? undefined : texts.join('\n'), model, kind };
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value !== 'object' || value === null) return [];
  const { text, content, parts, messages } = value as Record<string, unknown>;
  return textsIn([text, content, parts, messages]);
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
