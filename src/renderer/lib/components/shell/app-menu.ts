import type { MenuCommand } from '../../../../contract/desktop.ts';
import { api, bridge } from '../../client.ts';
import { commands } from '../../state/commands.svelte.ts';
import { projectCommands } from './shell-commands.ts';

/** Whether a command is enabled depends on much that sends no event, so we check this often, ms. */
const LOOK_EVERY_MS = 500;

/** Keeps the menus of the desktop app as the palette is, until the returned function is called. */
export function syncAppMenu(): () => void {
  if (!bridge) return () => undefined;
  let shown = '';
  const show = (): void => {
    const next = menuCommands();
    const text = JSON.stringify(next);
    if (text === shown) return;
    shown = text;
    // A menu that could not be brought up to date is tried again at the next look.
    api.desktop.menu({ commands: next }).catch(() => (shown = ''));
  };
  show();
  const looking = setInterval(show, LOOK_EVERY_MS);
  return () => clearInterval(looking);
}

function menuCommands(): MenuCommand[] {
  const byId = new Map(
    [...commands.all, ...projectCommands()].map(({ id, title, group, keys, enabled }) => [
      id,
      { id, title, group, enabled: enabled?.() ?? true, ...(keys !== undefined && { keys }) },
    ]),
  );
  return [...byId.values()];
}
