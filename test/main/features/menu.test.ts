import type { MenuItemConstructorOptions } from 'electron';
import { describe, expect, it } from 'vitest';
import type { MenuCommand } from '../../../src/contract/desktop.ts';
import {
  acceleratorFor,
  contextMenuTemplate,
  menuTemplate,
  type MenuRequests,
} from '../../../src/main/features/menus.ts';

const command = (id: string, group: string, change: Partial<MenuCommand> = {}): MenuCommand => ({
  id,
  title: `Do ${id}`,
  group,
  enabled: true,
  ...change,
});

const commands: MenuCommand[] = [
  command('go-projects', 'Go', { keys: 'g p' }),
  command('go-settings', 'Go'),
  command('palette', 'Everywhere', { keys: '$mod+k' }),
  command('keys', 'Everywhere', { keys: '[Shift]+?' }),
  command('pause-queue', 'Everywhere', { keys: '$mod+Shift+p' }),
  command('undo', 'Everywhere', { keys: '$mod+z', enabled: false }),
  command('open-project', 'Projects', { keys: 'o' }),
  command('project-1', 'Projects', { title: 'Bed & Breakfast' }),
  command('batch.choose', 'Batch', { keys: '$mod+o' }),
  command('queue-retry', 'Queue', { keys: 't', enabled: false }),
  command('review-pick', 'Verdict', { keys: 'p' }),
  command('review-again', 'Review', { keys: '$mod+Enter' }),
  command('library-sync', 'Library'),
  command('spell', 'Magic'),
];

const run: string[] = [];
const template = (change: Partial<MenuRequests> = {}) =>
  menuTemplate({
    system: 'linux',
    commands,
    devTools: false,
    run: (id) => run.push(id),
    showWindow: () => run.push('window'),
    saveDiagnostics: () => run.push('diagnostics'),
    copyDiagnostics: () => run.push('copy diagnostics'),
    showAbout: () => run.push('about'),
    ...change,
  });

const itemsOf = (items: readonly MenuItemConstructorOptions[]): MenuItemConstructorOptions[] =>
  items.flatMap((item) => [item, ...(Array.isArray(item.submenu) ? itemsOf(item.submenu) : [])]);
const menuNamed = (items: readonly MenuItemConstructorOptions[], label: string) =>
  items.find((item) => item.label === label)?.submenu as MenuItemConstructorOptions[];

describe.each(['macos', 'windows', 'linux'] as const)('the menus on %s', (system) => {
  it('have every command of the palette once, each in the state it is in', () => {
    run.length = 0;
    for (const item of itemsOf(template({ system }))) if (item.label && item.click) (item.click as () => void)();
    for (const { id } of commands)
      expect(
        run.filter((each) => each === id),
        id,
      ).toHaveLength(1);
    const retry = itemsOf(template({ system })).find(({ label }) => label === 'Do queue-retry');
    expect(retry?.enabled).toBe(false);
  });

  it('offer to install the command only where that makes sense', () => {
    const labels = (change: Partial<MenuRequests>) =>
      itemsOf(template({ system, ...change })).map(({ label }) => label);
    expect(labels({})).not.toContain('Install command…');
    expect(labels({ installCommand: () => undefined })).toContain('Install command…');
  });

  it('register no key that the page hears itself', () => {
    const wrong = itemsOf(template({ system })).filter(
      (item) => item.accelerator && item.registerAccelerator !== false,
    );
    expect(wrong).toEqual([]);
  });

  it('have what every program has, also without a window', () => {
    const items = itemsOf(template({ system, commands: [] }));
    const roles = items.map(({ role }) => role);
    for (const role of ['cut', 'copy', 'paste', 'selectAll', 'undo', 'redo', 'close', 'quit', 'togglefullscreen']) {
      expect(roles, role).toContain(role);
    }
    expect(roles.includes('hide')).toBe(system === 'macos');
    expect(items.map(({ label }) => label)).toEqual(expect.arrayContaining(['Copy diagnostics', 'Save diagnostics…']));
    expect(items.filter(({ label }) => label === 'About Dailies')).toHaveLength(1);
    for (const item of items) if (Array.isArray(item.submenu)) expect(item.submenu.length).toBeGreaterThan(0);
  });
});

it('the menus write an ampersand as one, and lose no group that nobody has placed', () => {
  expect(menuNamed(template(), 'File').map(({ label }) => label)).toContain('Bed && Breakfast');
  expect(menuNamed(template(), 'More').map(({ label }) => label)).toEqual(['Do spell']);
});

describe('keys in menus', () => {
  it.each([
    ['$mod+k', 'CommandOrControl+K'],
    ['$mod+Shift+Enter', 'CommandOrControl+Shift+Return'],
    ['Alt+ArrowUp', 'Alt+Up'],
    ['[Shift]++', 'Plus'],
    ['$mod++', 'CommandOrControl+Plus'],
    ['[Shift]+?', '?'],
    ['Escape', 'Escape'],
    ['g p', undefined],
    ['Shift+<', undefined],
    ['$mod+é', undefined],
  ])('%s is %s', (keys, written) => {
    expect(acceleratorFor(keys, false)).toBe(written);
  });

  it('are shown on a Mac only with a modifier: a menu there would take a letter from a text', () => {
    expect(acceleratorFor('p', true)).toBeUndefined();
    expect(acceleratorFor('Shift+r', true)).toBeUndefined();
    expect(acceleratorFor('$mod+Shift+p', true)).toBe('CommandOrControl+Shift+P');
  });
});

describe('the menu of a text', () => {
  const editFlags = {
    canUndo: false,
    canRedo: false,
    canCut: true,
    canCopy: true,
    canPaste: true,
    canDelete: true,
    canSelectAll: true,
    canEditRichly: false,
  };

  it('edits in a field, copies what is selected, and is none elsewhere', () => {
    const field = contextMenuTemplate({ isEditable: true, selectionText: '', editFlags });
    expect(field?.map(({ role }) => role)).toEqual([
      'undo',
      'redo',
      undefined,
      'cut',
      'copy',
      'paste',
      undefined,
      'selectAll',
    ]);
    expect(field?.[0]?.enabled).toBe(false);
    expect(contextMenuTemplate({ isEditable: false, selectionText: 'a prompt', editFlags })).toEqual([
      { role: 'copy', label: 'Copy' },
    ]);
    expect(contextMenuTemplate({ isEditable: false, selectionText: ' ', editFlags })).toBeNull();
  });
});
