import type { DemoService } from './demo/service.ts';

/** No task of the service ends until the result is called: a run cannot be over before a test does something to it. */
export function holdTasks({ faults }: DemoService): () => void {
  const held = faults.add({
    match: { method: 'GET', path: '/v1/*/*', times: 'always' },
    do: { fault: 'task-status', status: 'running' },
  });
  return () => faults.remove(held);
}
