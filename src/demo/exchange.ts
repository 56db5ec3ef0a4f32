import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal, type Answer } from './answer.ts';
import { parseBody, readBytes, type Call, type CallBody } from './call.ts';
import { deliver, wholeDelivery, type Delivery } from './deliver.ts';
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
  /** Aborts when the service stops. */
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
    const broken = tools.faults.strikeBeforeBody({ method: entry.method, path: entry.path });
    if (broken !== undefined) {
      await breakOff(request, entry, broken.afterBytes);
      return;
    }
    const bytes = await readBytes(request);
    const body = await parseBody(bytes, request.headers['content-type']);
    entry.body = noteBody(body);
    const { method, path, query: rawQuery } = entry;
    const call: Call = {
      ...{ method, path, rawQuery, query: new URLSearchParams(rawQuery), headers: request.headers },
      ...{ origin, body, entry, fault: undefined, signal: tools.signal, parts: tools.parts },
    };
    const delivery = await decide(call, tools);
    const bodyless = method === 'HEAD';
    await deliver(response, delivery, { clock: tools.parts.clock, entry, signal: tools.signal, bodyless });
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
  const fault = isControl ? undefined : tools.faults.strike(subjectOf(call));
  if (fault === undefined) return wholeDelivery(await respond(call, tools));
  call.fault = fault;
  call.entry.fault = fault.fault;
  const respondTo = (faultyCall: Call): Promise<Answer> => respond(faultyCall, tools);
  return corrupt(fault, call, { respond: respondTo, otherOrigin: tools.otherOrigin() });
}

function outageDelivery(answer: 'refused' | 'reset' | number): Delivery {
  if (typeof answer !== 'number') return { answer: null, framing: 'length', ending: 'reset' };
  const message = 'The service is not available at the moment.';
  return wholeDelivery(new Refusal(answer, 'service_unavailable', message).answer);
}

/** The answer of the call's route; refusals become an ErrorResponse. */
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
function subjectOf(call: Call): FaultSubject {
  const subject: FaultSubject = { method: call.method, path: call.path };
  const task = mediaSubject(call.path, call.parts)?.task ?? call.parts.tasks.get(call.path.replace(/^.*\//, ''));
  if (task !== undefined) {
    return { ...subject, prompt: task.wanted.prompt, model: task.model, kind: task.kind, taskId: task.id };
  }
  const prompt = promptOf(call.body);
  const model = modelOf(call);
  const kind = model === undefined ? undefined : findModel(model)?.kind;
  return { ...subject, prompt, model, kind };
}

function modelOf({ path, body }: Call): string | undefined {
  const model = bodyFields(body).model ?? /\/models\/([^/:]+)/.exec(path)?.[1];
  return typeof model === 'string' ? model : undefined;
}

function promptOf(body: CallBody): string | undefined {
  const { prompt, input, content, contents, messages, query, url } = bodyFields(body);
  const texts = textsIn([prompt, input, content, contents, messages, query, url]);
  return texts.length === 0 ? undefined : texts.join('\n');
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value !== 'object' || value === null) return [];
  const { text, content, parts, messages } = value as Record<string, unknown>;
  return textsIn([text, content, parts, messages]);
}

function bodyFields(body: CallBody): Record<string, unknown> {
  if (body.shape === 'form') return body.fields;
  if (body.shape !== 'json' || typeof body.value !== 'object' || body.value === null) return {};
  return body.value as Record<string, unknown>;
}

function noteBody(body: CallBody): unknown {
  switch (body.shape) {
    case 'none':
      return null;
    case 'json':
      return body.value;
    case 'form':
      return { fields: body.fields, files: body.files };
    case 'unreadable':
      return { unreadable: body.reason };
  }
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
    headers: maskedHeaders(request),
    hasAuthorization,
    authorized: authorization === `Bearer ${tools.apiKey}`,
    leakedKey: hasAuthorization && path.startsWith('/media/'),
  });
}

function maskedHeaders(request: IncomingMessage): Record<string, string> {
  const pairs = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as const);
  return Object.fromEntries(pairs.map(([name, value]) => [name, name === 'authorization' ? 'masked' : value]));
}
