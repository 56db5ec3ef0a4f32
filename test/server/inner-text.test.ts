import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { enter, headersOf } from '../support/entry.ts';
import { Served, type Api } from './support.ts';

let served: Served;
beforeEach(async () => {
  served = await Served.open();
  return () => served.close();
});

const wires: readonly (readonly [wire: string, connect: () => Api | Promise<Api>])[] = [
  ['the port of a window', () => served.overPort()],
  ['a page in a browser', () => served.overHttp()],
  ['the socket of the user’s programs', () => served.overSocket()],
];

/** All that a caller is told, in whatever field. */
function toldOf(error: unknown): string {
  const { message, stack: _stack, ...fields } = error as Error;
  return JSON.stringify({ message, ...fields, ...(error as { toJSON?: () => object }).toJSON?.() });
}

const told = (made: Promise<unknown>): Promise<string> => made.then(() => 'answered', toldOf);

async function readAll(asking: Promise<AsyncIterable<string>>): Promise<void> {
  for await (const _piece of await asking);
}

describe.each(wires)('an error over %s', (_wire, connect) => {
  it('that is a bug of ours says no more than that: no statement, no path, no line of code', async () => {
    const api = await connect();
    const projectId = await served.saveImages(1);
    served.world.sql('DROP TABLE saved_views');
    served.world.sql('DROP TABLE ledger');
    const said = [
      await told(api.savedViews.list({ projectId })),
      await told(api.savedViews.save({ projectId, name: 'Best', filter: {} })),
      // A stream, whose answer has begun before it fails.
      await told(readAll(api.spending.csv({}))),
    ];
    for (const text of said) {
      expect(text).toContain('INTERNAL_SERVER_ERROR');
      expect(text).not.toMatch(/SQLITE|SQL|no such table|saved_views|ledger|node_modules|\.ts\b|\n\s+at /i);
      expect(text).not.toContain(served.world.folder);
    }
    const log = served.world.log.lines.filter((line) => line.startsWith('error'));
    expect(log.join()).toContain('no such table: saved_views');
  });
});

it('a picture that cannot be read is answered with no word of why', async () => {
  const projectId = await served.saveImages(1);
  const { takes } = await served.inProcess().takes.list({ projectId, start: 0, count: 1 });
  const entered = await enter((await served.web()).newEntry());
  served.world.sql('DROP TABLE outputs');
  const answer = await fetch(`${entered.address}/media/${takes[0]?.id ?? ''}/1`, {
    headers: { ...headersOf(entered), cookie: entered.cookie },
  });
  expect(answer.status).toBe(500);
  expect(await answer.text()).toBe('Something went wrong inside Dailies.');
});

it.each(['file:///etc/passwd', 'ftp://example.com', 'ws://example.com', 'javascript:alert(1)', 'data:text/plain,a'])(
  'a service at %s is refused, and the settings stay as they are',
  async (baseUrl) => {
    const api = served.inProcess();
    const file = join(served.world.dataFolder, 'settings.json');
    const before = await api.settings.update({ currency: 'EUR' });
    const was = readFileSync(file, 'utf8');
    await expect(api.settings.update({ baseUrl })).rejects.toMatchObject({ code: 'REFUSED' });
    expect((await api.settings.get()).settings).toEqual(before);
    expect(readFileSync(file, 'utf8')).toBe(was);
    expect(await api.settings.test({})).toMatchObject({ ok: true, address: served.world.service.url });
  },
);
