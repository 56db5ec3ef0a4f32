import { randomBytes } from 'node:crypto';
import type { MediaAddresses } from './media-addresses.ts';
import { MAKERS } from './media/makers.ts';
import { places } from './record-shapes.ts';
import type { TaskRecord } from './task-store.ts';

/** A Task as the reference shows it, at this moment (reference: Resources, Task). */
export function taskView(task: TaskRecord, status: string, addresses: MediaAddresses): Record<string, unknown> {
  const urls = status === 'succeeded' ? resultUrls(task, addresses) : [];
  return {
    id: shownId(task),
    task_id: shownId(task),
    object: 'task',
    status,
    model: task.model,
    created_at: Math.floor(task.createdAt / 1000),
    output: [],
    error: status === 'failed' ? task.error : null,
    trace_id: task.traceId,
    request_id: task.traceId,
    task_chain: taskChain(task, status, urls),
    ...(task.kind === 'video' ? { input_references: task.references.map(boundReference) } : {}),
    ...placeResult(task, urls),
  };
}

/** Ids of digits alone are numbers on the wire, longer than a JavaScript number can be: see `jsonAnswer`. */
function shownId({ id }: TaskRecord): string | bigint {
  return /^\d+$/.test(id) ? BigInt(id) : id;
}

/** A freshly signed address for each output of a task. */
export function resultUrls(task: TaskRecord, addresses: MediaAddresses): string[] {
  return Array.from({ length: task.wanted.outputs }, (_, index) => addresses.mint(task, index));
}

export function newRequestId(): string {
  return `req_${randomBytes(10).toString('hex')}`;
}

function taskChain(task: TaskRecord, status: string, urls: string[]): Record<string, unknown>[] {
  const generation = { step: 'generation', status };
  const [first] = urls;
  if (first === undefined) return [generation];
  // With another place asked for, the address must not be found here: a client would never look there.
  const shown = task.resultPlace === 'output[0].url' ? { result_url: first } : {};
  return [generation, { step: 'result_url_policy', status: 'succeeded', result_url_policy: 'direct_return', ...shown }];
}

function boundReference(reference: TaskRecord['references'][number]): Record<string, unknown> {
  return { ...reference, binding_status: 'bound' };
}

function placeResult(task: TaskRecord, urls: string[]): Record<string, unknown> {
  const [url] = urls;
  if (url === undefined) return {};
  if (task.resultPlace !== 'output[0].url') return places[task.resultPlace](url);
  const type = MAKERS[task.kind].outputType;
  return { output: urls.map((address) => ({ type, url: address })) };
}
