import { untrack } from 'svelte';
import { writeKeys, type CommandGroup, type KeyHint } from '../keys.ts';
import { tinykeys } from 'tinykeys';

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

/** A command as a line of a table; `keys` is empty where it has none, and a title that changes is a function. */
export type CommandLine = readonly [
  id: string,
  title: string | (() => string),
  keys: string,
  run: () => unknown,
  enabled?: (() => boolean) | undefined,
];

export const commandTable = (group: CommandGroup, prefix: string, lines: readonly CommandLine[]): Command[] =>
  lines.map(([id, title, keys, run, enabled]) => ({
    ...{ id: prefix + id, group, run: () => void run() },
    ...(typeof title === 'string' ? { title } : { title: title(), titleNow: title }),
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

/** Places that take plain keys themselves: a letter there is text, or picks from a list. */
const OWN_KEYS = [
  ...['input', 'select', '[data-own-keys]', '[role="combobox"][aria-expanded="true"]'],
  ...['dialog', 'menu', 'listbox'].map((role) => `[role="${role}"]`),
].join(', ');

const CONTROLS = 'button, a, [role="slider"], [role="switch"]';

/** Keys that run their command again and again while they are held. */
const HELD = new Set([',', '.', 'ArrowLeft', 'ArrowRight', '+', '=', '-']);

/** Select all is for texts and lists. Where neither has the focus, it would mark every word of the page. */
const selectNothing: Command = {
  ...{ id: 'window.select-all', title: '', group: 'Everywhere', keys: '$mod+a' },
  notInText: true,
  run: () => undefined,
};

/** Runs commands by their keys until the returned function is called; of two with the same keys, the one added last. */
export function listenForKeys(all: readonly Command[]): () => void {
  const withKeys = [selectNothing, ...all].flatMap((command) => toKeys(command).map((keys) => ({ keys, command })));
  const byKeys = Map.groupBy(withKeys, ({ keys }) => keys);
  // Sequences first: the letter that ends one (`g p`) is then taken, and does not run its own command as well.
  const bindings = [...byKeys]
    .sort(([a], [b]) => b.split(' ').length - a.split(' ').length)
    .map(([keys, candidates]) => [
      keys,
      (event: KeyboardEvent) =>
        runLast(
          candidates.map(({ command }) => command),
          event,
        ),
    ]);
  return tinykeys(window, Object.fromEntries(bindings), { ignore: isTakenElsewhere });
}

function runLast(candidates: readonly Command[], event: KeyboardEvent): void {
  const isInText = isTyping(event.target);
  const command = candidates.findLast(
    ({ enabled, notInText }) => (enabled?.() ?? true) && !(notInText === true && isInText),
  );
  if (!command || event.defaultPrevented) return;
  event.preventDefault();
  command.run();
}

function isTakenElsewhere(event: KeyboardEvent): boolean {
  if (event.defaultPrevented) return true;
  // Holding a chord too long must not queue, and pay for, one take after the other.
  if (event.repeat && event.key === 'Enter') return true;
  const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
  const target = event.target instanceof Element ? event.target : null;
  if (hasModifier) return target?.closest('[role="dialog"]') != null || (isTyping(target) && isForText(event));
  return event.isComposing || (event.repeat && !HELD.has(event.key)) || isForFocus(event);
}

/** Whether a plain key is for the element with the focus: text, a list, or a control that it presses. */
export function isForFocus({ key, target }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  if (isTyping(target) || target.closest(OWN_KEYS) !== null) return true;
  return (key === ' ' || key === 'Enter') && target.closest(CONTROLS) !== null;
}

/** Undo, clipboard and movement belong to the text while one is being typed. */
function isForText(event: KeyboardEvent): boolean {
  return 'acvxyz'.includes(event.key.toLowerCase()) || /^(Arrow|Home|End|Backspace|Delete)/.test(event.key);
}

export function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'range', 'button'].includes(target.type);
  return target instanceof HTMLTextAreaElement || (target instanceof HTMLElement && target.isContentEditable);
}

/**
 * Keys belong to the input method while it composes a word: Enter takes a word and Escape drops it, and neither may send,
 * close or move anything. No handler of the window gets them, those of libraries included; the browser does its own part.
 */
export function blockCompositionKeys(target: Window): void {
  // Captured on the window: no other listener gets the key first.
  target.addEventListener('keydown', (event) => isOfComposition(event) && event.stopImmediatePropagation(), {
    capture: true,
  });
}

/**
 * Code 229 is a key that the input method took: the one that begins a word, and in some browsers the one that ended it.
 * Outside of text fields it passes: the grid opens its editor for it.
 */
const isOfComposition = ({ isComposing, keyCode, target }: KeyboardEvent): boolean =>
  isComposing || (keyCode === 229 && target instanceof Element && target.matches('input, textarea'));
