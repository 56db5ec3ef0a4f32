import type { Contract } from '../../../contract/procedures.ts';
import type { InferContractRouterInputs, InferContractRouterOutputs } from '@orpc/contract';
import { api, toTrouble, type Trouble } from '../client.ts';
import { changeStream } from './changes.svelte.ts';
import { followLanguage } from './language.ts';
import { theme } from './theme.svelte.ts';

type State = InferContractRouterOutputs<Contract>['settings']['get'];
type Change = InferContractRouterInputs<Contract>['settings']['update'];

/** The settings as the engine holds them. The key is never among them: only whether there is one, and where it lies. */
class SettingsState {
  state = $state.raw<State | null>(null);
  trouble = $state.raw<Trouble | null>(null);

  constructor() {
    changeStream.listen((changes) => {
      if (changes.resync || changes.settings) void this.read();
    });
  }

  async read(): Promise<void> {
    try {
      this.#take(await api.settings.get());
      this.trouble = null;
    } catch (error) {
      this.trouble = toTrouble(error);
    }
  }

  /** Stores a change. Throws the engine's refusal; nothing has changed then. */
  async change(change: Change): Promise<void> {
    const settings = await api.settings.update(change);
    if (this.state) this.#take({ ...this.state, settings });
  }

  /** Hands the key to the engine, which keeps it; it never comes back. */
  async setKey(key: string, allowFile: boolean): Promise<void> {
    const stored = await api.settings.setKey({ key, allowFile });
    if (this.state) this.#take({ ...this.state, key: stored });
  }

  async forgetKey(): Promise<void> {
    const stored = await api.settings.forgetKey();
    if (this.state) this.#take({ ...this.state, key: stored });
  }

  #take(state: State): void {
    this.state = state;
    theme.set(state.settings.appearance);
    followLanguage(state.settings.language);
  }
}

export const settings = new SettingsState();
