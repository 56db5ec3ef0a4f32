import { state } from './state.ts';
import { strict, StrictEmitter } from './strict.ts';

/** An entry of a menu, as the app describes it. */
export interface MenuItem {
  readonly label?: string;
  readonly role?: string;
  readonly type?: string;
  readonly enabled?: boolean;
  readonly accelerator?: string;
  readonly registerAccelerator?: boolean;
  readonly submenu?: readonly MenuItem[];
  readonly click?: () => void;
}

/** Menus: what they are made of, and which of them is shown where. */
export class Menu {
  readonly items: readonly MenuItem[];

  constructor(items: readonly MenuItem[]) {
    this.items = items;
  }

  static buildFromTemplate(template: readonly MenuItem[]): Menu {
    return strict('Menu', new Menu(template));
  }

  static setApplicationMenu(menu: Menu): void {
    state.menu = menu;
  }

  popup(): void {
    state.popups.push(this);
  }

  /** Chooses an entry, by the names that lead to it. */
  choose(...labels: string[]): void {
    let items = this.items;
    let found: MenuItem | undefined;
    for (const label of labels) {
      found = items.find((item) => item.label === label);
      if (!found)
        throw new Error(`There is no ${label} among ${items.map((item) => item.label ?? item.role).join(', ')}.`);
      items = found.submenu ?? [];
    }
    found?.click?.();
  }
}

interface NoteOptions {
  readonly title?: string;
  readonly body?: string;
}

export class Notification extends StrictEmitter {
  readonly options: NoteOptions;

  constructor(options: NoteOptions) {
    super('Notification', ['click', 'close', 'failed']);
    this.options = options;
    return strict('Notification', this);
  }

  static isSupported(): boolean {
    return true;
  }

  /** Of Windows alone. */
  static handleActivation(callback: () => void): void {
    state.activated = callback;
  }

  show(): void {
    state.notifications.push(this);
  }
}

export class Tray extends StrictEmitter {
  readonly image: unknown;
  toolTip = '';
  menu: Menu | null = null;

  constructor(image: unknown) {
    super('Tray', ['click']);
    this.image = image;
    const tray = strict('Tray', this);
    state.tray = tray;
    return tray;
  }

  setToolTip(text: string): void {
    this.toolTip = text;
  }
  setContextMenu(menu: Menu): void {
    this.menu = menu;
  }
  destroy(): void {
    state.tray = null;
  }
}

const image = (source: string) => strict('NativeImage', { source, isEmpty: () => false });

export const nativeImage = strict('nativeImage', { createFromPath: image, createFromDataURL: image });

export const powerSaveBlocker = strict('powerSaveBlocker', {
  start(type: string): number {
    state.awake.push(type);
    state.held += 1;
    return state.held;
  },
  isStarted: (): boolean => state.awake.length > 0,
  stop(): boolean {
    state.awake.pop();
    return true;
  },
});
