import { existsSync, writeFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { startDemoService, type DemoService } from '../support/demo/service.ts';
import { deskWithService, typed, type Desk } from './support.ts';

const LIST = 'key,prompt,model\na,A harbour,vgen-2.0-nt\nb,A street,vgen-2.0-nt\n';

/** A desk with the accounts `agency` and `Acme`, whose keys are kept. */
async function deskWithAccounts(): Promise<{ desk: Desk; acme: DemoService }> {
  const desk = await deskWithService();
  const acme = await startDemoService({ clock: desk.clock, media: 'tiny', apiKey: 'acme-key' });
  onTestFinished(() => acme.stop());
  desk.env['DAILIES_BASE_URL'] = '';
  desk.env['DAILIES_API_KEY'] = '';
  writeFileSync(desk.path('night.csv'), LIST);
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
