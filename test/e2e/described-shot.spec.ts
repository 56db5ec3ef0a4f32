import { writeFileSync } from 'node:fs';
import { say } from '../../src/contract/messages/words.ts';
import { expect, expectAccessible, test } from './support/app.ts';
import { goTo, openProject, settled } from './support/window.ts';

test('a described shot says how many takes it asks for, how long they are and what they cost before it is queued', async ({
  app,
  page,
}) => {
  const prices = [{ model: 'vgen-2.0-nt', per: 'second', price: 0.5 }];
  writeFileSync(app.path('data', 'settings.json'), JSON.stringify({ currency: 'EUR', prices }));
  await app.open();
  await openProject(app, page);
  await goTo(page, say('place.batch'));
  await page.getByRole('button', { name: say('batch.describeShot') }).click();
  const dialog = page.getByRole('dialog', { name: say('batch.describeShot') });
  await expect(dialog.getByRole('button', { name: say('batch.queueShot') })).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Prompt' }).fill('A pier in the rain');
  await dialog.getByRole('combobox', { name: 'Model' }).fill('vgen-2.0-nt');
  await dialog.getByLabel('Duration').fill('5');
  await expect(dialog.getByText('1 take, 5 s, 2.50 EUR')).toBeVisible();
  await dialog.getByLabel('Takes').fill('3');
  await expect(dialog.getByText('3 takes, 15 s, 7.50 EUR')).toBeVisible();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Queue 3 takes' }).click();
  await settled(page, 3);
});
