import type { BrowserWindow, Menu } from 'electron';
import type { MenuCommand } from '../../contract/desktop.ts';
import { contextMenuTemplate } from './context-menu.ts';
import { menuTemplate, type MenuWishes } from './menu-template.ts';

export interface MenusParts {
  readonly menu: Pick<typeof Menu, 'buildFromTemplate' | 'setApplicationMenu'>;
  readonly wishes: Omit<MenuWishes, 'commands'>;
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
    const { menu, wishes } = this.#parts;
    menu.setApplicationMenu(menu.buildFromTemplate(menuTemplate({ ...wishes, commands })));
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
