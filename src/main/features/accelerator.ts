/** Names of keys that Electron writes otherwise than a page does. */
const named: Readonly<Record<string, string>> = {
  $mod: 'CommandOrControl',
  Control: 'Control',
  Shift: 'Shift',
  Alt: 'Alt',
  ArrowUp: 'Up',
  ArrowDown: 'Down',
  ArrowLeft: 'Left',
  ArrowRight: 'Right',
  Escape: 'Escape',
  Enter: 'Return',
  Space: 'Space',
  Backspace: 'Backspace',
  Delete: 'Delete',
  Home: 'Home',
  End: 'End',
  PageUp: 'PageUp',
  PageDown: 'PageDown',
  Tab: 'Tab',
};
const MODIFIERS = ['$mod', 'Control', 'Shift', 'Alt'];
const PLAIN = /^(?:[a-z0-9]|F\d{1,2}|[,./;'[\]\\=?-])$/i;

/**
 * Keys in tinykeys' notation as Electron writes them in menus; undefined for what it cannot: one press after another.
 * On a Mac what a menu shows it also takes, so there only keys with a modifier are shown: a letter alone is text. Pure.
 */
export function acceleratorOf(keys: string, isMac: boolean): string | undefined {
  if (keys.trim().includes(' ')) return undefined;
  const needed = keys.replace(/\[\w+\]\+/g, '');
  const parts = needed === '+' ? ['Plus'] : needed.replace(/\+\+$/, '+Plus').split('+');
  if (isMac && !parts.slice(0, -1).some((part) => MODIFIERS.includes(part) && part !== 'Shift')) return undefined;
  const written = parts.map((part) => named[part] ?? (part === 'Plus' || PLAIN.test(part) ? part : null));
  if (written.includes(null)) return undefined;
  return written.map((part) => (part?.length === 1 ? part.toUpperCase() : part)).join('+');
}
