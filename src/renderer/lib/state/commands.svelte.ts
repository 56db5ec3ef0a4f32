import { untrack } from 'svelte';
import { writeKeys, type CommandGroup, type KeyHint } from '../keys.ts';

export interface Command {
  readonly id: string;
  readonly title: string;
  /** Its title in the palette for the present state, where that says more. */
  readonly titleNow?: () => string | null;
  readonly keywords?: string;
  readonly group: CommandGroup;
  /** Keys in tinykeys' notation, for example `$mod+k` or `g p`. */
  readonly keys?: string;
  readonly alsoKeys?: string;
  readonly run: () => void;
  /** Listed only where it matches what is typed: there may be hundreds of its kind. */
  readonly isSearchedFor?: boolean;
  /** False while it makes no sense: it is then neither listed nor run. */
  readonly enabled?: () => boolean;
  /** In a text field its keys belong to the text. */
  readonly notInText?: true;
}

/** A command as a line of a table; `keys` is empty where it has none. */
export type CommandLine = readonly [
  id: string,
  title: string,
  keys: string,
  run: () => unknown,
  enabled?: (() => boolean) | undefined,
];

export const commandTable = (group: CommandGroup, prefix: string, lines: readonly CommandLine[]): Command[] =>
  lines.map(([id, title, keys, run, enabled]) => ({
    ...{ id: prefix + id, title, group, run: () => void run() },
    ...(keys !== '' && { keys }),
    ...(enabled && { enabled }),
  }));

/** What a menu or a button shows of the commands with these IDs. */
export const entriesFor = (all: readonly Command[], ids: readonly string[]) =>
  ids.flatMap((id) => {
    const command = all.find((each) => each.id === id);
    if (!command) return [];
    const { title, titleNow, keys, run, enabled } = command;
    const label = titleNow?.() ?? title;
    return [{ label, run, disabled: !(enabled?.() ?? true), ...(keys !== undefined && { keys }) }];
  });

export const toKeys = ({ keys, alsoKeys }: Command): string[] => [keys ?? [], alsoKeys ?? []].flat();

class Commands {
  all = $state.raw<readonly Command[]>([]);
  /** Keys that parts of the window handle themselves: listed in the key sheet only. */
  ownKeys = $state.raw<readonly KeyHint[]>([]);

  get available(): readonly Command[] {
    return this.all.filter((command) => command.enabled?.() ?? true);
  }

  /** Lists these keys in the help until the returned function is called. For `$effect`. */
  addOwnKeys(hints: readonly KeyHint[]): () => void {
    this.ownKeys = [...untrack(() => this.ownKeys), ...hints];
    return () => {
      this.ownKeys = this.ownKeys.filter((hint) => !hints.includes(hint));
    };
  }

  /** Adds commands until the returned function is called. For `$effect`, so that they live as long as their view. */
  add(commands: readonly Command[]): () => void {
    // Untracked: an effect that adds must not run again because something was added.
    this.all = [...untrack(() => this.all), ...commands];
    return () => {
      this.all = this.all.filter((command) => !commands.includes(command));
    };
  }
}

export const commands = new Commands();

/** How keys are written on this system: `⌘K` or `Ctrl+K`. */
export const keysForPeople = (keys: string): string => writeKeys(keys, navigator.platform.startsWith('Mac'));
