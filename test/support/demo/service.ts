import type { IncomingMessage, ServerResponse } from 'node:http';
import { addressExpired, Refusal, type Answer, type Call, type CallBody } from '../../../src/demo/call.ts';
import { realClock } from '../../../src/demo/task-store.ts';
import { mediaSubject } from '../../../src/demo/entries/results.ts';
import type { Interceptor } from '../../../src/demo/exchange.ts';
import { findModel } from '../../../src/demo/models.ts';
import {
  startDemoService as startWithoutFaults,
  type DemoService as WithoutFaults,
  type DemoServiceOptions,
  type LedgerEntry,
} from '../../../src/demo/service.ts';
import { deliver, type Delivery } from './deliver.ts';
import { corrupt } from './fault-effects.ts';
import { Faults, type FaultSubject } from './faults.ts';

export type * from '../../../src/demo/service.ts';
export type { Fault, FaultRule } from './fault-rules.ts';
export type { AnswerShape, RecordShape } from './record-shapes.ts';

export interface DemoService extends WithoutFaults {
  readonly faults: Faults;
}

/** The demo service of the product, which breaks what its `faults` say. */
export async function startDemoService(options: DemoServiceOptions = {}): Promise<DemoService> {
  const faults = new Faults(options.clock ?? realClock, (isOpen) => service.setOpen(isOpen));
  const interceptor = new FaultyWire(faults, () => service, options.interceptor);
  const service = await startWithoutFaults({ ...options, interceptor });
  const stop = async (): Promise<void> => {
    faults.abandonOutage();
    await service.stop();
  };
  return { ...service, faults, stop };
}

class FaultyWire implements Interceptor {
  readonly #faults: Faults;
  readonly #service: () => WithoutFaults;
  readonly #inner: Interceptor | undefined;
  readonly #revoked = new Set<string>();

  constructor(faults: Faults, service: () => WithoutFaults, inner: Interceptor | undefined) {
    this.#faults = faults;
    this.#service = service;
    this.#inner = inner;
  }

  async breaksOff(request: IncomingMessage, entry: LedgerEntry): Promise<boolean> {
    const fault = this.#faults.strike({ method: entry.method, path: entry.path }, true);
    if (fault?.fault !== 'break-request') return false;
    let read = 0;
    for await (const chunk of request as AsyncIterable<Buffer>) {
      read += chunk.length;
      if (read >= fault.afterBytes) break;
    }
    entry.fault = 'break-request';
    entry.ending = 'reset';
    request.socket.resetAndDestroy();
    return true;
  }

  async answer(call: Call, respond: () => Promise<Answer>, response: ServerResponse): Promise<null> {
    // What `otherPath` adds to an address is not part of what is signed.
    call.path = call.path.replace(/;\d+$/, '');
    const delivery = await this.#decide(call, respond, response);
    if (delivery) await deliver(response, delivery, call);
    return null;
  }

  async #decide(call: Call, respond: () => Promise<Answer>, response: ServerResponse): Promise<Delivery | null> {
    const { currentOutage: outage } = this.#faults;
    if (outage?.answer === 'refused' || outage?.answer === 'reset') return { answer: null, ending: 'reset' };
    if (outage) {
      return { answer: new Refusal(outage.answer, 'service_unavailable', 'It is not available at the moment.').answer };
    }
    const fault = this.#faults.strike(toSubject(call));
    if (fault) {
      call.entry.fault = fault.fault;
      const { url, port } = this.#service();
      const { origin } = call.parts.addresses;
      const otherOrigin = origin === url ? `http://localhost:${String(port)}` : origin;
      return corrupt(fault, call, respond, { otherOrigin, revoke: (query) => this.#revoked.add(query) });
    }
    if (this.#revoked.has(call.rawQuery)) return { answer: addressExpired().answer };
    const answer = await (this.#inner?.answer(call, respond, response) ?? respond());
    return answer && { answer };
  }
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

function fieldsIn({ form, json }: CallBody): Record<string, unknown> {
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
  return form?.fields ?? (isObject ? (json as Record<string, unknown>) : {});
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value !== 'object' || value === null) return [];
  const { text, content, parts, messages } = value as Record<string, unknown>;
  return textsIn([text, content, parts, messages]);
}

/** What an administrator of the real service would do; there is no request for it. */
export function disableGroup({ assets }: Pick<DemoService, 'assets'>, id: string): void {
  const group = assets.groupsById.get(id);
  if (group) assets.groupsById.set(id, { ...group, status: 'disabled' });
}
