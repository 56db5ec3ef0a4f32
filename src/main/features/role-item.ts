import type { MenuItemConstructorOptions } from 'electron';
import { say } from '../../contract/messages/words.ts';

/** What every program can do, by the names that Electron knows it by. */
type Role =
  | 'close'
  | 'quit'
  | 'undo'
  | 'redo'
  | 'cut'
  | 'copy'
  | 'paste'
  | 'selectAll'
  | 'resetZoom'
  | 'zoomIn'
  | 'zoomOut'
  | 'togglefullscreen'
  | 'toggleDevTools'
  | 'minimize'
  | 'zoom'
  | 'front'
  | 'services'
  | 'hide'
  | 'hideOthers'
  | 'unhide'
  | 'window'
  | 'help';

/** An item of a menu that Electron knows what to do with. Its label is in the language of the window, as all others are. */
export const roleItem = (
  role: Role,
  item: Omit<MenuItemConstructorOptions, 'role' | 'label'> = {},
): MenuItemConstructorOptions => ({ role, label: say(`menu.role.${role}`), ...item });
