import { t } from '../../../contract/messages/words.ts';
import type { DesktopAbilities, DesktopEvent, UpdateChoice, UpdateState } from '../../../contract/desktop.ts';
import { MAX_CARRIED } from '../../../contract/review.ts';
import { api, bridge } from '../client.ts';
import { toastError } from '../toasts.ts';
import { changeStream } from './changes.svelte.ts';

/** How long after a lost connection to the program around the window it is tried again, ms. */
const RETRY_MS = 1000;

/** What every browser can do; used until the host has answered. */
const leastAbilities: Omit<DesktopAbilities, 'host' | 'system'> = {
  pickFolder: false,
  dragOut: false,
  updates: false,
  keepRunning: false,
};

export type DesktopMessage = Exclude<DesktopEvent, { type: 'update' }>;

interface PressedDrag {
  id: string | null;
  failure: unknown;
}

class Desktop {
  #abilities = $state.raw<DesktopAbilities | null>(null);
  #update = $state.raw<UpdateState>({ state: 'none' });
  #drag: PressedDrag | null = null;
  #putAside = $state('');

  constructor() {
    changeStream.listen((changes) => {
      if (changes.resync) void this.#readAbilities();
    });
  }

  get can(): Omit<DesktopAbilities, 'host' | 'system'> {
    return this.#abilities ?? leastAbilities;
  }

  /** Whether the system's own dialog chooses folders. Asks the app where it has not said so yet. */
  async picksFolders(): Promise<boolean> {
    if (bridge && this.#abilities === null) await this.#readAbilities();
    return this.can.pickFolder;
  }

  get isApp(): boolean {
    return this.#abilities?.host === 'app';
  }

  get showInFolder(): string {
    return t('common.showInFolder', { system: this.#abilities?.system ?? 'linux' });
  }

  /** A version to announce: not one that the person has put off. */
  get update(): UpdateState {
    const update = this.#update;
    return update.state !== 'none' && update.version === this.#putAside ? { state: 'none' } : update;
  }

  reveal(takeId: string, output = 1): void {
    api.desktop.reveal({ takeId, output }).catch(toastError);
  }

  revealFolder(projectId: string, batchId?: string): void {
    api.desktop.revealFolder({ projectId, ...(batchId !== undefined && { batchId }) }).catch(toastError);
  }

  /** Makes a drag of these takes out of the window ready, as they are pressed: once it begins it is too late to ask. */
  prepareDrag(takeIds: readonly string[]): void {
    this.#drag = null;
    if (takeIds.length === 0 || takeIds.length > MAX_CARRIED) return;
    const drag: PressedDrag = { id: null, failure: null };
    this.#drag = drag;
    api.desktop.prepareDrag({ ids: [...takeIds] }).then(
      ({ drag: id }) => (drag.id = id),
      (failure: unknown) => (drag.failure = failure),
    );
  }

  dragOut(event: DragEvent, takeIds: readonly string[]): void {
    // From here on, the drag is the system's own.
    event.preventDefault();
    if (takeIds.length > MAX_CARRIED) {
      toastError(new Error(t('window.tooManyDragged', { most: MAX_CARRIED })));
    } else if (takeIds.length > 0) {
      const { id, failure } = this.#drag ?? { id: null, failure: null };
      if (id !== null) bridge?.startDrag(id);
      else toastError(failure ?? new Error(t('window.dragNotReady')));
    }
  }

  decideUpdate(choice: UpdateChoice): void {
    if (choice === 'later' && this.#update.state !== 'none') this.#putAside = this.#update.version;
    api.desktop.update({ choice }).catch(toastError);
  }

  /** Listens to the app's events until the returned function is called. A browser's host sends none. */
  listen(told: (event: DesktopMessage) => void): () => void {
    const ended = new AbortController();
    if (bridge) void this.#follow(told, ended.signal);
    return () => ended.abort();
  }

  async #follow(told: (event: DesktopMessage) => void, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        for await (const event of await api.desktop.events(undefined, { signal })) this.#onEvent(event, told);
      } catch {
        // The engine has gone; the app stores new events until there is a listener again.
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  #onEvent(event: DesktopEvent, told: (event: DesktopMessage) => void): void {
    if (event.type === 'update') this.#update = event.update;
    else told(event);
  }

  async #readAbilities(): Promise<void> {
    try {
      this.#abilities = await api.desktop.abilities();
    } catch {
      // Read again with the next resync; until then the window uses only its own abilities.
    }
  }
}

export const desktop = new Desktop();
