import type { BrowserWindow, Menu, ContextMenuParams, MenuItemConstructorOptions } from 'electron';
import { roleItem } from './role-item.ts';
import type { MenuCommand } from '../../contract/desktop.ts';
import { menuTemplate, type MenuRequests } from './menu-template.ts';

export interface MenusParts {
  readonly menu: Pick<typeof Menu, 'buildFromTemplate' | 'setApplicationMenu'>;
  readonly requests: Omit<MenuRequests, 'commands'>;
}

/** The menus of the app, true to what its window can do, and those of text in the window. */
export class Menus {
  readonly #parts: MenusParts;

  constructor(parts: MenusParts) {
    this.#parts = parts;
    this.show([]);
  }

  /** The window can do this from now on. */
  show(commands: readonly MenuCommand[]): void {
    const { menu, requests } = this.#parts;
    menu.setApplicationMenu(menu.buildFromTemplate(menuTemplate({ ...requests, commands })));
  }

  /** Looks after a window that was just made. */
  follow(window: BrowserWindow): void {
    window.on('closed', () => this.show([]));
    window.webContents.on('context-menu', (_event, params) => {
      const template = contextMenuTemplate(params);
      if (template) this.#parts.menu.buildFromTemplate(template).popup({ window });
    });
  }
}

/** The menu of a text field or of selected text; null where the page has nothing of the kind. Pure. */
export function contextMenuTemplate({
  isEditable,
  selectionText,
  editFlags,
}: Pick<ContextMenuParams, 'isEditable' | 'selectionText' | 'editFlags'>): MenuItemConstructorOptions[] | null {
  if (isEditable) {
    return [
      roleItem('undo', { enabled: editFlags.canUndo }),
      roleItem('redo', { enabled: editFlags.canRedo }),
      { type: 'separator' },
      roleItem('cut', { enabled: editFlags.canCut }),
      roleItem('copy', { enabled: editFlags.canCopy }),
      roleItem('paste', { enabled: editFlags.canPaste }),
      { type: 'separator' },
      roleItem('selectAll', { enabled: editFlags.canSelectAll }),
    ];
  }
  return selectionText.trim() === '' ? null : [roleItem('copy')];
}
