import type { Lane } from './lanes.ts';
import type { StepContext } from './step-context.ts';

/** Asks services something harmless, one at a time, to learn whether submits make sense again. */
export class Probing {
  readonly #context: StepContext;
  readonly #onEnd: () => void;
  #isUnderWay = false;

  constructor(context: StepContext, onEnd: () => void) {
    this.#context = context;
    this.#onEnd = onEnd;
  }

  probe({ service, gates }: Lane): void {
    const { clients, ports, stopping } = this.#context;
    const account = clients.currentIfAny(service);
    if (this.#isUnderWay || !account) return;
    this.#isUnderWay = true;
    void (clients.forAccount(account)?.probe({ signal: stopping }) ?? Promise.resolve(false))
      .then((answered) => gates.onProbe(answered, ports.clock.now()))
      .finally(() => {
        this.#isUnderWay = false;
        this.#onEnd();
      });
  }
}
