import { beforeEach, expect, it, vi } from 'vitest';
import { accountsIn, changeOfAccount, settingsOn } from '../../src/contract/accounts.ts';
import { NamedAccount, Settings, type SettingsChange } from '../../src/contract/settings.ts';

/** The settings that the engine has: other windows and commands change them too. */
const engine = vi.hoisted(() => ({ settings: {} as unknown, undo: [] as (() => Promise<unknown>)[] }));
vi.mock('../../src/renderer/lib/client.ts', () => ({
  sayTrouble: String,
  api: {
    settings: {
      get: () => Promise.resolve({ settings: engine.settings }),
      update: (change: SettingsChange) => {
        engine.settings = { ...(engine.settings as Settings), ...change };
        return Promise.resolve(engine.settings);
      },
    },
  },
}));
vi.mock('../../src/renderer/lib/state/changes.svelte.ts', () => ({ changeStream: { listen: () => undefined } }));
vi.mock('../../src/renderer/lib/undo.svelte.ts', () => ({
  between: (back: () => Promise<unknown>) => back,
  toastWithUndo: (_words: string, back: () => Promise<unknown>) => engine.undo.push(back),
}));

vi.hoisted(() =>
  Object.assign(globalThis, { matchMedia: () => ({ matches: false, addEventListener: () => undefined }) }),
);
const { accountStates, editOfAccount, settings } = await import('../../src/renderer/lib/state/settings.svelte.ts');

const account = (id: string, name: string) => NamedAccount.parse({ id, name, baseUrl: `https://${id}.example` });
const acme = account('acme', 'Acme');
const globex = account('globex', 'Globex');
const withAcme = Settings.parse({ baseUrl: 'https://main.example', accounts: [acme] });
const key = { present: true, from: 'keychain' } as const;
const none = { present: false, from: 'none' } as const;
const now = (): Settings => engine.settings as Settings;

beforeEach(() => {
  engine.settings = withAcme;
});

it('a change of one account leaves the others, and what it does not name, as they are', () => {
  const change = changeOfAccount({ ...withAcme, accounts: [acme, globex] }, 'globex', { concurrency: { submit: 9 } });
  expect(change).toEqual({ accounts: [acme, { ...globex, concurrency: { ...globex.concurrency, submit: 9 } }] });
  expect(changeOfAccount(withAcme, null, { name: 'House', baseUrl: 'https://other.example' })).toEqual({
    accountName: 'House',
    baseUrl: 'https://other.example',
  });
  const settled = { ...withAcme, ...changeOfAccount(withAcme, 'acme', { name: 'Acme Ltd', prices: [] }) } as Settings;
  expect(accountsIn(settled).map(({ name }) => name)).toEqual(['main', 'Acme Ltd']);
  expect(settingsOn(settled, 'account:acme').baseUrl).toBe(acme.baseUrl);
});

it('taking back a change of one account takes back nothing that was done to the others since', async () => {
  const [price] = Settings.parse({ prices: [{ model: '*', per: 'take', price: 3 }] }).prices;
  const prices = price ? [price] : expect.unreachable();
  await settings.save('Prices', editOfAccount('acme', { prices }), editOfAccount('acme', { prices: [] }));
  expect(now().accounts[0]?.prices).toEqual(prices);
  engine.settings = { ...now(), accounts: [...now().accounts, globex] };
  await engine.undo.at(-1)?.();
  expect(now().accounts).toEqual([acme, globex]);
});

it('each account has its own key, and none that was just added has that of the first', () => {
  const state = { settings: withAcme, key, exposed: true, accounts: [], dataFolder: '', version: '' };
  expect(accountStates(state)).toMatchObject([
    { name: 'main', key, exposed: true, isOnly: false },
    { name: 'Acme', key: none, exposed: false, isOnly: false },
  ]);
  const known = { ...state, accounts: [{ id: 'acme', key, exposed: false }] };
  expect(accountStates(known)[1]).toMatchObject({ key });
  expect(accountStates({ ...state, settings: Settings.parse({}) })).toMatchObject([{ isOnly: true }]);
});
