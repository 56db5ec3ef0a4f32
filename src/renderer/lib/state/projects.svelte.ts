import type { ProjectView } from '../../../contract/project.ts';
import { api, toTrouble, type Trouble } from '../client.ts';
import { atMostEvery } from '../throttle.ts';
import { changeStream } from './changes.svelte.ts';
import type { Command } from './commands.svelte.ts';
import { navigation } from './navigation.svelte.ts';

const READ_EVERY_MS = 1000;

class Projects {
  all = $state.raw<readonly ProjectView[] | null>(null);
  /** Those that were put away: they can be looked at, and nothing of them changes. */
  archived = $state.raw<readonly ProjectView[]>([]);
  trouble = $state.raw<Trouble | null>(null);
  readonly #listeners = new Set<() => void>();
  readonly wasRead = new Promise<null>((resolve) => this.onRead(() => resolve(null)));

  readonly readSoon = atMostEvery(READ_EVERY_MS, () => this.read());

  constructor() {
    changeStream.listen((changes) => {
      // Settings name their accounts.
      if (changes.resync || changes.settings || changes.projects.length > 0) this.readSoon();
    });
  }

  get current(): ProjectView | null {
    return this.#here(this.all ?? []) ?? this.#here(this.archived) ?? null;
  }

  get isReadOnly(): boolean {
    return this.#here(this.archived) !== undefined;
  }

  #here(those: readonly ProjectView[]): ProjectView | undefined {
    return those.find((project) => project.id === navigation.place.projectId);
  }

  /** Calls `listener` after each reading, for callers that must not use an outdated list. */
  onRead(listener: () => void): void {
    this.#listeners.add(listener);
  }

  async read(): Promise<void> {
    try {
      const [all, archived] = await Promise.all([api.projects.list(), api.projects.archived()]);
      this.all = all;
      this.archived = archived;
      this.trouble = null;
    } catch (error) {
      this.trouble = toTrouble(error);
      return;
    }
    for (const listener of this.#listeners) listener();
  }
}

export const projects = new Projects();

type Switched = Pick<Command, 'enabled'>;

/** A command that changes something of the current project, which an archived one does not take. */
export const unlessArchived = <Each extends Switched>(command: Each): Each & Switched => ({
  ...command,
  enabled: () => !projects.isReadOnly && (command.enabled?.() ?? true),
});
