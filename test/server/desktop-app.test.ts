import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DesktopEvent, MenuCommand } from '../../src/contract/desktop.ts';
import { DesktopEvents } from '../../src/main/features/desktop-events.ts';
import { desktopOver } from '../../src/main/engine-host.ts';
import { servePort } from '../../src/server/router/router.ts';
import { serveShell } from '../support/shell.ts';
import { Served, type Api } from './support.ts';

/** The whole way of the desktop app: a window's port to the engine, and the engine's port to main. */
describe('the window of the app', () => {
  let served: Served;
  let api: Api;
  let channels: MessageChannel[];
  const events = new DesktopEvents();
  const done: unknown[] = [];
  let menu: readonly MenuCommand[] = [];

  beforeEach(async () => {
    served = await Served.open();
    done.length = 0;
    const [toMain, toWindow] = (channels = [new MessageChannel(), new MessageChannel()]);
    if (!toMain || !toWindow) throw new Error('there are two channels');
    const note = (...what: unknown[]): Promise<void> => Promise.resolve(void done.push(what));
    serveShell(
      {
        abilities: () =>
          Promise.resolve({
            host: 'app',
            system: 'linux',
            pickFolder: true,
            dragOut: true,
            updates: true,
            keepRunning: true,
          }),
        pickFolder: ({ title }) => Promise.resolve(title === 'Where?' ? { path: '/films' } : null),
        reveal: ({ path }) => note('reveal', path),
        async prepareDrag({ files }) {
          await note('drag', files);
          return { drag: 'drag 1' };
        },
        menu: ({ commands }) => Promise.resolve(void (menu = commands)),
        update: ({ choice }) => note('update', choice),
        events: (_input, signal) => Promise.resolve(events.stream(signal)),
      },
      toMain.port1,
    );
    const desktop = desktopOver(toMain.port2);
    servePort({ ...served.services, desktop }, toWindow.port1);
    api = createORPCClient(new RPCLink({ port: toWindow.port2 }));
  });

  afterEach(async () => {
    for (const { port1, port2 } of channels) {
      port1.close();
      port2.close();
    }
    await served.close();
  });

  it('carries the very files of several takes out, and shows them where they lie', async () => {
    const projectId = await served.saveImages(3);
    const { takes } = await api.takes.list({ projectId, start: 0, count: 10 });
    expect(await api.desktop.prepareDrag({ ids: takes.slice(0, 2).map(({ id }) => id) })).toEqual({ drag: 'drag 1' });
    await api.desktop.reveal({ takeId: takes[2]?.id ?? '' });
    const folder = join(realpathSync(served.world.projectPath), 'Stills');
    expect(done).toEqual([
      ['drag', [join(folder, '0001_t1.png'), join(folder, '0002_t1.png')]],
      ['reveal', join(folder, '0003_t1.png')],
    ]);
  });

  it('refuses to carry what has no file, and more than anybody carries', async () => {
    const unknown = api.desktop.prepareDrag({ ids: ['nobody'] });
    await expect(unknown).rejects.toMatchObject({ code: 'REFUSED' });
    const many = api.desktop.prepareDrag({ ids: Array.from({ length: 501 }, (_, index) => `take-${index}`) });
    await expect(many).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    expect(done).toEqual([]);
  });

  it('has the app’s abilities, where a browser that is served beside it has its own', async () => {
    expect(await api.desktop.abilities()).toMatchObject({ host: 'app', dragOut: true });
    expect(await api.desktop.pickFolder({ title: 'Where?' })).toEqual({ path: '/films' });
    expect(await api.desktop.pickFolder({ title: 'No.' })).toBeNull();
    const browser = await served.overHttp();
    expect(await browser.desktop.abilities()).toMatchObject({ host: 'browser', dragOut: false });
    await expect(browser.desktop.pickFolder({ title: 'Where?' })).rejects.toMatchObject({ code: 'REFUSED' });
  });

  it("gets main's events, and tells main what its menus should show", async () => {
    const heard: DesktopEvent[] = [];
    const stream = await api.desktop.events();
    heard.push((await stream.next()).value as DesktopEvent);
    events.tell({ type: 'command', id: 'go-queue' });
    heard.push((await stream.next()).value as DesktopEvent);
    expect(heard).toEqual([
      { type: 'update', update: { state: 'none' } },
      { type: 'command', id: 'go-queue' },
    ]);
    await stream.return?.();
    const commands = [{ id: 'a', title: 'A', group: 'Go', enabled: false }];
    await api.desktop.menu({ commands });
    expect(menu).toEqual(commands);
    await api.desktop.update({ choice: 'when_idle' });
    expect(done).toEqual([['update', 'when_idle']]);
  });
});
