import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import { t, withDots } from '../../src/contract/messages/words.ts';
import { startDemoService } from '../support/demo/service.ts';
import { expect, expectAccessible, test } from './support/app.ts';
import {
  button,
  choose,
  chooseFolder,
  chooseList,
  goTo,
  openProjectButton,
  runCommand,
  showSettings,
  stillList,
} from './support/window.ts';

const accountNamed = (scope: Page | Locator, name: string): Locator =>
  scope.getByRole('radio', { name: new RegExp(`^${name}`) });

test('a second account is added, asked for at a new project, pays for it, and is exchanged for the other and back @night', async ({
  app,
  page,
}) => {
  const other = await startDemoService({ media: 'tiny', speed: { imageMs: 100, jitter: 0 } });
  writeFileSync(app.path('data', 'settings.json'), JSON.stringify({ baseUrl: app.service.url }));
  await app.open({ DAILIES_API_KEY: '', DAILIES_BASE_URL: '' });

  await test.step('it is added with its address, and then its key; the first one gets a name', async () => {
    await showSettings(page, t('settings.service'));
    await expect(page.getByRole('radio')).toHaveCount(0);
    await button(page, withDots('settings.addAccount')).click();
    const dialog = page.getByRole('dialog', { name: t('settings.addAccount') });
    await dialog.getByLabel(t('common.name')).fill('Acme');
    await dialog.getByLabel(t('settings.address')).fill(`${other.url}/v1/`);
    await button(dialog, t('settings.addAccount')).click();
    await expect(dialog).toBeHidden();
    await expect(accountNamed(page, 'Acme')).toBeChecked();
    await expect(page.getByLabel(t('settings.address'), { exact: true })).toHaveValue(other.url);
    await page.getByRole('switch', { name: t('settings.keyInFile') }).click();
    await page.getByLabel(t('settings.key'), { exact: true }).fill(other.apiKey);
    await button(page, t('settings.storeKey')).click();
    await expect(page.getByRole('status').filter({ hasText: 'Connected' })).toBeVisible();
    await accountNamed(page, 'main').check();
    await expect(page.getByText('No key yet.')).toBeVisible();
    const name = page.getByLabel(t('common.name'), { exact: true });
    await name.fill('acme');
    await name.press('Enter');
    await expect(page.getByText(t('failure.accountTwice', { name: 'Acme' }))).toBeVisible();
    await name.fill('House');
    await name.press('Enter');
    await expect(accountNamed(page, 'House')).toBeChecked();
    await expectAccessible(page);
  });

  await test.step('prices say whose they are, and an undo takes back only them', async () => {
    await showSettings(page, t('settings.prices'));
    await choose(page.getByRole('combobox', { name: `${t('common.account')} House` }), 'Acme');
    await button(page, t('settings.addPrice')).click();
    await page.getByLabel(t('settings.ofLine', { what: t('common.model'), line: 1 })).fill('*');
    const price = page.getByLabel(t('settings.ofLine', { what: t('common.price'), line: 1 }));
    await price.fill('3');
    await price.press('Tab');
    await expect(page.getByText(t('settings.changed', { setting: t('settings.prices') }))).toBeVisible();
    await choose(page.getByRole('combobox', { name: `${t('common.account')} Acme` }), 'House');
    await expect(page.getByRole('table')).toHaveCount(0);
  });

  const folder = app.path('Film');
  mkdirSync(folder);
  const question = page.getByRole('dialog', { name: t('account.chooseFor', { project: 'Film' }) });
  const openFolder = async (): Promise<void> => {
    await openProjectButton(page).click();
    await chooseFolder(page, folder, t('window.actionOn', { action: t('common.open'), name: 'Film' }));
    await expect(question).toBeVisible();
  };
  await test.step('a new project asks which one pays; Escape makes nothing', async () => {
    await goTo(page, t('place.projects'));
    await openFolder();
    await expect(accountNamed(question, 'House')).toBeFocused();
    await expect(button(question, t('command.chooseAccount'))).toBeDisabled();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await expect(question).toBeHidden();
    expect(existsSync(app.path('Film', '.dailies'))).toBe(false);
  });

  const payer = page.getByRole('region', { name: t('common.account'), exact: true });
  await test.step('it is chosen by keyboard', async () => {
    await openFolder();
    await page.keyboard.press('ArrowDown');
    await expect(accountNamed(question, 'Acme')).toBeChecked();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: 'Film', exact: true })).toBeVisible();
    await expect(payer).toContainText(other.url);
    await expect(page.getByRole('main').getByRole('listitem').filter({ hasText: folder })).toContainText('Acme');
  });

  await test.step('a start says who pays, at which price, and the take goes to its service', async () => {
    await chooseList(page, stillList(['010']));
    await button(page, t('start.start')).click();
    const start = page.getByRole('dialog', { name: /^Start 1 take/ });
    await expect(start).toContainText(t('start.sentToService', { service: other.url, named: 'yes', account: 'Acme' }));
    await expect(start.getByRole('row', { name: /image-demo/ })).toContainText('3.00');
    await button(start, t('start.startTakes', { count: 1 })).click();
    await expect(button(page, t('common.standingCount', { standing: 'saved', count: 1 }))).toBeVisible();
    expect([other.ledger.commits, app.service.ledger.commits]).toEqual([1, 0]);
  });

  await test.step('it is exchanged from the palette, and back by undo', async () => {
    await goTo(page, t('place.projects'));
    await runCommand(page, withDots('command.chooseAccount'));
    await expect(accountNamed(question, 'Acme')).toBeFocused();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await expect(question).toBeHidden();
    await expect(payer).toContainText('House');
    await page.keyboard.press('ControlOrMeta+z');
    await expect(payer).toContainText('Acme');
  });

  await test.step('spending says what each account paid, and has its cap', async () => {
    await goTo(page, t('place.spending'));
    await choose(page.getByRole('combobox', { name: t('spending.by') }), t('common.account'));
    await expect(page.getByRole('row', { name: /^Acme/ })).toContainText('3.00');
    await button(page, withDots('spending.addAccountCap')).click();
    await page.getByRole('menuitem', { name: 'Acme' }).click();
    const cap = page.getByRole('dialog');
    await cap.getByLabel(t('cap.maxTakes')).fill('5');
    await button(cap, t('cap.save')).click();
    await expect(page.getByText(t('cap.usedTakes', { spent: 1, most: 5 }))).toBeVisible();
  });

  await test.step('an account that pays for a project stays', async () => {
    await showSettings(page, t('settings.service'));
    await expect(accountNamed(page, 'Acme')).toBeChecked();
    await expect(page.getByText(t('cap.usedTakes', { spent: 1, most: 5 }))).toBeVisible();
    await button(page, withDots('settings.removeAccount')).click();
    const question = page.getByRole('dialog', { name: t('settings.removeAccountQuestion', { account: 'Acme' }) });
    await button(question, t('settings.removeAccount')).click();
    await expect(question).toContainText(t('failure.accountInUse', { account: 'Acme', count: 1, projects: ['Film'] }));
    await button(question, t('common.cancel')).click();
    await accountNamed(page, 'House').check();
    await expect(button(page, withDots('settings.removeAccount'))).toHaveCount(0);
  });
  await other.stop();
});
