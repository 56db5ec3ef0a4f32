export function choicesFor(typed: string, choices: readonly string[]): readonly string[] {
  const words = typed.trim().toLocaleLowerCase();
  return words === '' ? choices : choices.filter((choice) => choice.toLocaleLowerCase().includes(words));
}

/** A test for texts that have every typed word, in any order; null where none is typed. */
export function hasWords(typed: string): ((text: string) => boolean) | null {
  const words = typed.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return null;
  return (text) => {
    const folded = text.toLocaleLowerCase();
    return words.every((word) => folded.includes(word));
  };
}

export function havingWords<Item>(
  typed: string,
  items: readonly Item[],
  textOf: (item: Item) => string,
): readonly Item[] {
  const has = hasWords(typed);
  return has ? items.filter((item) => has(textOf(item))) : items;
}

/** The choice that an arrow goes to, round and round; -1 where there is none. */
export function choiceAfter(highlighted: number, by: 1 | -1, count: number): number {
  if (count === 0) return -1;
  if (highlighted < 0) return by > 0 ? 0 : count - 1;
  return (highlighted + by + count) % count;
}

/** The piece of a text that is being typed: in a list, the one after the last separator. */
export const typedPiece = (text: string, isList: boolean): string =>
  isList ? (text.split(/[;|]/).at(-1) ?? '') : text;

/** A list without the piece that was being typed, which a choice takes the place of. */
export function withoutTyped(text: string, typed: string): string {
  return typed.trim() === '' ? text : text.slice(0, text.length - typed.length).replace(/[;|]\s*$/, '');
}
