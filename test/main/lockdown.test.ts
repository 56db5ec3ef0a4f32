import { app, BrowserWindow, session } from 'electron';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { lockContents, lockSession, mayBeAt, mayBeSaved, mayDo, mayLoad, isOurs } from '../../src/main/lockdown.ts';
import { state } from './electron/index.ts';
import type { WebContentsStandIn } from './electron/browser-window.ts';
import type { SessionStandIn } from './electron/session.ts';

const OTHERS = [
  'https://example.com/',
  'http://127.0.0.1:4680/',
  'file:///etc/passwd',
  'dailies://app.example.com/',
  'dailies://other/',
  'dailies://app:80/',
  'dailies://user@app/',
  'dailies:app',
  'dailies-x://app/',
  'javascript:alert(1)',
  'data:text/html,hello',
  'about:blank',
  'not an address',
  '',
];

describe('our own origin', () => {
  it.each(['dailies://app/', 'dailies://app/media/1/1', 'DAILIES://app/'])('is %s', (address) => {
    expect(isOurs(address)).toBe(true);
  });

  it.each(OTHERS)('is not %j', (address) => {
    expect(isOurs(address)).toBe(false);
    expect(mayBeAt(address)).toBe(false);
  });
});

describe('a session of ours', () => {
  let locked: SessionStandIn;

  beforeAll(() => {
    const own = session.fromPartition('persist:window');
    lockSession(own);
    locked = own as unknown as SessionStandIn;
  });

  it('lets our page copy, and show films over the whole screen', () => {
    for (const permission of ['clipboard-sanitized-write', 'fullscreen']) {
      expect(locked.isGranted(permission, 'dailies://app/')).toBe(true);
      expect(locked.isChecked(permission, 'dailies://app/')).toBe(true);
    }
  });

  it.each([
    'clipboard-read',
    'display-capture',
    'fileSystem',
    'geolocation',
    'hid',
    'media',
    'midi',
    'notifications',
    'openExternal',
    'pointerLock',
    'serial',
    'usb',
    'window-management',
    'something new',
  ])('does not let it have %s', (permission) => {
    expect(mayDo(permission, 'dailies://app/')).toBe(false);
    expect(locked.isGranted(permission, 'dailies://app/')).toBe(false);
    expect(locked.isChecked(permission, 'dailies://app/')).toBe(false);
  });

  it('lets nobody else have anything, nor a frame inside our page', () => {
    expect(locked.isGranted('fullscreen', 'https://example.com/')).toBe(false);
    expect(locked.isGranted('fullscreen', 'dailies://app/', false)).toBe(false);
    expect(locked.isChecked('fullscreen', 'https://example.com/')).toBe(false);
    expect(locked.mayHaveDevice()).toBe(false);
  });

  it('loads what is ours, and nothing from anywhere else', () => {
    const ours = [
      'dailies://app/assets/index.js',
      'blob:dailies://app/1f',
      'data:image/png;base64,AA',
      'devtools://devtools/x',
    ];
    expect(ours.filter((address) => locked.isCancelled(address))).toEqual([]);
    const others = OTHERS.filter((address) => !address.startsWith('data:'));
    expect(others.filter((address) => !locked.isCancelled(address))).toEqual([]);
    expect(mayLoad('blob:https://example.com/1f')).toBe(false);
  });

  it('saves a list that the page has written, and nothing else', () => {
    const isKept = (address: string) => !locked.isPrevented('will-download', {}, { getURL: () => address });
    expect(isKept('blob:dailies://app/1f')).toBe(true);
    expect(isKept('dailies://app/media/1/1')).toBe(false);
    expect(isKept('https://example.com/setup.exe')).toBe(false);
    expect(mayBeSaved('blob:https://example.com/1f')).toBe(false);
  });

  it('fetches no dictionaries', () => {
    expect(locked.spellChecker).toBe(false);
  });
});

describe('every page', () => {
  let contents: WebContentsStandIn;
  const asked: string[] = [];

  beforeAll(() => lockContents(app, (address) => asked.push(address)));
  beforeEach(() => {
    const window = new BrowserWindow({ webPreferences: { session: session.fromPartition('persist:window') } });
    contents = (window as unknown as { webContents: WebContentsStandIn }).webContents;
    asked.length = 0;
  });

  it('stays where it is', () => {
    for (const event of ['will-navigate', 'will-frame-navigate', 'will-redirect']) {
      const leaves = (url: string) => !contents.isPrevented(event, { url });
      expect(leaves('dailies://app/')).toBe(true);
      expect([...OTHERS, 'dailies://app/media/1/1'].filter(leaves)).toEqual([]);
    }
  });

  it('opens no further window: an address is asked about instead', () => {
    expect(contents.opens('https://example.com/')).toBe('deny');
    expect(contents.opens('dailies://app/')).toBe('deny');
    expect(asked).toEqual(['https://example.com/', 'dailies://app/']);
  });

  it('has no guests inside', () => {
    expect(contents.isPrevented('will-attach-webview')).toBe(true);
  });

  it('holds for every window', () => {
    expect(state.windows.length).toBeGreaterThan(0);
    expect(state.windows.map(({ webContents }) => webContents.opens('https://example.com/'))).not.toContain('allow');
  });
});
