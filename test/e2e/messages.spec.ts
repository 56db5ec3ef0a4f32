import { t } from '../../src/contract/messages/words.ts';
import { Receiver } from '../host/messages/receivers.ts';
import { expect, test } from './support/app.ts';
import { showSettings } from './support/window.ts';

test('a channel is set up and tested in Settings, with a plain result', async ({ app, page }) => {
  const receiver = await new Receiver().open();
  await app.open();
  await showSettings(page, t('settings.messages'));
  const webhook = page.getByRole('group', { name: 'Webhook' });
  const send = webhook.getByRole('button', { name: t('settings.messageTest') });
  await expect(send).toBeDisabled();
  const address = webhook.getByLabel(t('settings.messageWebhook'), { exact: true });
  await address.fill('http://hooks.example/night');
  await address.press('Enter');
  await expect(webhook.getByText(t('failure.messageAddress'))).toBeVisible();
  await address.fill(receiver.url);
  await address.press('Enter');
  await send.click();
  await expect(webhook.getByRole('status').filter({ hasText: t('message.testSent') })).toBeVisible();
  expect(receiver.received).toHaveLength(1);
  receiver.answer = (response) => response.writeHead(404).end();
  await send.click();
  await expect(webhook.getByText(t('failure.messageRefused', { status: '404' }))).toBeVisible();
  await receiver.close();
});
