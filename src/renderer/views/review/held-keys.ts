import type { Command } from '../../lib/state/commands.svelte.ts';

/** Whether a key would be for the control that has the focus: Space and Enter press it. */
export function isOnControl(): boolean {
  return (
    document.activeElement?.closest('button, a, input, textarea, select, [role="slider"], [role="switch"]') != null
  );
}

/** Whether a plain key is for the element with the focus: text, a list, a slider, a dialog. */
export function isForFocus(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return true;
  const target = event.target instanceof Element ? event.target : null;
  return target?.closest(OWN_KEYS) != null;
}

const OWN_KEYS = [
  ...['input', 'textarea', '[contenteditable]', '[data-own-keys]'],
  ...['dialog', 'menu', 'listbox', 'slider', 'combobox'].map((role) => `[role="${role}"]`),
].join(', ');

const HELD = new Set([',', '.', 'ArrowLeft', 'ArrowRight', '+', '=', '-']);

/**
 * Runs a command again while its key is held. The window's own keys count the first press only; keys that they leave
 * alone, as in text fields, are left alone here too.
 */
export function runRepeating(event: KeyboardEvent, commands: readonly Command[]): void {
  if (!event.repeat || !HELD.has(event.key) || isForFocus(event)) return;
  const command = commands.findLast(
    ({ keys, enabled }) => keys?.replace('[Shift]+', '') === event.key && (enabled?.() ?? true),
  );
  if (!command) return;
  event.preventDefault();
  command.run();
}
