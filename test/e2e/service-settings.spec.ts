import type { Page } from '@playwright/test';
import { existsSync, mkdirSync } from 'node:fs';
import { t, withDots } from '../../src/contract/messages/words.ts';
import { expect, isDesktop, test } from './support/app.ts';
import { chooseFolder, chooseList, goTo, openProject, showSettings, videoList } from './support/window.ts';

test('an address that is corrected says whose the stored key is, and takes back what was tested', async ({
  app,
  page,
}) => {
  await app.open({ DAILIES_API_KEY: '', DAILIES_BASE_URL: '' });
  await goTo(page, t('place.settings'));
  const address = page.getByLabel(t('settings.address'), { exact: true });
  await address.fill('http://media.example.com');
  await address.press('Enter');
  await expect(page.getByText(t('settings.notEncrypted'))).toBeVisible();

  // The same address for other programs is no other one.
  await address.fill('http://media.example.com/v1/');
  await address.press('Enter');
  await expect(address).toHaveValue('http://media.example.com');
  await expect(page.getByRole('dialog')).toBeHidden();

  // A slip is taken back before anything goes elsewhere.
  await address.fill('http://127.0.0.1:9');
  await address.press('Enter');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: t('common.cancel') })
    .click();
  await expect(address).toHaveValue('http://media.example.com');
  await address.fill('http://127.0.0.1:9');
  await address.press('Enter');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: t('settings.changeAddress') })
    .click();
  await expect(page.getByText(t('settings.notEncrypted'))).toBeHidden();
  await page.getByRole('switch', { name: /^Without a keychain/ }).click();
  await page.getByLabel(t('settings.key'), { exact: true }).fill(app.service.apiKey);
  await page.getByRole('button', { name: t('settings.storeKey') }).click();
  await expect(page.getByText('A key is stored in a file that only you can read.')).toBeVisible();
  const tested = page.getByRole('status').filter({ hasText: 'connection refused' });
  await expect(tested).toBeVisible();

  await address.fill(app.service.url);
  await address.press('Enter');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: t('settings.changeAddress') })
    .click();
  await expect(page.getByText('The stored key was set for http://127.0.0.1:9')).toBeVisible();
  await expect(tested).toBeHidden();
  await page.getByRole('button', { name: t('settings.testConnection') }).click();
  await expect(page.getByText(`not for ${app.service.url}. Set the key of this address.`)).toBeVisible();
});

test('a stored key is removed once a person has read what that comes to @night', async ({ app, page }) => {
  await app.open({ DAILIES_API_KEY: '' });
  await goTo(page, t('place.settings'));
  await expect(page.getByRole('button', { name: withDots('settings.remove') })).toHaveCount(0);
  await page.getByRole('switch', { name: /^Without a keychain/ }).click();
  await page.getByLabel(t('settings.key'), { exact: true }).fill(app.service.apiKey);
  await page.getByRole('button', { name: t('settings.storeKey') }).click();
  await page.getByRole('button', { name: withDots('settings.remove') }).click();
  const question = page.getByRole('dialog', { name: t('settings.removeKeyQuestion') });
  await expect(question).toContainText('wait until this key is stored again');
  await question.getByRole('button', { name: t('settings.removeKey') }).click();
  await expect(question).toBeHidden();
  await expect(page.getByText('No key yet.')).toBeVisible();
  await page.reload();
  await expect(page.getByText('No key yet.')).toBeVisible();
});

test('a start without address and key says what its takes wait for @night', async ({ app, page }) => {
  await app.open({ DAILIES_API_KEY: '', DAILIES_BASE_URL: '' });
  await openProject(app, page);
  await chooseList(page, videoList(1));
  await page.getByRole('button', { name: t('start.start') }).click();
  const start = page.getByRole('dialog', { name: /^Start 1 take/ });
  await expect(start).toContainText(t('start.missing', { what: 'both' }));
  await start.getByRole('button', { name: t('start.startTakes', { count: 1 }) }).click();
  await expect(start).toBeHidden();
  await goTo(page, t('place.queue'));
  const gate = page.getByRole('list', { name: t('queue.obstacles') });
  await expect(gate).toContainText(t('gate.keyMissing'));
  await expect(gate).toContainText(t('waiting.addressAndKeyMissing'));
});

/** At once: what is saved takes some milliseconds. */
const enterAndLeave = `{
  const field = document.activeElement;
  field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
  field.blur();
}`;

test('the window speaks the language of the settings, what is assumed of the service stays changed, and a field that is left while it is being saved was changed once @night', async ({
  app,
  page,
}) => {
  await app.open();
  await showSettings(page, t('settings.appearance'));
  const chooseNext = async (language: string, key: string): Promise<void> => {
    const choice = page.getByRole('combobox', { name: language });
    await choice.focus();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('listbox')).toBeVisible();
    await page.keyboard.press(key);
    await page.keyboard.press('Enter');
  };
  await chooseNext(`${t('settings.language')} ${t('settings.system')}`, 'End');
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh-CN');
  await expect(page.getByRole('combobox', { name: '语言 简体中文' })).toBeVisible();
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh-CN');
  await chooseNext('语言 简体中文', 'ArrowUp');
  await expect(page.getByRole('combobox', { name: `${t('settings.language')} English` })).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');

  await showSettings(page, t('settings.advanced'));
  const entry = page.getByRole('combobox', { name: /^Entry for images/ });
  await entry.click();
  await page.getByRole('option', { name: t('settings.synchronous'), exact: true }).click();
  await expect(page.getByText('Changed “Entry for images”.')).toBeVisible();
  const models = page.getByLabel(t('settings.sidesOf16'));
  await models.fill('image-demo-pro, img-*-vip ,');
  await models.press('Enter');
  await expect(models).toHaveValue('image-demo-pro, img-*-vip');
  await page.reload();
  await showSettings(page, t('settings.advanced'));
  await expect(entry).toContainText(t('settings.synchronous'));
  await expect(models).toHaveValue('image-demo-pro, img-*-vip');

  await showSettings(page, t('settings.service'));
  const address = page.getByLabel(t('settings.address'), { exact: true });
  await address.fill('https://media.example.com');
  await page.evaluate(enterAndLeave);
  await page
    .getByRole('dialog')
    .getByRole('button', { name: t('settings.changeAddress') })
    .click();
  const told = page.getByText('Changed “Address”.');
  // It stays for as long as the pointer rests on it.
  await told.first().hover();
  const sections = page.getByRole('navigation', { name: t('place.settings') });
  await sections.getByRole('button', { name: t('common.files'), exact: true }).press('Enter');
  const room = page.getByLabel(t('settings.keepFree'));
  await room.fill('2000');
  await room.press('Enter');
  // What was told after it is there, and it was told once.
  await expect(page.getByText('Changed “Keep free on the disk”.')).toBeVisible();
  await expect(told).toHaveCount(1);
});

test('new projects are proposed in the folder that was chosen for them, and where they were before by default @night', async ({
  app,
  page,
}) => {
  const films = app.path('films');
  mkdirSync(films);
  await app.open();
  await showSettings(page, t('settings.folders'));
  const field = page.getByLabel(t('settings.newProjects'), { exact: true });
  const back = page.getByRole('button', {
    name: t('settings.defaultFolder', { folder: t('settings.newProjects') }),
  });
  await expect(back).toBeDisabled();
  await page.getByRole('button', { name: t('settings.chooseFolder', { folder: t('settings.newProjects') }) }).click();
  await chooseFolder(page, films, 'Use “films”');
  await expect(page.getByText('Changed “New projects”.')).toBeVisible();
  await expect(field).toHaveValue(films);
  await page.reload();
  await expectProposed(page, films);

  await showSettings(page, t('settings.folders'));
  await field.fill('films');
  await field.press('Enter');
  await expect(page.getByText(t('failure.notFullPath'))).toBeVisible();
  await field.fill(app.path('reels', 'new'));
  await field.press('Enter');
  await expect(page.getByText(t('failure.notFullPath'))).toBeHidden();
  await expect.poll(() => existsSync(app.path('reels', 'new'))).toBe(true);

  await back.click();
  await expect(field).toHaveValue('');
  await expect(field).toBeFocused();
  await expect(back).toBeDisabled();
  await expectProposed(page, app.folder);
});

/** Where the window's own chooser for a project begins; the system's cannot be looked into. */
async function expectProposed(page: Page, folder: string): Promise<void> {
  if (isDesktop) return;
  await goTo(page, t('place.projects'));
  await page.getByRole('button', { name: /^Open or create/ }).click();
  await expect(page.getByRole('listbox', { name: `Folders in ${folder}`, exact: true })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
}
