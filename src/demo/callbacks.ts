import { jsonAnswer } from './answer.ts';
import type { Call } from './call.ts';
import { jobView } from './job-view.ts';
import type { ServiceParts } from './service-parts.ts';
import type { TaskRecord } from './task-store.ts';
import { taskView } from './task-view.ts';

type Fields = Record<string, unknown>;

/** Nothing of the demo leaves this machine. */
const THIS_MACHINE = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Reports a finished task, once, to the address that its request names (reference: Events). The payload is not shown there:
 * here it is the task as its query shows it.
 */
export async function reportWhenDone(task: TaskRecord, { body, signal }: Call, parts: ServiceParts): Promise<void> {
  const { callback_url: snake, callBackUrl: camel, notifyHook } = body.shape === 'json' ? (body.value as Fields) : {};
  const url = task.resource === 'jobs' ? notifyHook : (camel ?? snake);
  if (!parts.callbacks || task.end === 'never' || !isOnThisMachine(url)) return;
  try {
    await parts.clock.sleep(task.takesMs, { signal });
    const view =
      task.resource === 'jobs' ? jobView(task, parts) : taskView(task, parts.tasks.statusOf(task), parts.addresses);
    const { headers, body: content } = jsonAnswer(view);
    await fetch(url, { method: 'POST', headers, body: new Uint8Array(content), redirect: 'manual', signal });
  } catch {
    // No listener, or the service stops: the reference does not say whether a callback is sent again.
  }
}

const isOnThisMachine = (url: unknown): url is string =>
  typeof url === 'string' && THIS_MACHINE.includes(URL.parse(url)?.hostname ?? '');
