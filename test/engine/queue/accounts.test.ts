import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NamedAccount, Settings } from '../../../src/contract/settings.ts';
import { keyFingerprint } from '../../../src/engine/api/address.ts';
import { requireUnused } from '../../../src/engine/projects/accounts.ts';
import { ProjectClaims, type OpenedProject } from '../../../src/engine/projects/project-claims.ts';
import { startDemoService, type DemoService } from '../../support/demo/service.ts';
import { World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

let world: World;
let acme: DemoService;
let settings: Settings;
let acmes: NamedAccount;

const shots = (count: number, first = 1) => Array.from({ length: count }, (_, index) => shot(first + index));
const pricedAt = (price: number) => [{ model: '*', per: 'take' as const, price }];

beforeEach(async () => {
  world = await World.open({ service: { speed: { videoMs: 60_000 } } });
  acme = await startDemoService({ clock: world.clock, media: 'tiny', apiKey: 'acme-key', speed: { videoMs: 60_000 } });
  acmes = NamedAccount.parse({ id: 'acme', name: 'Acme', baseUrl: acme.url, prices: pricedAt(5) });
  settings = Settings.parse({ baseUrl: world.service.url, prices: pricedAt(1), accounts: [acmes] });
  world.keys.set('acme', 'acme-key');
  await world.start(settings);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await world.close();
  await acme.stop();
});

async function project(name: string, account?: string): Promise<OpenedProject> {
  const path = join(world.folder, name);
  mkdirSync(path, { recursive: true });
  return world.engine.projects.open(path, 'command', { account });
}

async function list(of: OpenedProject, count: number, first = 1): Promise<void> {
  const request = { project: of, name: 'Day 1', listFolder: of.path, source: 'list.csv', again: false };
  await world.engine.batches.start({ ...request, shots: shots(count, first) });
}

const saved = (of: OpenedProject): number => world.engine.stores.tally.counts({ projectId: of.id }).saved;
const firstTake = (of: OpenedProject): string => world.engine.stores.queries.list({ projectId: of.id }).at(0)?.id ?? '';

/** A request with any other key than its own is not authorized at either. */
function expectOwnKeysOnly(): void {
  for (const { ledger } of [world.service, acme]) {
    expect(ledger.entries.filter(({ hasAuthorization, authorized }) => hasAuthorization && !authorized)).toEqual([]);
  }
}

describe('two accounts', () => {
  it('work side by side in one night, each at its address, with its key, prices and limits', async () => {
    const [own, theirs] = [await project('own', 'main'), await project('theirs', 'acme')];
    await list(own, 3);
    await list(theirs, 2, 4);
    expect(await world.settle()).toEqual({ is: 'over' });
    expect([saved(own), saved(theirs)]).toEqual([3, 2]);
    expect([world.service.ledger.posts().length, acme.ledger.posts().length]).toEqual([3, 2]);
    expectOwnKeysOnly();
    const { ledger, projects } = world.engine.stores;
    expect(ledger.totalsBy({}, 'account').map(({ label, totals }) => [label, totals.settled.price])).toEqual([
      ['main', 3],
      ['Acme', 10],
    ]);
    const views = await world.engine.views.projects();
    expect(views.map(({ name, account }) => `${name} ${String(account)}`).toSorted()).toEqual([
      'own main',
      'theirs Acme',
    ]);
    expect(projects.onService('account:acme').map(({ name }) => name)).toEqual(['theirs']);
  });

  it('are not held up by each other: one has no key, is paused for its cap, or does not answer', async () => {
    const [own, theirs] = [await project('own', 'main'), await project('theirs', 'acme')];
    world.keys.delete('acme');
    await list(own, 2);
    await list(theirs, 2, 4);
    await world.settle();
    expect([saved(own), saved(theirs)]).toEqual([2, 0]);
    expect(world.engine.queue.status().gates).toMatchObject([
      { reason: 'key_missing', message: { key: 'waiting.accountKeyMissing', values: { account: 'Acme' } } },
    ]);
    world.keys.set('acme', 'acme-key');
    world.engine.keyChanged();
    expect(await world.settle()).toEqual({ is: 'over' });
    expect(saved(theirs)).toBe(2);
    expectOwnKeysOnly();
  });

  it('say each what it waits for', async () => {
    const [own, theirs] = [await project('own', 'main'), await project('theirs', 'acme')];
    world.keys.delete('acme');
    world.key = null;
    await list(own, 1);
    await list(theirs, 1, 4);
    await world.settle();
    expect(world.engine.queue.status().gates).toMatchObject([
      { reason: 'key_missing', accountId: null, message: { values: { account: 'main' } } },
      { reason: 'key_missing', accountId: 'acme', message: { values: { account: 'Acme' } } },
    ]);
  });

  it('have each their cap for a night, beside the cap of the night, which counts both', async () => {
    const [own, theirs] = [await project('own', 'main'), await project('theirs', 'acme')];
    await list(own, 3);
    await list(theirs, 3, 4);
    await world.act('spending.changeCap', { scope: { scope: 'account', accountId: 'acme' }, change: { money: 11 } });
    await world.settle();
    expect([saved(own), saved(theirs)]).toEqual([3, 2]);
    expect(world.engine.spending.caps()).toMatchObject([
      { scope: { accountId: 'acme' }, name: 'Acme', spent: { money: 10, takes: 2 } },
    ]);
    expect(world.engine.queue.status().gates).toMatchObject([{ reason: 'cap_reached', cap: { name: 'Acme' } }]);
    await world.act('spending.changeCap', { scope: { scope: 'night' }, change: { takes: 5 } });
    await world.act('spending.changeCap', { scope: { scope: 'account', accountId: 'acme' }, change: { money: null } });
    await world.settle();
    expect([saved(own), saved(theirs)]).toEqual([3, 2]);
    await world.act('spending.changeCap', { scope: { scope: 'night' }, change: { takes: null } });
    expect(await world.settle()).toEqual({ is: 'over' });
    expect(saved(theirs)).toBe(3);
  });
});

it('sends to each account as often as its own limits say', async () => {
  const slow = settings.accounts.map((account) => ({ ...account, maxRate: { ...account.maxRate, submit: 0.1 } }));
  world.engine.updateSettings({ ...settings, accounts: slow });
  const [own, theirs] = [await project('own', 'main'), await project('theirs', 'acme')];
  await list(own, 3);
  await list(theirs, 3, 4);
  expect(await world.settle()).toEqual({ is: 'over' });
  const spans = [world.service, acme].map(({ ledger }) => {
    const times = ledger.posts().map(({ at }) => at);
    return Math.max(...times) - Math.min(...times);
  });
  expect(spans[0]).toBeLessThan(2000);
  expect(spans[1]).toBe(20_000);
});

describe('a project that gets another account', () => {
  it('is followed where it was sent, sent where it is now, and priced by the account of each request', async () => {
    const film = await project('film', 'main');
    await list(film, 1);
    world.engine.queue.run({});
    await world.until('it is sent', () => world.service.ledger.commits === 1);
    const done = await world.act('projects.account', { projectId: film.id, account: 'ACME' });
    expect(done?.text).toMatchObject({
      key: 'history.projectAccountChanged',
      values: { before: 'main', account: 'Acme' },
    });
    await list(film, 2);
    expect(await world.settle()).toEqual({ is: 'over' });
    expect(saved(film)).toBe(2);
    expect([world.service.ledger.posts().length, acme.ledger.posts().length]).toEqual([1, 1]);
    expectOwnKeysOnly();
    world.engine.updateSettings({ ...settings, prices: pricedAt(2) });
    await world.engine.spending.settled();
    const totals = world.engine.stores.ledger.totalsBy({}, 'account');
    expect(totals.map(({ label, totals: { settled } }) => [label, settled.price])).toEqual([
      ['main', 2],
      ['Acme', 5],
    ]);
    await world.engine.commands.undo(done?.undo ?? '', 'window');
    expect((await world.engine.views.project(film.id)).account).toBe('main');
  });

  it('sends nothing with the one before, not even what is just being prepared', async () => {
    const film = await project('film', 'main');
    await list(film, 1);
    const moveOnceAnnounced = (): void => {
      const claimed = vi.spyOn(ProjectClaims.prototype, 'claim');
      claimed.mockImplementation(function (this: ProjectClaims, projectId) {
        claimed.mockRestore();
        const claim = this.claim(projectId);
        // Its recipe announces the request, and it is asked once more whether the project is ours.
        if (existsSync(join(film.path, '.dailies', 'takes', `${firstTake(film)}.json`))) {
          world.engine.stores.projects.setService(projectId, 'account:acme');
        } else moveOnceAnnounced();
        return claim;
      });
    };
    moveOnceAnnounced();
    await world.settle();
    expect(world.service.ledger.posts()).toEqual([]);
    expect(acme.ledger.posts()).toHaveLength(1);
    expectOwnKeysOnly();
  });
});

describe('which account pays', () => {
  it('is asked for where there are several, before a folder becomes a project', async () => {
    const path = join(world.folder, 'new');
    mkdirSync(path);
    await expect(world.engine.projects.open(path)).rejects.toMatchObject({ code: 'account_needed' });
    await expect(world.engine.projects.open(path, 'window', { account: 'Nobody' })).rejects.toMatchObject({
      code: 'unknown_account',
    });
    expect(readdirSync(path)).toEqual([]);
    await world.engine.projects.open(path, 'window', { account: 'Acme' });
    await expect(world.engine.projects.open(path, 'window', { account: 'main' })).rejects.toMatchObject({
      code: 'other_account',
    });
    // Known by now.
    expect((await world.engine.projects.open(path)).name).toBe('new');
  });

  it('is no matter of the folder: one of a stranger brings no account, and no key to another address', async () => {
    const film = await project('film', 'main');
    await list(film, 1);
    world.engine.queue.run({});
    await world.until('it is sent', () => world.service.ledger.commits === 1);
    await world.stop();
    // The stranger says that a task of the first key runs at the second account's address, and the other way round.
    const file = join(film.path, '.dailies', 'takes', readdirSync(join(film.path, '.dailies', 'takes'))[0] ?? '');
    const own = readFileSync(file, 'utf8');
    for (const [origin, key] of [
      [acme.url, world.key ?? ''],
      [world.service.url, 'acme-key'],
    ] as const) {
      const moved = own
        .replaceAll(world.service.url, origin)
        .replaceAll(keyFingerprint(world.key ?? ''), keyFingerprint(key));
      expect(moved).not.toBe(own);
      writeFileSync(file, moved);
      world.dataFolder = join(world.folder, `data of ${key}`);
      await world.start(settings);
      const opened = await world.engine.projects.open(film.path, 'window', { account: 'main' });
      await world.settle();
      expect(world.engine.stores.projects.service(opened.id)).toBeNull();
      await world.stop();
    }
    expectOwnKeysOnly();
  });

  it('stays known when it is deleted from the settings file: its takes wait and say so', async () => {
    const film = await project('film', 'acme');
    await list(film, 1);
    await world.restart({ ...settings, accounts: [] });
    await world.settle();
    expect(world.engine.queue.status().gates).toMatchObject([
      { reason: 'key_missing', message: { key: 'waiting.accountGone' } },
    ]);
    expect(acme.ledger.received + world.service.ledger.received).toBe(0);
    await world.act('projects.account', { projectId: film.id, account: 'main' });
    expect(await world.settle()).toEqual({ is: 'over' });
    expect(world.service.ledger.posts()).toHaveLength(1);
    expect(existsSync(film.path)).toBe(true);
  });
});

const priceOf = (label: string) =>
  world.engine.stores.ledger.totalsBy({}, 'account').find((each) => each.label === label)?.totals.settled;

async function sentBy(service: DemoService, film: OpenedProject): Promise<void> {
  await list(film, 1);
  world.engine.queue.run({});
  await world.until('it is sent', () => service.ledger.commits === 1);
}

it('an account with tasks that are followed is in use, although its project moved on', async () => {
  const film = await project('film', 'acme');
  await sentBy(acme, film);
  await world.act('projects.account', { projectId: film.id, account: 'main' });
  expect(() => {
    requireUnused(world.engine.stores, { id: 'acme', name: 'Acme' });
  }).toThrow();
});

it('a key refused at the former account stops nothing of the present one', async () => {
  const film = await project('film', 'main');
  await sentBy(world.service, film);
  await world.act('projects.account', { projectId: film.id, account: 'acme' });
  world.service.faults.add({ match: { method: 'GET', times: 'always' }, do: { fault: 'status', status: 401 } });
  await world.until('it is asked', () => world.service.ledger.entries.some(({ method }) => method === 'GET'));
  await world.settle();
  await list(film, 2);
  await world.settle();
  expect.soft(world.engine.queue.status().gates.filter(({ accountId }) => accountId === 'acme')).toEqual([]);
  expect(acme.ledger.posts()).toHaveLength(1);
});

it('what was paid stays paid when its account is removed', async () => {
  const film = await project('film', 'acme');
  await list(film, 1);
  await world.settle();
  expect(priceOf('Acme')).toMatchObject({ price: 5 });
  await world.act('projects.account', { projectId: film.id, account: 'main' });
  await world.act('spending.changeCap', { scope: { scope: 'night' }, change: { money: 100 } });
  world.engine.updateSettings({ ...settings, accounts: [] });
  await world.engine.spending.settled();
  expect(world.engine.stores.ledger.totals({ projectId: film.id }).settled).toMatchObject({ price: 5, unpriced: 0 });
  await list(film, 2);
  await world.settle();
  expect(saved(film)).toBe(2);
});

it('undo returns a project to the account it had, whatever that is called now', async () => {
  const film = await project('film', 'main');
  const done = await world.act('projects.account', { projectId: film.id, account: 'Acme' });
  const beta = { ...acmes, id: 'beta', name: 'main' };
  world.engine.updateSettings({ ...settings, accountName: 'agency', accounts: [acmes, beta] });
  await world.engine.commands.undo(done?.undo ?? '', 'window').catch(() => undefined);
  expect(world.engine.stores.projects.service(film.id)).not.toBe('account:beta');
});

it('a call of a tool that waits for its turn is paid for by the account that it is sent with', async () => {
  const slow = { ...settings, maxRate: { ...settings.maxRate, submit: 0.1 } };
  world.engine.updateSettings(slow);
  const film = await project('film', 'main');
  const search = (query: string) =>
    world.engine.tools.research.search({ projectId: film.id, query, includeImages: false, isAgreed: false });
  await world.act('spending.changeCap', { scope: { scope: 'account', accountId: '' }, change: { money: 1 } });
  await world.whilePumping(search('one'));
  expect(world.service.ledger.posts()).toHaveLength(1);
  const second = search('two');
  await world.act('projects.account', { projectId: film.id, account: 'acme' });
  await world.whilePumping(second);
  expect(priceOf('main')).toMatchObject({ requests: world.service.ledger.posts().length });
  expect(world.service.ledger.posts()).toHaveLength(1);
});

it.each(['main', 'acme'])(
  'a task of %s is followed where it is when the address of its account changes',
  async (name) => {
    const film = await project('film', name);
    const service = name === 'main' ? world.service : acme;
    await sentBy(service, film);
    const moved = await startDemoService({ clock: world.clock, media: 'tiny', apiKey: service.apiKey });
    world.engine.updateSettings(
      name === 'main'
        ? { ...settings, baseUrl: moved.url }
        : { ...settings, accounts: [{ ...acmes, baseUrl: moved.url }] },
    );
    world.engine.keyChanged();
    await world.settle();
    await moved.stop();
    expect(saved(film)).toBe(1);
  },
);

it('the report of a night over all projects estimates by the prices of each account', async () => {
  const film = await project('film', 'acme');
  await list(film, 2);
  const now = world.clock.now();
  const report = await world.engine.nights.report({ since: now - 1000, until: now + 1000 });
  expect(report).toMatchObject({ spend: { estimate: { price: 10 } } });
});

it('each request is in the ledger of the account that it was sent with, whenever the project gets another', async () => {
  const film = await project('film', 'main');
  await list(film, 12);
  const { projects } = world.engine.stores;
  let turns = 0;
  world.engine.subscribe(() => {
    turns += 1;
    projects.setService(film.id, turns % 3 === 0 ? 'account:acme' : null);
  });
  await world.settle();
  const totals = world.engine.stores.ledger.totalsBy({}, 'account');
  const requests = (label: string) => totals.find((each) => each.label === label)?.totals.settled.requests ?? 0;
  expect([requests('main'), requests('Acme')]).toEqual([world.service.ledger.commits, acme.ledger.commits]);
  for (const { ledger } of [world.service, acme])
    expect(ledger.entries.filter(({ hasAuthorization, authorized }) => hasAuthorization && !authorized)).toEqual([]);
});

it('the cap of an account holds, whenever its projects come and go', async () => {
  const film = await project('film', 'main');
  await list(film, 12);
  await world.act('spending.changeCap', { scope: { scope: 'account', accountId: 'acme' }, change: { takes: 1 } });
  const { projects } = world.engine.stores;
  let turns = 0;
  world.engine.subscribe(() => {
    turns += 1;
    projects.setService(film.id, turns % 3 === 0 && turns < 500 ? 'account:acme' : null);
  });
  await world.settle();
  expect(acme.ledger.commits).toBeLessThanOrEqual(1);
});

it('one key at one address under two names is asked no faster than either allows', async () => {
  const twin = { ...acmes, baseUrl: world.service.url, maxRate: { ...acmes.maxRate, submit: 0.1 } };
  world.keys.set('acme', world.key ?? '');
  world.engine.updateSettings({ ...settings, accounts: [twin] });
  const film = await project('film', 'acme');
  await list(film, 3);
  await world.settle();
  const times = world.service.ledger.posts().map(({ at }) => at);
  expect(Math.max(...times) - Math.min(...times)).toBeGreaterThanOrEqual(20_000);
});
