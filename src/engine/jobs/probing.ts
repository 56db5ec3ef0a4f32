import type { Lane } from './lanes.ts';
import type { StepContext } from './step-context.ts';

/** Asks services something harmless, one question a service, to learn whether submits make sense again. */
export class Probing {
  readonly #context: StepContext;
  readonly #onEnd: () => void;

  constructor(context: StepContext, onEnd: () => void) {
    this.#context = context;
    this.#onEnd = onEnd;
  }

  probe(lane: Lane): void {
    const { clients, ports, stopping } = this.#context;
    const account = clients.currentIfAny(lane.service);
    if (lane.isProbing || !account) return;
    lane.isProbing = true;
    void (clients.forAccount(account)?.probe({ signal: stopping }) ?? Promise.resolve(false))
      .then((answered) => lane.gates.onProbe(answered, ports.clock.now()))
      .finally(() => {
        lane.isProbing = false;
        this.#onEnd();
      });
  }
}
