const macKeys: Readonly<Record<string, string>> = { $mod: '⌘', Shift: '⇧', Alt: '⌥', Control: '⌃' };
const allKeys: Readonly<Record<string, string>> = {
  $mod: 'Ctrl',
  Control: 'Ctrl',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
};

/**
 * How keys in tinykeys' notation are written for people: `⌘K` or `Ctrl+K`. Modifiers in brackets are allowed, not
 * needed, and left out; the presses of a sequence (`g p`) are separated by a blank.
 */
export function writeKeys(keys: string, isMac: boolean): string {
  return keys
    .split(' ')
    .map((press) =>
      press
        .replace(/\[\w+\]\+/g, '')
        .split('+')
        .map(
          (key) => (isMac ? macKeys[key] : undefined) ?? allKeys[key] ?? (key.length === 1 ? key.toUpperCase() : key),
        )
        .join(isMac ? '' : '+'),
    )
    .join(' ');
}
