import { app, BrowserWindow, ipcMain, session, type nativeImage } from 'electron';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDragOut } from '../../../src/main/features/files.ts';
import type { WebContentsStandIn } from '../electron/browser-window.ts';

type Icon = ReturnType<typeof nativeImage.createFromPath>;
const icon = (name: string, isEmpty = false) => ({ source: name, isEmpty: () => isEmpty }) as unknown as Icon;
const systemIcon = () => Promise.resolve(icon('system'));

describe('carrying files out of the window', () => {
  let window: BrowserWindow;
  let contents: WebContentsStandIn;

  const dragOut = (getFileIcon: typeof app.getFileIcon = systemIcon) => {
    vi.spyOn(app, 'getFileIcon').mockImplementation(getFileIcon);
    return createDragOut({ current: () => window }, '/package');
  };

  afterEach(() => vi.restoreAllMocks());

  beforeEach(() => {
    ipcMain.removeAllListeners();
    window = new BrowserWindow({ webPreferences: { session: session.fromPartition('persist:window') } });
    contents = window.webContents as unknown as WebContentsStandIn;
    contents.mainFrame.url = 'dailies://app/';
  });

  it('begins within the message of the page, with every file that was made ready', async () => {
    const id = await dragOut()(['/a.mp4', '/b.mp4']);
    contents.send('dailies:drag', contents.mainFrame, id);
    expect(contents.dragged).toEqual([['/a.mp4', '/b.mp4']]);
  });

  it.each([
    ['the icon of the system', systemIcon, /^system$/],
    ['a plain one when the system has an empty one', () => Promise.resolve(icon('empty', true)), /tray\.png$/],
    ['a plain one when the system has none', () => Promise.reject(new Error('no')), /tray\.png$/],
  ])('shows %s', async (_what, getFileIcon, shown) => {
    const items: unknown[] = [];
    contents.startDrag = (item) => void items.push(item);
    const id = await dragOut(getFileIcon)(['/a.mp4']);
    contents.send('dailies:drag', contents.mainFrame, id);
    expect(items).toMatchObject([{ file: '/a.mp4', icon: { source: expect.stringMatching(shown) } }]);
  });

  it('takes no path from a page, and no drag that another has replaced', async () => {
    const prepare = dragOut();
    const id = await prepare(['/a.mp4']);
    await prepare(['/b.mp4']);
    for (const claim of [id, '/etc/passwd', null, undefined, { id }, ['/b.mp4']])
      contents.send('dailies:drag', contents.mainFrame, claim);
    expect(contents.dragged).toEqual([]);
  });

  it('takes nothing from another page, a frame, or a page at another address', async () => {
    const id = await dragOut()(['/a.mp4']);
    contents.send('dailies:drag', { url: 'dailies://app/', parent: contents.mainFrame }, id);
    contents.send('dailies:drag', null, id);
    contents.mainFrame.url = 'https://elsewhere.example/';
    contents.send('dailies:drag', contents.mainFrame, id);
    const other = new BrowserWindow({ webPreferences: { session: session.fromPartition('persist:window') } });
    const others = other.webContents as unknown as WebContentsStandIn;
    others.mainFrame.url = 'dailies://app/';
    others.send('dailies:drag', others.mainFrame, id);
    expect([...contents.dragged, ...others.dragged]).toEqual([]);
  });
});
