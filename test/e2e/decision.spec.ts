import { writeFileSync } from 'node:fs';
import { t } from '../../src/contract/messages/words.ts';
import { expect, test } from './support/app.ts';
import { chooseList, filesUnder, goTo, openProject, startBatch, videoList } from './support/window.ts';

test('takes of unknown fate are decided one by one: attached, written off, sent again with its warning', async ({
  app,
  page,
}) => {
  const { faults, ledger } = app.service;
  for (const shot of ['0010', '0020', '0030'])
    faults.add({ match: { method: 'POST', prompt: shot }, do: { fault: 'reset', commit: true } });
  const prices = [{ model: '*', per: 'take', price: 0.135 }];
  writeFileSync(app.path('data', 'settings.json'), JSON.stringify({ prices, currency: 'USD' }));
  await app.open();
  const folder = await openProject(app, page);
  await chooseList(page, videoList(3));
  await startBatch(page);
  await goTo(page, t('place.queue'));
  await page.getByRole('tab', { name: `${t('state.needsDecision')} 3` }).click();
  const undecided = page.getByRole('grid', { name: t('state.needsDecision') });
  await expect(undecided.getByText(t('queue.maybeCharged'), { exact: true })).toHaveCount(3);
  expect(ledger.commits).toBe(3);

  const decide = async (shot: string) => {
    await undecided.getByRole('row').filter({ hasText: shot }).click();
    await page
      .getByRole('toolbar', { name: t('queue.selectedTakes') })
      .getByRole('button', { name: t('common.decide') })
      .click();
    const dialog = page.getByRole('dialog', { name: t('queue.decideTitle', { shot, take: '1' }) });
    await expect(dialog.getByRole('button', { name: t('queue.chooseOne') })).toBeDisabled();
    return dialog;
  };

  const found = await decide('0010');
  await expect(found.getByRole('region', { name: t('queue.known') })).toContainText('0.135 USD');
  await found.getByRole('radio', { name: t('queue.attach') }).check();
  await found.getByRole('textbox', { name: t('queue.taskId') }).fill('two words');
  await found.getByRole('button', { name: t('queue.followTask') }).click();
  await expect(found.getByRole('alert')).toContainText(t('queue.taskIdSpaces'));
  const task = ledger.billableCommits().find(({ body }) => (body as { prompt: string }).prompt.includes('0010'));
  await found.getByRole('textbox', { name: t('queue.taskId') }).fill(task?.taskId ?? '');
  await found.getByRole('button', { name: t('queue.followTask') }).click();
  await expect(found).toBeHidden();

  const lost = await decide('0020');
  await lost.getByRole('radio', { name: t('queue.writeOff', { count: 1 }) }).check();
  await lost.getByRole('button', { name: 'Write off 1 take' }).click();
  await expect(lost).toBeHidden();

  const again = await decide('0030');
  await again.getByRole('radio', { name: t('common.sendAgain') }).check();
  await expect(again).toContainText('A second charge is possible (0.135 USD)');
  const submit = again.getByRole('button', { name: t('queue.submitTakesAgain', { count: 1 }) });
  await expect(submit).toBeDisabled();
  await again.getByRole('checkbox', { name: t('queue.agreeToSecondCharge') }).check();
  await submit.click();
  await expect(again).toBeHidden();

  await expect.poll(() => filesUnder(folder, '.mp4')).toEqual(['shots/0010_t1.mp4', 'shots/0030_t1.mp4']);
  await expect(page.getByRole('tab', { name: 'Failed 1' })).toBeVisible();
  await expect(page.getByRole('tab', { name: 'Done 2' })).toBeVisible();
  expect(ledger.commits).toBe(4);
});

test('a finished take whose result cannot be read is saved from the address that a person names @night', async ({
  app,
  page,
}) => {
  const { faults, ledger } = app.service;
  faults.add({
    match: { method: 'GET', path: '/v1/videos/*', times: 'always' },
    do: { fault: 'record-shape', place: 'nowhere' },
  });
  // Late at once: the ten minutes of asking are the queue's own test.
  writeFileSync(app.path('data', 'settings.json'), JSON.stringify({ deadlineHours: 0.0001 }));
  await app.open();
  const folder = await openProject(app, page);
  await chooseList(page, videoList(1));
  await startBatch(page);
  await goTo(page, t('place.queue'));
  await page.getByRole('tab', { name: `${t('state.needsDecision')} 1` }).click();
  await page
    .getByRole('grid', { name: t('state.needsDecision') })
    .getByRole('row')
    .filter({ hasText: '0010' })
    .click();
  await page
    .getByRole('toolbar', { name: t('queue.selectedTakes') })
    .getByRole('button', { name: t('common.decide') })
    .click();
  const dialog = page.getByRole('dialog', { name: t('queue.decideTitle', { shot: '0010', take: '1' }) });
  await expect(dialog).toContainText(t('failure.resultUnread'));
  await expect(dialog.getByRole('radio', { name: t('common.sendAgain') })).toBeHidden();
  await dialog.getByRole('radio', { name: t('queue.useKeptAnswer') }).check();
  await expect(dialog.getByRole('textbox', { name: t('queue.resultAddress') })).toHaveValue(/\/media\//);
  await dialog.getByRole('button', { name: t('queue.downloadFromAddress') }).click();
  await expect(dialog).toBeHidden();

  await expect.poll(() => filesUnder(folder, '.mp4')).toEqual(['shots/0010_t1.mp4']);
  expect(ledger.commits).toBe(1);
});
