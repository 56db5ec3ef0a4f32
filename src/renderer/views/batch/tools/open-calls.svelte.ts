import type { OpenCall } from '../../../../contract/prompts.ts';
import { api } from '../../../lib/client.ts';
import { Resource } from '../../../lib/state/resource.svelte.ts';
import { toastError } from '../../../lib/toasts.ts';

/** How often a running call is checked, ms. */
const LOOK_EVERY_MS = 2000;

/** The calls of one place that wait for a person: running, answered and not used, or unclear. */
export class OpenCalls<Call extends OpenCall> {
  readonly projectId: string;
  readonly list: Resource<string, Call[]>;

  constructor(projectId: string, isOurs: (call: OpenCall) => call is Call) {
    this.projectId = projectId;
    this.list = new Resource({
      of: () => projectId,
      read: async (of) => (await api.tools.open({ projectId: of })).filter(isOurs),
      changedBy: () => false,
      staysShown: true,
    });
  }

  get all(): readonly Call[] {
    return this.list.current ?? [];
  }

  /** Keeps them up to date until the returned function is called. For `$effect`. */
  follow(): () => void {
    const stop = this.list.follow();
    const timer = setInterval(() => {
      if (this.all.some(({ state }) => state === 'sent')) void this.list.refresh();
    }, LOOK_EVERY_MS);
    return () => {
      clearInterval(timer);
      stop();
    };
  }

  async dismiss({ id }: OpenCall): Promise<void> {
    await api.tools.dismiss({ callId: id }).catch(toastError);
    await this.list.refresh();
  }

  /** Its answer has served, or is not wanted. */
  async used(callIds: readonly string[]): Promise<void> {
    try {
      for (const callId of callIds) await api.tools.used({ callId });
    } catch (error) {
      toastError(error);
    }
    await this.list.refresh();
  }
}
