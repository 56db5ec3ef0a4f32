import type { Command } from '../../lib/state/commands.svelte.ts';

/** Whether a key would be for the control that has the focus: Space and Enter press it. */
export function isOnControl(): boolean {
  return (
    document.activeElement?.closest('button, a, input, textarea, select, [role="slider"], [role="switch"]') != null
  );
}

/** Keys that go on for as long as they are held: walking through takes and frames. */
const HELD = new Set([',', '.', 'ArrowLeft', 'ArrowRight', '+', '=', '-']);

/**
 * Runs a command again while its key is held. The window's own keys count the first press only; what they do not take,
 * such as typing, is not taken here either.
 */
export function runHeld(event: KeyboardEvent, commands: readonly Command[]): void {
  if (!event.repeat || event.defaultPrevented || !HELD.has(event.key)) return;
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const target = event.target instanceof Element ? event.target : null;
  if (target?.closest('input, textarea, [role="dialog"], [role="menu"], [role="listbox"], [role="slider"]')) return;
  const command = commands.findLast((each) => each.keys === event.key && (each.enabled?.() ?? true));
  if (!command) return;
  event.preventDefault();
  command.run();
}
