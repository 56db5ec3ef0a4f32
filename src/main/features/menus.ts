import { app, Menu, type ContextMenuParams, type MenuItemConstructorOptions } from 'electron';
import type { DesktopAbilities, MenuCommand } from '../../contract/desktop.ts';
import { type MessageKey, t, withDots } from '../../contract/messages/words.ts';

type Item = MenuItemConstructorOptions;

export interface MenuRequests {
  readonly system: DesktopAbilities['system'];
  /** The window's commands, as in its palette; none without a window. */
  readonly commands: readonly MenuCommand[];
  readonly devTools: boolean;
  readonly run: (commandId: string) => void;
  readonly showWindow: () => void;
  readonly saveDiagnostics: () => void;
  readonly copyDiagnostics: () => void;
  /** Absent where the command is there already, or cannot be. */
  readonly installCommand?: () => void;
  readonly showAbout: () => void;
}

/** Shows the app's menu, first without a window, and the menus of every window. Returns what shows a window's commands in it. */
export function showMenus(requests: Omit<MenuRequests, 'commands'>): (commands: readonly MenuCommand[]) => void {
  const show = (commands: readonly MenuCommand[]): void =>
    Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate({ ...requests, commands })));
  show([]);
  app.on('browser-window-created', (_event, window) => {
    window.on('closed', () => show([]));
    window.webContents.on('context-menu', (_menuEvent, params) => {
      const template = contextMenuTemplate(params);
      if (template) Menu.buildFromTemplate(template).popup({ window });
    });
  });
  return show;
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

/** The groups of the palette, each in its menu; groups without a place are in More. */
const PLACES: readonly (readonly [menu: string, groups: readonly string[]])[] = [
  ['File', ['Projects', 'Batch']],
  ['Go', ['Go']],
  ['Queue', ['Queue']],
  ['Takes', ['Review', 'Takes', 'Verdict', 'Player', 'Picture']],
  ['Library', ['Library']],
];
const PLACED = ['go-settings', 'pause-queue', 'keys', 'diagnostics', 'undo', 'redo'];

export function menuTemplate(requests: MenuRequests): Item[] {
  const { system, commands } = requests;
  const isMac = system === 'macos';
  const item = (command: MenuCommand): Item => itemFor(command, requests);
  const single = (id: string, label?: string): Item[] =>
    commands.filter((command) => command.id === id).map((command) => ({ ...item(command), ...(label && { label }) }));
  const ofGroups = (groups: readonly string[]): Item[] =>
    separated(groups.map((group) => commands.filter((each) => each.group === group && isFree(each)).map(item)));
  const inMenu = (menu: string): Item[] => ofGroups(PLACES.find(([name]) => name === menu)?.[1] ?? []);
  const known = [...PLACES.flatMap(([, groups]) => groups), 'Everywhere'];
  const others = [...new Set(commands.map(({ group }) => group))].filter((group) => !known.includes(group));
  const settings = single('go-settings', withDots('place.settings'));
  const help = single('keys');

  return [
    ...(isMac ? [appMenu(requests, settings)] : []),
    {
      label: t('common.file'),
      submenu: separated([inMenu('File'), isMac ? [] : settings, [roleItem('close')], isMac ? [] : [roleItem('quit')]]),
    },
    {
      label: t('common.edit'),
      submenu: separated([
        [roleItem('undo'), roleItem('redo')],
        [roleItem('cut'), roleItem('copy'), roleItem('paste'), roleItem('selectAll')],
        [...single('undo', t('desktop.undoMenu')), ...single('redo', t('desktop.redoMenu'))],
      ]),
    },
    {
      label: t('menu.view'),
      submenu: separated([
        ofGroups(['Everywhere']),
        [roleItem('resetZoom'), roleItem('zoomIn'), roleItem('zoomOut')],
        [roleItem('togglefullscreen'), ...(requests.devTools ? [roleItem('toggleDevTools')] : [])],
      ]),
    },
    ...menuUnless(t('group.go'), inMenu('Go')),
    ...menuUnless(t('place.queue'), separated([single('pause-queue'), inMenu('Queue')])),
    ...menuUnless(t('group.takes'), inMenu('Takes')),
    ...menuUnless(t('place.library'), inMenu('Library')),
    ...menuUnless(t('menu.more'), ofGroups(others)),
    isMac
      ? roleItem('window', {
          submenu: separated([
            [roleItem('minimize'), roleItem('zoom')],
            [{ label: 'Dailies', click: requests.showWindow }, roleItem('front')],
          ]),
        })
      : { label: t('menu.role.window'), submenu: [roleItem('minimize'), roleItem('close')] },
    roleItem('help', {
      submenu: separated([
        help,
        requests.installCommand ? [{ label: t('desktop.installCommandMenu'), click: requests.installCommand }] : [],
        [
          { label: t('desktop.copyDiagnosticsMenu'), click: requests.copyDiagnostics },
          { label: withDots('common.saveDiagnostics'), click: requests.saveDiagnostics },
        ],
        isMac ? [] : [{ label: t('desktop.about'), click: requests.showAbout }],
      ]),
    }),
  ];
}

function appMenu({ showAbout }: MenuRequests, settings: Item[]): Item {
  return {
    label: 'Dailies',
    submenu: separated([
      [{ label: t('desktop.about'), click: showAbout }],
      settings,
      [roleItem('services')],
      [roleItem('hide'), roleItem('hideOthers'), roleItem('unhide')],
      [roleItem('quit')],
    ]),
  };
}

function itemFor({ id, title, keys, enabled }: MenuCommand, { system, run }: MenuRequests): Item {
  const accelerator = keys === undefined ? undefined : acceleratorFor(keys, system === 'macos');
  return {
    // An ampersand would name the letter that opens it.
    label: title.replaceAll('&', '&&'),
    enabled,
    click: () => run(id),
    // The page handles its keys itself, and knows when a person is typing text.
    ...(accelerator !== undefined && { accelerator, registerAccelerator: false }),
  };
}

const isFree = ({ id }: MenuCommand): boolean => !PLACED.includes(id);

const menuUnless = (label: string, submenu: Item[]): Item[] => (submenu.length === 0 ? [] : [{ label, submenu }]);

function separated(parts: readonly (readonly Item[])[]): Item[] {
  return parts
    .filter((part) => part.length > 0)
    .flatMap((part, index) => (index === 0 ? part : [{ type: 'separator' as const }, ...part]));
}

/** Names of keys that Electron writes otherwise than a page does. */
const named: Readonly<Record<string, string>> = {
  $mod: 'CommandOrControl',
  ArrowUp: 'Up',
  ArrowDown: 'Down',
  ArrowLeft: 'Left',
  ArrowRight: 'Right',
  Enter: 'Return',
};
const MODIFIERS = ['$mod', 'Control', 'Shift', 'Alt'];

const SAME = /^(?:Control|Shift|Alt|Escape|Space|Backspace|Delete|Home|End|Page(?:Up|Down)|Tab)$/;
const PLAIN = /^(?:[a-z0-9]|F\d{1,2}|[,./;'[\]\\=?-])$/i;

/**
 * Keys in tinykeys' notation as Electron writes them in menus; undefined for sequences. A Mac also takes the keys that
 * its menus show, so there only keys with a modifier are shown: a letter alone is text. Pure.
 */
export function acceleratorFor(keys: string, isMac: boolean): string | undefined {
  if (keys.trim().includes(' ')) return undefined;
  const needed = keys.replace(/\[\w+\]\+/g, '');
  const parts = needed === '+' ? ['Plus'] : needed.replace(/\+\+$/, '+Plus').split('+');
  if (isMac && !parts.slice(0, -1).some((part) => MODIFIERS.includes(part) && part !== 'Shift')) return undefined;
  const written = parts.map(
    (part) => named[part] ?? (part === 'Plus' || SAME.test(part) || PLAIN.test(part) ? part : null),
  );
  if (written.includes(null)) return undefined;
  return written.map((part) => (part?.length === 1 ? part.toUpperCase() : part)).join('+');
}

/** What every program can do, by the names that Electron knows it by: those that we have words for. */
type Role = Extract<MessageKey, `menu.role.${string}`> extends `menu.role.${infer Name}` ? Name : never;

/** An item of a menu that Electron knows what to do with. Its label is in the language of the window, as all others are. */
const roleItem = (
  role: Role,
  item: Omit<MenuItemConstructorOptions, 'role' | 'label'> = {},
): MenuItemConstructorOptions => ({ role, label: t(`menu.role.${role}`), ...item });
