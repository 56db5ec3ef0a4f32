import { session } from 'electron';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { MainWindow } from '../../src/main/window.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { MemoryLog } from '../support/world.ts';
import { state } from './electron/index.ts';
import type { BrowserWindow as WindowStandIn } from './electron/browser-window.ts';
import type { SessionStandIn } from './electron/session.ts';
import { t } from '../../src/contract/messages/words.ts';

describe('the window', () => {
  let clock: FakeClock;
  let main: MainWindow;
  let loads: number;
  let hidesOnClose: boolean;
  const own = session.fromPartition('persist:window');
  const standIn = (): WindowStandIn => {
    const [window] = state.windows;
    if (!window) throw new Error('there is no window');
    return window;
  };
  const settle = async (): Promise<void> => {
    for (let turns = 0; turns < 10; turns += 1) await setImmediate();
  };

  beforeEach(async () => {
    state.app.languages = ['zh-CN'];
    state.windows.length = 0;
    state.dialogs = [];
    state.syncAnswer = 0;
    state.tells = new Set(['ready-to-show', 'did-finish-load']);
    loads = 0;
    hidesOnClose = false;
    (own as unknown as SessionStandIn).protocol.handle('dailies', () => {
      loads += 1;
      return new Response('');
    });
    clock = new FakeClock();
    main = new MainWindow({
      session: own,
      clock,
      logger: new MemoryLog(),
      preload: '',
      hidesOnClose: () => hidesOnClose,
    });
    await settle();
  });

  const open = async (): Promise<WindowStandIn> => {
    main.open();
    await settle();
    return standIn();
  };

  it('is shown once its page is painted and the engine works, whichever comes last', async () => {
    const window = await open();
    expect(window.webContents.getURL()).toBe('dailies://app/?language=zh-CN');
    expect(window.visible).toBe(false);
    main.allow();
    expect(window.visible).toBe(true);

    window.destroy();
    main.open();
    expect(standIn().visible).toBe(false);
    await settle();
    expect(standIn().visible).toBe(true);
  });

  it.each([
    ['is not told that it is ready', ['did-finish-load']],
    ['is told nothing at all', []],
  ])('is shown all the same where it %s, as under Wayland', async (_what, tells) => {
    state.tells = new Set(tells);
    const window = await open();
    main.allow();
    expect(window.visible).toBe(tells.length > 0);
    await clock.advance(3000);
    expect(window.visible).toBe(true);
  });

  it('closes without a question at the end, whatever its page is doing', async () => {
    const window = await open();
    main.allow();
    window.objects = true;
    main.destroy();
    expect(window.isDestroyed()).toBe(true);
    main.show();
    await settle();
    expect(main.current()).toBeNull();
  });

  // Windows sends 'query-session-end' to windows alone, and a destroyed one gets none
  // (https://github.com/electron/electron/pull/44598).
  it('is only hidden by its button where the system speaks to windows, and closes at the end', async () => {
    hidesOnClose = true;
    const window = await open();
    main.allow();
    const loadsBefore = loads;
    window.close();
    expect({ visible: window.visible, isDestroyed: window.isDestroyed() }).toEqual({
      visible: false,
      isDestroyed: false,
    });
    main.show();
    expect(window.visible).toBe(true);
    expect(loads).toBe(loadsBefore);
    window.close();
    expect(await main.close()).toBe(true);
    expect(window.isDestroyed()).toBe(true);
  });

  it('comes to the front, out of the dock, and is opened again when it was closed', async () => {
    const window = await open();
    main.allow();
    window.minimized = true;
    window.focused = false;
    main.show();
    expect({ minimized: window.minimized, focused: window.focused }).toEqual({ minimized: false, focused: true });
    expect(state.windows).toHaveLength(1);

    window.destroy();
    expect(main.current()).toBeNull();
    main.show();
    await settle();
    expect(standIn().visible).toBe(true);
    expect(standIn()).not.toBe(window);
  });

  it('stays when its page has files under way and the person keeps it', async () => {
    const window = await open();
    window.objects = true;
    expect(await main.close()).toBe(false);
    expect(main.current()).not.toBeNull();
    state.syncAnswer = 1;
    expect(await main.close()).toBe(true);
  });

  it('does not wait for a page that does not answer', async () => {
    const window = await open();
    window.answers = false;
    const closed = main.close();
    await settle();
    clock.advance(3000);
    expect(await closed).toBe(true);
    expect(window.isDestroyed()).toBe(true);
  });

  it('loads a page that crashed again, once by itself', async () => {
    const window = await open();
    const crash = async (): Promise<void> => {
      window.webContents.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 5 });
      await settle();
    };
    await crash();
    expect(loads).toBe(2);
    await crash();
    expect(loads).toBe(2);
    expect(state.dialogs[0]?.options.message).toBe(t('desktop.windowFailing'));
    state.dialogs[0]?.press(t('desktop.reload'));
    await settle();
    expect(loads).toBe(3);

    clock.advance(3_600_000);
    await crash();
    expect(loads).toBe(4);
    await crash();
    state.dialogs[0]?.press(t('menu.role.close'));
    await settle();
    expect(main.current()).toBeNull();
  });
});
