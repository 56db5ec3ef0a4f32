import type { PowerSaveBlocker } from 'electron';
import type { AwakeHelper, KeptAwake } from '../../host/awake-helper.ts';

type Blocker = Pick<PowerSaveBlocker, 'start' | 'stop' | 'isStarted'>;

export interface KeepAwakeParts {
  readonly blocker: Blocker;
  /**
   * On Linux: Electron asks the desktop there, which may not listen (Sway, Hyprland, Niri) and never answers. Null where
   * the system itself holds what Electron asks for.
   */
  readonly helper: Pick<AwakeHelper, 'need' | 'state'> | null;
}

/** Keeps the machine from falling asleep while it is needed, and not a moment longer. The display may go dark. */
export class KeepAwake {
  readonly #parts: KeepAwakeParts;
  #id: number | null = null;

  constructor(parts: KeepAwakeParts) {
    this.#parts = parts;
  }

  get state(): KeptAwake {
    const { blocker, helper } = this.#parts;
    if (this.#id === null) return false;
    if (helper) return helper.state;
    return blocker.isStarted(this.#id) ? true : null;
  }

  need(needed: boolean): void {
    const { blocker, helper } = this.#parts;
    if (needed === (this.#id !== null)) return;
    helper?.need(needed);
    if (this.#id === null) {
      this.#id = blocker.start('prevent-app-suspension');
      return;
    }
    blocker.stop(this.#id);
    this.#id = null;
  }
}
