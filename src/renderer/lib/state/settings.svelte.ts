import type { Contract } from '../../../contract/procedures.ts';
import type { InferContractRouterOutputs } from '@orpc/contract';
import { accountsIn, changeOfAccount, type AccountChange, type AccountSummary } from '../../../contract/accounts.ts';
import { t } from '../../../contract/messages/words.ts';
import type { ProjectView } from '../../../contract/project.ts';
import { api, sayTrouble, toTrouble, type Trouble } from '../client.ts';
import { between, toastWithUndo } from '../undo.svelte.ts';
import { changeStream } from './changes.svelte.ts';
import { followLanguage } from './language.ts';
import type { Settings, SettingsChange } from '../../../contract/settings.ts';
import { Persisted } from './persisted.svelte.ts';

type State = InferContractRouterOutputs<Contract>['settings']['get'];

/** What a change is depends on the settings at that time where it is one to a list of them. */
export type SettingsEdit = SettingsChange | ((now: Settings) => SettingsChange);

export const editOfAccount =
  (id: string | null, change: AccountChange): SettingsEdit =>
  (now) =>
    changeOfAccount(now, id, change);

export interface AccountState extends AccountSummary {
  readonly key: State['key'];
  readonly exposed: boolean;
  /** There are no others: its name says nothing then. */
  readonly isOnly: boolean;
}

export const accountStates = (state: State): AccountState[] =>
  accountsIn(state.settings).map((account) => {
    const known = account.id === null ? state : state.accounts.find(({ id }) => id === account.id);
    const { key, exposed } = known ?? { key: { present: false, from: 'none' }, exposed: false };
    return { ...account, key, exposed, isOnly: state.settings.accounts.length === 0 };
  });

/** The settings as the engine holds them. The key is never among them: only whether there is one, and where it lies. */
class SettingsState {
  state = $state.raw<State | null>(null);
  trouble = $state.raw<Trouble | null>(null);
  /** The first one first; empty until the settings are read. */
  readonly accounts = $derived(this.state === null ? [] : accountStates(this.state));

  constructor() {
    changeStream.listen((changes) => {
      if (changes.resync || changes.settings) void this.read();
    });
  }

  /** The account that pays for a project; null where it was removed, and for the sample. */
  accountOf(project: Pick<ProjectView, 'account'> | null): AccountState | null {
    return this.accounts.find(({ name }) => name === project?.account) ?? null;
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
  async change(edit: SettingsEdit): Promise<void> {
    // Read again first: a list that is out of date would remove what another window or command has added.
    const change = typeof edit === 'function' ? edit((await api.settings.get()).settings) : edit;
    const settings = await api.settings.update(change);
    if (this.state) this.#take({ ...this.state, settings });
  }

  async removeAccount(accountId: string): Promise<void> {
    await api.settings.removeAccount({ accountId });
    await this.read();
  }

  /** Stores what a person chose for the setting with that label, with Undo; resolves with the engine's refusal. */
  async save(label: string, change: SettingsEdit, before: SettingsEdit): Promise<string | undefined> {
    try {
      await this.change(change);
    } catch (error) {
      return sayTrouble(error);
    }
    const reverse = between(
      () => this.change(before),
      () => this.change(change),
    );
    toastWithUndo(t('settings.changed', { setting: label }), reverse);
    return undefined;
  }

  /** Hands the key to the engine, which keeps it; it never comes back. */
  async setKey(accountId: string | null, key: string, allowFile: boolean): Promise<void> {
    this.#takeKey(accountId, await api.settings.setKey({ accountId, key, allowFile }));
  }

  async forgetKey(accountId: string | null): Promise<void> {
    this.#takeKey(accountId, await api.settings.forgetKey({ accountId }));
  }

  #takeKey(accountId: string | null, key: State['key']): void {
    if (!this.state) return;
    const { accounts } = this.state;
    const changed = accounts.map((account) => (account.id === accountId ? { ...account, key } : account));
    this.#take(accountId === null ? { ...this.state, key } : { ...this.state, accounts: changed });
  }

  #take(state: State): void {
    this.state = state;
    theme.set(state.settings.appearance);
    followLanguage(state.settings.language);
  }
}

export const settings = new SettingsState();

type Appearance = Settings['appearance'];

const isAppearance = (stored: unknown): stored is Appearance =>
  stored === 'dark' || stored === 'light' || stored === 'system';

const systemIsLight = window.matchMedia('(prefers-color-scheme: light)');

class Theme {
  /** Remembered in the window too, so that it opens in its own light before the settings have been read. */
  readonly #appearance = new Persisted<Appearance>('appearance', 'dark', isAppearance);
  #systemLight = $state(systemIsLight.matches);

  constructor() {
    systemIsLight.addEventListener('change', (event) => {
      this.#systemLight = event.matches;
    });
  }

  get appearance(): Appearance {
    return this.#appearance.current;
  }

  get resolved(): 'dark' | 'light' {
    if (this.appearance !== 'system') return this.appearance;
    return this.#systemLight ? 'light' : 'dark';
  }

  set(appearance: Appearance): void {
    this.#appearance.current = appearance;
  }
}

export const theme = new Theme();
