import { BrowserWindow, ipcMain, MessageChannelMain, session } from 'electron';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { createPagePorts } from '../../src/main/pages.ts';
import { MemoryLog } from '../support/world.ts';
import type { WebContentsStandIn } from './electron/browser-window.ts';

type Frame = Parameters<WebContentsStandIn['send']>[1];

describe('a port to the engine', () => {
  let log: MemoryLog;
  let contents: WebContentsStandIn;
  let window: BrowserWindow;
  let given: string[];
  let engine: PromiseWithResolvers<null>;
  let ports: ReturnType<typeof createPagePorts>;

  const makeWindow = () => new BrowserWindow({ webPreferences: { session: session.fromPartition('persist:window') } });
  const contentsOf = (of: BrowserWindow) => of.webContents as unknown as WebContentsStandIn;
  const listenTo = (of: WebContentsStandIn, name: string): void => {
    of.postMessage = (channel, _message, sent) => void given.push(`${name} ${channel} ${sent?.length ?? 0}`);
  };

  beforeEach(() => {
    log = new MemoryLog();
    given = [];
    engine = Promise.withResolvers();
    engine.resolve(null);
    window = makeWindow();
    contents = contentsOf(window);
    contents.mainFrame.url = 'dailies://app/';
    listenTo(contents, 'ours');
    ipcMain.removeAllListeners();
    const openPort = async () => {
      await engine.promise;
      return new MessageChannelMain().port1;
    };
    ports = createPagePorts({ openPort }, { current: () => window }, log);
  });

  it('is given to the page of our window when it asks', async () => {
    contents.send('dailies:connect');
    await setImmediate();
    expect(given).toEqual(['ours dailies:port 1']);
  });

  it('is one alone for a page that asked while the engine was starting: another would cut off its first calls', async () => {
    engine = Promise.withResolvers();
    contents.send('dailies:connect');
    contents.send('dailies:connect');
    await setImmediate();
    engine.resolve(null);
    ports.renew();
    await setImmediate();
    expect(given).toEqual(['ours dailies:port 1']);
  });

  it('is not given to what has taken the place of our page while the engine was starting', async () => {
    engine = Promise.withResolvers();
    contents.send('dailies:connect');
    await setImmediate();
    contents.mainFrame.url = 'https://example.com/';
    engine.resolve(null);
    await setImmediate();
    expect(given).toEqual([]);
  });

  it.each<[string, Frame]>([
    ['a frame inside our page', { url: 'dailies://app/', parent: { url: 'dailies://app/', parent: null } }],
    ['a page that is elsewhere', { url: 'https://example.com/', parent: null }],
    ['a page that only looks like ours', { url: 'dailies://app.example.com/', parent: null }],
    ['a frame that is gone', null],
  ])('is not given to %s', async (_who, frame) => {
    contents.send('dailies:connect', frame);
    await setImmediate();
    expect(given).toEqual([]);
    expect(log.lines.join()).toContain('A page that is not ours asked for the engine');
  });

  it('is not given to another window', async () => {
    const other = contentsOf(makeWindow());
    listenTo(other, 'other');
    other.mainFrame.url = 'dailies://app/';
    other.send('dailies:connect');
    await setImmediate();
    expect(given).toEqual([]);
  });

  it('is given once: not to a page that has gone elsewhere or was closed', async () => {
    contents.send('dailies:connect');
    await setImmediate();
    contents.mainFrame.url = 'https://example.com/';
    ports.renew();
    contents.mainFrame.url = 'dailies://app/';
    contents.end();
    ports.renew();
    await setImmediate();
    expect(given).toHaveLength(1);
  });
});
