import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { t, withDots } from '../../src/contract/messages/words.ts';
import { Receiver } from '../host/messages/receivers.ts';
import { expect, isDesktop, test } from './support/app.ts';
import {
  button,
  choose,
  chooseFolder,
  chooseList,
  goTo,
  openProject,
  showSettings,
  videoList,
} from './support/window.ts';

const addressOf = (page: Page) => page.getByLabel(t('settings.address'), { exact: true });
const inDialog = (page: Page, name: string) => button(page.getByRole('dialog'), name);

/** Stores a key in a file, where the machine has no keychain. */
async function storeKey(page: Page, key: string): Promise<void> {
  await page.getByRole('switch', { name: /^Without a keychain/ }).click();
  await page.getByLabel(t('settings.key'), { exact: true }).fill(key);
  await button(page, t('settings.storeKey')).click();
}

test('a new machine says what its takes wait for, and whose key and address are which @night', async ({
  app,
  page,
}) => {
  await app.open({ DAILIES_API_KEY: '', DAILIES_BASE_URL: '' });

  await test.step('a start without address and key says what its takes wait for', async () => {
    await openProject(app, page);
    await chooseList(page, videoList(1));
    await button(page, t('start.start')).click();
    const start = page.getByRole('dialog', { name: /^Start 1 take/ });
    await expect(start).toContainText(t('start.missing', { what: 'both', named: 'no', account: '' }));
    await button(start, t('start.startTakes', { count: 1 })).click();
    await expect(start).toBeHidden();
    await goTo(page, t('place.queue'));
    const gate = page.getByRole('list', { name: t('queue.obstacles') });
    await expect(gate).toContainText(t('gate.keyMissing'));
    await expect(gate).toContainText(t('waiting.addressAndKeyMissing'));
    await button(page, t('common.pause')).click();
  });

  const address = addressOf(page);
  const enter = async (url: string): Promise<void> => {
    await address.fill(url);
    await address.press('Enter');
  };
  await test.step('an address that is not encrypted says so, and is the same one for other programs', async () => {
    await showSettings(page, t('settings.service'));
    await enter('http://media.example.com');
    await expect(page.getByText(t('settings.notEncrypted'))).toBeVisible();
    await enter('http://media.example.com/v1/');
    await expect(address).toHaveValue('http://media.example.com');
    await expect(page.getByRole('dialog')).toBeHidden();
  });

  await test.step('a slip is taken back before anything goes elsewhere', async () => {
    await enter('http://127.0.0.1:9');
    await inDialog(page, t('common.cancel')).click();
    await expect(address).toHaveValue('http://media.example.com');
    await enter('http://127.0.0.1:9');
    await inDialog(page, t('settings.changeAddress')).click();
    await expect(page.getByText(t('settings.notEncrypted'))).toBeHidden();
  });

  await test.step('an address that is corrected says whose the stored key is, and takes back what was tested', async () => {
    await storeKey(page, app.service.apiKey);
    await expect(page.getByText('A key is stored in a file that only you can read.')).toBeVisible();
    const tested = page.getByRole('status').filter({ hasText: 'connection refused' });
    await expect(tested).toBeVisible();
    await enter(app.service.url);
    await inDialog(page, t('settings.changeAddress')).click();
    await expect(page.getByText('The stored key was set for http://127.0.0.1:9')).toBeVisible();
    await expect(tested).toBeHidden();
    await button(page, t('settings.testConnection')).click();
    await expect(page.getByText(`not for ${app.service.url}. Set the key of this address.`)).toBeVisible();
  });
});

test('a stored key is removed once a person has read what that comes to @night', async ({ app, page }) => {
  await app.open({ DAILIES_API_KEY: '' });
  await goTo(page, t('place.settings'));
  await expect(button(page, withDots('settings.remove'))).toHaveCount(0);
  await storeKey(page, app.service.apiKey);
  await button(page, withDots('settings.remove')).click();
  const question = page.getByRole('dialog', { name: t('settings.removeKeyQuestion') });
  await expect(question).toContainText('wait until this key is stored again');
  await button(question, t('settings.removeKey')).click();
  await expect(question).toBeHidden();
  await expect(page.getByText('No key yet.')).toBeVisible();
  await page.reload();
  await expect(page.getByText('No key yet.')).toBeVisible();
});

/** At once: what is saved takes some milliseconds. */
const enterAndLeave = `{
  const field = document.activeElement;
  field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
  field.blur();
}`;

test('what a person sets is used at once, said once and kept: language, folders, prices, messages @night', async ({
  app,
  page,
}) => {
  const films = app.path('films');
  mkdirSync(films);
  const receiver = await new Receiver().open();
  await app.open();

  await test.step('the window speaks the language of the settings', async () => {
    await showSettings(page, t('settings.appearance'));
    const chooseNext = async (language: string, key: string): Promise<void> => {
      await page.getByRole('combobox', { name: language }).focus();
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
  });

  await test.step('a field that is left while it is being saved was changed once', async () => {
    await showSettings(page, t('settings.service'));
    await addressOf(page).fill('https://media.example.com');
    await page.evaluate(enterAndLeave);
    await inDialog(page, t('settings.changeAddress')).click();
    const told = page.getByText('Changed “Address”.');
    // It stays for as long as the pointer rests on it.
    await told.first().hover();
    const sections = page.getByRole('navigation', { name: t('place.settings') });
    await button(sections, t('common.files')).press('Enter');
    const room = page.getByLabel(t('settings.keepFree'));
    await room.fill('2000');
    await room.press('Enter');
    // What was told after it is there, and it was told once.
    await expect(page.getByText('Changed “Keep free on the disk”.')).toBeVisible();
    await expect(told).toHaveCount(1);
  });

  await test.step('new projects are proposed in the folder that was chosen for them, and where they were by default', async () => {
    /** Where the window's own chooser for a project begins; the system's cannot be looked into. */
    const expectProposed = async (folder: string): Promise<void> => {
      if (isDesktop) return;
      await goTo(page, t('place.projects'));
      await button(page, /^Open or create/).click();
      await expect(page.getByRole('listbox', { name: `Folders in ${folder}`, exact: true })).toBeVisible();
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toBeHidden();
    };
    const facts = { folder: t('settings.newProjects') };
    const back = button(page, t('settings.defaultFolder', facts));
    const field = page.getByLabel(t('settings.newProjects'), { exact: true });
    const enter = async (folder: string): Promise<void> => {
      await field.fill(folder);
      await field.press('Enter');
    };
    await showSettings(page, t('settings.folders'));
    await expect(back).toBeDisabled();
    await button(page, t('settings.chooseFolder', facts)).click();
    await chooseFolder(page, films, 'Use “films”');
    await expect(page.getByText('Changed “New projects”.')).toBeVisible();
    await expect(field).toHaveValue(films);
    await page.reload();
    await expectProposed(films);

    await showSettings(page, t('settings.folders'));
    await enter('films');
    await expect(page.getByText(t('failure.notFullPath'))).toBeVisible();
    await enter(app.path('reels', 'new'));
    await expect(page.getByText(t('failure.notFullPath'))).toBeHidden();
    await expect.poll(() => existsSync(app.path('reels', 'new'))).toBe(true);
    await back.click();
    await expect(field).toHaveValue('');
    await expect(field).toBeFocused();
    await expect(back).toBeDisabled();
    await expectProposed(app.folder);
  });

  await test.step('a price may hold only for requests with video input', async () => {
    await showSettings(page, t('settings.prices'));
    await button(page, t('settings.addPrice')).click();
    await page.getByRole('combobox', { name: 'Model of line 1' }).fill('vgen-*');
    const price = page.getByRole('textbox', { name: 'Price of line 1' });
    await price.fill('3');
    const input = page.getByRole('combobox', { name: 'Video input of line 1' });
    await expect(input).toContainText(t('settings.videoInputOf', { only: 'any' }));
    await choose(input, t('settings.videoInputOf', { only: 'true' }));
    await expect.poll(() => readFileSync(app.path('data', 'settings.json'), 'utf8')).toMatch(/"videoInput":\s*true/);
    await page.reload();
    await expect(input).toContainText(t('settings.videoInputOf', { only: 'true' }));
    await expect(price).toHaveValue('3');
  });

  await test.step('a channel for messages is set up and tested, with a plain result', async () => {
    await showSettings(page, t('settings.messages'));
    const webhook = page.getByRole('group', { name: 'Webhook' });
    const send = button(webhook, t('settings.messageTest'));
    await expect(send).toBeDisabled();
    const field = webhook.getByLabel(t('settings.messageWebhook'), { exact: true });
    await field.fill('http://hooks.example/night');
    await field.press('Enter');
    await expect(webhook.getByText(t('failure.messageAddress'))).toBeVisible();
    await field.fill(receiver.url);
    await field.press('Enter');
    await send.click();
    await expect(webhook.getByRole('status').filter({ hasText: t('message.testSent') })).toBeVisible();
    expect(receiver.received).toHaveLength(1);
    receiver.answer = (response) => response.writeHead(404).end();
    await send.click();
    await expect(webhook.getByText(t('failure.messageRefused', { status: '404' }))).toBeVisible();
    await receiver.close();
  });

  await test.step('what is far down is brought into sight, and nothing goes out of the window', async () => {
    const sections = page.getByRole('navigation', { name: t('place.settings') }).getByRole('button');
    await sections.filter({ hasText: t('settings.about') }).click();
    await expect(page.getByRole('term').filter({ hasText: t('settings.dataFolder') })).toBeInViewport();
    await expect(sections.first()).toBeInViewport();
  });
});
