import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { toSettingsFile } from '../../src/host/data-folder.ts';
import { startDemoService, type DemoService } from '../support/demo/service.ts';
import { Served } from '../server/support.ts';
import { World } from '../support/world.ts';
import { SharedTerminals, until } from './shared-terminals.ts';
import { deskWithService, typed, type Desk } from './support.ts';

const LIST = 'key,prompt,model\na,A harbour,vgen-2.0-nt\nb,A street,vgen-2.0-nt\n';
const THREE = `${LIST}c,A hill,vgen-2.0-nt\n`;

async function another(desk: Desk, apiKey: string): Promise<DemoService> {
  const service = await startDemoService({ clock: desk.clock, media: 'tiny', apiKey });
  onTestFinished(() => service.stop());
  return service;
}

/** A desk with the accounts `agency` and `Acme`, whose keys are kept. */
async function deskWithAccounts(list = LIST): Promise<{ desk: Desk; acme: DemoService }> {
  const desk = await deskWithService();
  const acme = await another(desk, 'acme-key');
  desk.env['DAILIES_BASE_URL'] = '';
  desk.env['DAILIES_API_KEY'] = '';
  writeFileSync(desk.path('night.csv'), list);
  for (const [name, url, key] of [
    ['agency', desk.service.url, desk.service.apiKey],
    ['Acme', acme.url, 'acme-key'],
  ] as const) {
    desk.stdin = typed(`${key}\n`);
    expect(await desk.says('accounts', 'add', name, '--base-url', url)).toContain(name);
  }
  return { desk, acme };
}

it('are added with their keys, listed, renamed and removed', async () => {
  const { desk } = await deskWithAccounts();
  expect(await desk.lists('accounts', 'list')).toMatchObject([
    { type: 'account', name: 'agency', baseUrl: desk.service.url, hasKey: true, projects: [] },
    { name: 'Acme', hasKey: true },
  ]);
  // The first address that was ever set is that of the first account.
  expect(desk.keychain.secret).toContain(desk.service.apiKey);
  expect([...desk.keychains.values()].map(({ secret }) => secret)).toEqual([expect.stringContaining('acme-key')]);
  desk.stdin = typed('x\n');
  expect(await desk.refuses('accounts', 'add', 'ACME', '--base-url', 'https://other.test')).toContain('already');
  expect(await desk.refuses('accounts', 'add', 'other')).toContain('--base-url');
  expect(await desk.refuses('accounts', 'rename', 'nobody', 'x')).toContain('agency, Acme');
  await desk.says('accounts', 'rename', 'acme', 'Acme Films');
  expect(await desk.refuses('accounts', 'remove', 'agency')).toContain('first');
  await desk.says('accounts', 'remove', 'Acme Films');
  expect(await desk.lists('accounts', 'list')).toHaveLength(1);
  expect([...desk.keychains.values()].map(({ secret }) => secret)).toEqual([null]);
});

it('pay for the projects that name them, and for nothing else', async () => {
  const { desk, acme } = await deskWithAccounts();
  expect(await desk.refuses('run', 'night.csv', '--project', 'film')).toContain('agency, Acme');
  expect(existsSync(desk.path('film'))).toBe(false);
  expect(await desk.refuses('run', 'night.csv', '--project', 'film', '--account', 'nobody')).toContain('nobody');
  expect(await desk.refuses('models')).toContain('agency, Acme');
  expect(await desk.run('run', 'night.csv', '--project', 'film', '--account', 'acme')).toBe(0);
  expect([desk.service.ledger.posts().length, acme.ledger.posts().length]).toEqual([0, 2]);
  expect(await desk.run('run', 'night.csv', '--project', 'own', '--account', 'agency')).toBe(0);
  expect([desk.service.ledger.posts().length, acme.ledger.posts().length]).toEqual([2, 2]);
  // The project says by now who pays: with a name that is another, nothing is sent.
  expect(await desk.refuses('run', 'night.csv', '--project', 'film', '--again', '--account', 'agency')).toContain(
    'Acme',
  );
  expect(await desk.run('run', 'night.csv', '--project', 'film', '--batch', 'more')).toBe(0);
  expect([desk.service.ledger.posts().length, acme.ledger.posts().length]).toEqual([2, 4]);
  for (const { ledger } of [desk.service, acme]) {
    expect(ledger.entries.filter(({ hasAuthorization, authorized }) => hasAuthorization && !authorized)).toEqual([]);
  }
  expect((await desk.lists('projects', 'list')).map(({ name, account }) => [name, account])).toEqual(
    expect.arrayContaining([
      ['own', 'agency'],
      ['film', 'Acme'],
    ]),
  );
  expect((await desk.lists('status')).filter(({ type }) => type === 'batch')).toMatchObject([
    { account: 'Acme' },
    { account: 'Acme' },
    { account: 'agency' },
  ]);
  expect(await desk.lists('spend', '--by', 'account')).toMatchObject([
    { name: 'agency', totals: { settled: { requests: 2 } } },
    { name: 'Acme', totals: { settled: { requests: 4 } } },
  ]);
  await desk.says('cap', '--account', 'Acme', '--max-takes', '9');
  expect(desk.stdout.text).toContain('account “Acme”');
  expect(await desk.refuses('accounts', 'remove', 'Acme')).toContain('film');
  await desk.says('projects', 'account', 'agency', '--project', 'film');
  expect(await desk.run('run', 'night.csv', '--project', 'film', '--batch', 'third')).toBe(0);
  expect([desk.service.ledger.posts().length, acme.ledger.posts().length]).toEqual([4, 4]);
  await desk.says('accounts', 'remove', 'Acme');
});

it('have settings of their own, and share the others', async () => {
  const { desk } = await deskWithAccounts();
  await desk.says('config', 'set', 'concurrency.submit', '2', '--account', 'Acme');
  expect(await desk.says('config', 'get', 'concurrency.submit', '--account', 'Acme')).toBe('2\n');
  expect(await desk.says('config', 'get', 'concurrency.submit', '--account', 'agency')).toBe('4\n');
  expect(await desk.refuses('config', 'set', 'currency', 'EUR', '--account', 'Acme')).toContain(
    'shared by all accounts',
  );
  await desk.says('config', 'set', 'currency', 'EUR');
  await desk.says('config', 'set', 'prices', '[{"model":"*","per":"take","price":3}]', '--account', 'Acme');
  const [estimate] = (
    await desk.lists('run', 'night.csv', '--project', 'film', '--account', 'Acme', '--dry-run')
  ).filter(({ type }) => type === 'estimate');
  expect(estimate).toMatchObject({ price: 6, currency: 'EUR' });
});

it('are named for a key of the environment, which goes to no other address', async () => {
  const { desk, acme } = await deskWithAccounts();
  desk.keychains.clear();
  desk.env['DAILIES_API_KEY'] = 'acme-key';
  expect(await desk.refuses('resume')).toContain('DAILIES_API_KEY');
  expect(await desk.refuses('serve')).toContain('DAILIES_API_KEY');
  // What only looks needs no key.
  desk.env['DAILIES_BASE_URL'] = acme.url;
  await desk.says('status');
  desk.env['DAILIES_BASE_URL'] = '';
  // The library and tools outside a project are the first account's.
  expect(await desk.refuses('assets', 'groups')).toContain('agency, Acme');
  expect(await desk.refuses('assets', 'groups', '--account', 'Acme')).toContain('“agency”, not “Acme”');
  expect(await desk.run('run', 'night.csv', '--project', 'film', '--account', 'Acme')).toBe(0);
  expect(acme.ledger.posts()).toHaveLength(2);
  desk.env['DAILIES_API_KEY'] = '';
  expect(await desk.run('run', 'night.csv', '--project', 'own', '--account', 'agency')).toBe(0);
  expect(
    desk.service.ledger.entries.filter(({ authorized, hasAuthorization }) => hasAuthorization && !authorized),
  ).toEqual([]);
});

type Stored = { accounts: { id: string; name: string; baseUrl: string }[]; [name: string]: unknown };

/** As a person with an editor, or another program. */
function edit(desk: Pick<Desk, 'dataFolder'>, change: (settings: Stored) => void): void {
  const file = toSettingsFile(desk.dataFolder);
  const settings = JSON.parse(readFileSync(file, 'utf8')) as Stored;
  change(settings);
  writeFileSync(file, JSON.stringify(settings));
}

const withForeignKey = ({ ledger }: DemoService) =>
  ledger.entries.filter(({ hasAuthorization, authorized }) => hasAuthorization && !authorized).length;

it('the key of a command stays at its address when the settings of its account change meanwhile', async () => {
  const { desk, acme } = await deskWithAccounts(THREE);
  const elsewhere = await another(desk, 'no such key');
  await desk.says('config', 'set', 'maxRate.submit', '0.05', '--account', 'Acme');
  const running = desk.run('run', 'night.csv', '--project', 'film', '--account', 'Acme');
  await until(() => acme.ledger.posts().length === 1);
  edit(desk, ({ accounts }) => {
    for (const account of accounts) account.baseUrl = elsewhere.url;
  });
  await until(() => elsewhere.ledger.received > 0 || acme.ledger.posts().length === 3);
  desk.interrupt();
  await running;
  expect(withForeignKey(elsewhere)).toBe(0);
});

it('--base-url holds for the account that a command names when any setting changes meanwhile', async () => {
  const { desk, acme } = await deskWithAccounts(THREE);
  const staging = await another(desk, 'staging-key');
  await desk.says('config', 'set', 'maxRate.submit', '0.05', '--account', 'Acme');
  desk.env['DAILIES_API_KEY'] = 'staging-key';
  const running = desk.run('run', 'night.csv', '--project', 'film', '--account', 'Acme', '--base-url', staging.url);
  await until(() => staging.ledger.posts().length === 1);
  edit(desk, (settings) => (settings['currency'] = 'EUR'));
  await until(() => acme.ledger.received > 0 || staging.ledger.posts().length === 3);
  desk.interrupt();
  await running;
  expect(withForeignKey(acme)).toBe(0);
  expect(acme.ledger.received).toBe(0);
});

it('two accounts of one id, as after a copied block in the settings, are refused', async () => {
  const { desk, acme } = await deskWithAccounts(THREE);
  const beta = await another(desk, 'beta-key');
  edit(desk, ({ accounts }) => {
    accounts.push({ id: accounts[0]?.id ?? '', name: 'Beta', baseUrl: beta.url });
  });
  await desk.run('run', 'night.csv', '--project', 'film', '--account', 'Beta');
  expect(acme.ledger.posts()).toHaveLength(0);
});

it('a key or an address for nobody in particular is refused beside an engine that is shared, too', async () => {
  const office = await SharedTerminals.open();
  office.serving.env['DAILIES_BASE_URL'] = '';
  office.serving.env['DAILIES_API_KEY'] = '';
  for (const name of ['agency', 'Acme']) {
    office.serving.stdin = typed(`${office.service.apiKey}\n`);
    await office.serving.says('accounts', 'add', name, '--base-url', office.service.url);
  }
  await office.serve();
  office.scene.env['DAILIES_BASE_URL'] = '';
  office.scene.env['DAILIES_API_KEY'] = 'another key';
  expect.soft(await office.run('resume')).toBe(2);
  office.scene.env['DAILIES_API_KEY'] = '';
  expect.soft(await office.run('resume', '--base-url', 'https://staging.test')).toBe(2);
});

it('a dry run refuses another account than that of its project, as the run does', async () => {
  const { desk } = await deskWithAccounts(THREE);
  expect(await desk.run('run', 'night.csv', '--project', 'film', '--account', 'Acme')).toBe(0);
  expect(await desk.run('run', 'night.csv', '--project', 'film', '--account', 'agency', '--again')).toBe(2);
  expect(await desk.run('run', 'night.csv', '--project', 'film', '--account', 'agency', '--again', '--dry-run')).toBe(
    2,
  );
});

it('an account that another program adds while this one asks for a key is kept', async () => {
  const { desk } = await deskWithAccounts(THREE);
  desk.stdin = {
    async *[Symbol.asyncIterator]() {
      await Promise.resolve();
      edit(desk, ({ accounts }) => accounts.push({ id: 'other', name: 'Other', baseUrl: 'https://other.test' }));
      yield 'beta-key\n';
    },
  };
  await desk.says('accounts', 'add', 'Beta', '--base-url', 'https://beta.test');
  expect((await desk.lists('accounts', 'list')).map(({ name }) => name)).toEqual(['agency', 'Acme', 'Other', 'Beta']);
});

it('a setting that each account has asks whose it is', async () => {
  const { desk } = await deskWithAccounts(THREE);
  expect.soft(await desk.run('config', 'set', 'prices', '[]')).toBe(2);
  expect.soft(await desk.run('config', 'set', 'concurrency.submit', '1')).toBe(2);
  expect.soft(await desk.run('config', 'set', 'base-url', 'https://other.test')).toBe(2);
});

it('the picture of a take is described by the account that the command names, or by none', async () => {
  const { desk, acme } = await deskWithAccounts(THREE);
  writeFileSync(desk.path('still.csv'), 'key,prompt,model,kind\ns,A harbour,image-demo,image\n');
  expect(await desk.run('run', 'still.csv', '--project', 'film', '--account', 'Acme')).toBe(0);
  const id = String((await desk.lists('jobs', 'list'))[0]?.['id']);
  const before = acme.ledger.posts().length;
  await desk.run('describe', id, '--account', 'agency', '--with', 'job');
  expect(acme.ledger.posts().length).toBe(before);
});

it('an account whose key file others can read does not end the engine that sees it come', async () => {
  const { desk, acme } = await deskWithAccounts(THREE);
  await desk.says('config', 'set', 'maxRate.submit', '0.05', '--account', 'Acme');
  const broken: unknown[] = [];
  const note = (error: unknown) => void broken.push(error);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  const running = desk.run('run', 'night.csv', '--project', 'film', '--account', 'Acme');
  await until(() => acme.ledger.posts().length === 1);
  writeFileSync(`${desk.dataFolder}/api-key-other`, 'x', { mode: 0o644 });
  edit(desk, ({ accounts }) => accounts.push({ id: 'other', name: 'Other', baseUrl: 'https://other.test' }));
  await running;
  expect(broken).toEqual([]);
});

it('a first account that is added pays for no project that was there before', async () => {
  const desk = await deskWithService();
  const acme = await another(desk, 'acme-key');
  writeFileSync(desk.path('night.csv'), THREE);
  expect(await desk.run('run', 'night.csv', '--project', 'film')).toBe(0);
  desk.env['DAILIES_BASE_URL'] = '';
  desk.env['DAILIES_API_KEY'] = '';
  desk.stdin = typed('acme-key\n');
  await desk.run('accounts', 'add', 'Acme', '--base-url', acme.url);
  await desk.run('run', 'night.csv', '--project', 'film', '--batch', 'more');
  expect(acme.ledger.posts()).toHaveLength(0);
});

it('a window removes no account that another program has added, and that a project uses', async () => {
  const served = await Served.open();
  onTestFinished(() => World.closeAll());
  const api = served.inProcess();
  const acme = { id: 'acme', name: 'Acme', baseUrl: 'https://acme.test' };
  await api.settings.update({ accounts: [acme] } as never);
  edit(served.world, ({ accounts }) => accounts.push({ id: 'other', name: 'Other', baseUrl: 'https://other.test' }));
  const { projects } = served.world.engine.stores;
  projects.save({ id: 'film', path: served.world.projectPath, name: 'film' }, 1);
  projects.setService('film', 'account:other');
  await api.settings.update({ accounts: [{ ...acme, name: 'Acme Films' }] } as never).catch(() => undefined);
  const stored = JSON.parse(readFileSync(toSettingsFile(served.world.dataFolder), 'utf8')) as Stored;
  expect(stored.accounts.map(({ id }) => id)).toContain('other');
});

it('a key of the environment takes the place of none that is kept for the account of the project', async () => {
  const { desk, acme } = await deskWithAccounts(THREE);
  expect(await desk.run('run', 'night.csv', '--project', 'film', '--account', 'Acme')).toBe(0);
  // In the profile of the shell since before there were several.
  desk.env['DAILIES_API_KEY'] = desk.service.apiKey;
  await desk.run('run', 'night.csv', '--project', 'film', '--batch', 'more');
  expect(withForeignKey(acme)).toBe(0);
});

it('resume with an account sends nothing of another', async () => {
  const { desk, acme } = await deskWithAccounts(THREE);
  await desk.says('config', 'set', 'maxRate.submit', '0.05', '--account', 'agency');
  const running = desk.run('run', 'night.csv', '--project', 'own', '--account', 'agency');
  await until(() => desk.service.ledger.posts().length === 1);
  desk.interrupt();
  await running;
  await desk.run('run', 'night.csv', '--project', 'film', '--account', 'Acme', '--max-takes', '1');
  const before = desk.service.ledger.posts().length;
  await desk.run('resume', '--account', 'Acme');
  expect(acme.ledger.posts()).toHaveLength(1);
  expect(desk.service.ledger.posts()).toHaveLength(before);
});
