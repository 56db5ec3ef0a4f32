import type { PowerSaveBlocker } from 'electron';

/** Keeps the machine from falling asleep while it is needed, and not a moment longer. The display may go dark. */
export class KeepAwake {
  readonly #blocker: Pick<PowerSaveBlocker, 'start' | 'stop'>;
  #id: number | null = null;

  constructor(blocker: Pick<PowerSaveBlocker, 'start' | 'stop'>) {
    this.#blocker = blocker;
  }

  get holds(): boolean {
    return this.#id !== null;
  }

  need(needed: boolean): void {
    if (needed === this.holds) return;
    if (this.#id === null) {
      this.#id = this.#blocker.start('prevent-app-suspension');
      return;
    }
    this.#blocker.stop(this.#id);
    this.#id = null;
  }
}
