import { writeFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import { t } from '../../src/contract/messages/words.ts';
import type { Unfamiliar } from '../support/demo/unfamiliar.ts';
import { expect, test } from './support/app.ts';
import {
  button,
  chooseList,
  csvFile,
  filesUnder,
  goTo,
  openInProject,
  openProject,
  press,
  settled,
  showSettings,
  showTakes,
  startBatch,
  videoList,
} from './support/window.ts';

/** Opens the decision about a take of unknown fate, in the queue. */
async function decide(page: Page, shot: string): Promise<Locator> {
  const undecided = page.getByRole('grid', { name: t('state.needsDecision') });
  await undecided.getByRole('row').filter({ hasText: shot }).click();
  await button(page.getByRole('toolbar', { name: t('queue.selectedTakes') }), t('common.decide')).click();
  return page.getByRole('dialog', { name: t('queue.decideTitle', { shot, take: '1' }) });
}

const undecidedTab = (page: Page, count: number): Locator =>
  page.getByRole('tab', { name: `${t('state.needsDecision')} ${count}` });

test('takes of unknown fate are decided one by one: attached, written off, sent again with its warning @night', async ({
  app,
  page,
}) => {
  const { faults, ledger } = app.service;
  for (const shot of ['0010', '0020', '0030'])
    faults.add({ match: { method: 'POST', prompt: shot }, do: { fault: 'reset', commit: true } });
  const prices = [{ model: '*', per: 'take', price: 0.135 }];
  writeFileSync(app.path('data', 'settings.json'), JSON.stringify({ prices, currency: 'USD' }));
  const folder = await openInProject(app, page);
  await chooseList(page, videoList(3));
  await startBatch(page);
  await goTo(page, t('place.queue'));
  await undecidedTab(page, 3).click();
  const undecided = page.getByRole('grid', { name: t('state.needsDecision') });
  await expect(undecided.getByText(t('queue.maybeCharged'), { exact: true })).toHaveCount(3);
  expect(ledger.commits).toBe(3);

  await test.step('one is attached to its task', async () => {
    const found = await decide(page, '0010');
    await expect(button(found, t('queue.chooseOne'))).toBeDisabled();
    await expect(found.getByRole('region', { name: t('queue.known') })).toContainText('0.135 USD');
    await found.getByRole('radio', { name: t('queue.attach') }).check();
    const id = found.getByRole('textbox', { name: t('queue.taskId') });
    await id.fill('two words');
    await button(found, t('queue.followTask')).click();
    await expect(found.getByRole('alert')).toContainText(t('queue.taskIdInvalid'));
    const task = ledger.billableCommits().find(({ body }) => (body as { prompt: string }).prompt.includes('0010'));
    await id.fill(task?.taskId ?? '');
    await button(found, t('queue.followTask')).click();
    await expect(found).toBeHidden();
  });

  await test.step('one is written off', async () => {
    const lost = await decide(page, '0020');
    await lost.getByRole('radio', { name: t('queue.writeOff', { count: 1 }) }).check();
    await button(lost, 'Write off 1 take').click();
    await expect(lost).toBeHidden();
  });

  await test.step('one is sent again, once a second charge was agreed to', async () => {
    const again = await decide(page, '0030');
    await again.getByRole('radio', { name: t('common.sendAgain') }).check();
    await expect(again).toContainText('A second charge is possible (0.135 USD)');
    const submit = button(again, t('queue.submitTakesAgain', { count: 1 }));
    await expect(submit).toBeDisabled();
    await again.getByRole('checkbox', { name: t('queue.agreeToSecondCharge') }).check();
    await submit.click();
    await expect(again).toBeHidden();
  });

  await expect.poll(() => filesUnder(folder, '.mp4')).toEqual(['shots/0010_t1.mp4', 'shots/0030_t1.mp4']);
  await expect(page.getByRole('tab', { name: 'Failed 1' })).toBeVisible();
  await expect(page.getByRole('tab', { name: 'Done 2' })).toBeVisible();
  expect(ledger.commits).toBe(4);
});

test('a finished take whose result cannot be read is saved from the address that a person names @night', async ({
  app,
  page,
}) => {
  const unread = { fault: 'record-shape', place: 'nowhere' } as const;
  app.service.faults.add({ match: { method: 'GET', path: '/v1/videos/*', times: 'always' }, do: unread });
  // Late at once: the ten minutes of asking are the queue's own test.
  writeFileSync(app.path('data', 'settings.json'), JSON.stringify({ deadlineHours: 0.0001 }));
  const folder = await openInProject(app, page);
  await chooseList(page, videoList(1));
  await startBatch(page);
  await goTo(page, t('place.queue'));
  await undecidedTab(page, 1).click();
  const dialog = await decide(page, '0010');
  await expect(dialog).toContainText(t('failure.resultUnread'));
  await expect(dialog.getByRole('radio', { name: t('common.sendAgain') })).toBeHidden();
  await dialog.getByRole('radio', { name: t('queue.useKeptAnswer') }).check();
  await expect(dialog.getByRole('textbox', { name: t('queue.resultAddress') })).toHaveValue(/\/media\//);
  await button(dialog, t('queue.downloadFromAddress')).click();
  await expect(dialog).toBeHidden();
  await expect.poll(() => filesUnder(folder, '.mp4')).toEqual(['shots/0010_t1.mp4']);
  expect(app.service.ledger.commits).toBe(1);
});

test('whatever holds the queue is named, nothing is lost or paid for, and it goes on once that is over @night', async ({
  app,
  page,
}) => {
  const { faults, ledger } = app.service;
  const gate = page.getByRole('list', { name: t('queue.obstacles') });
  const key = page.getByLabel(t('settings.key'), { exact: true });
  const storeKey = button(page, t('settings.storeKey'));
  let made = 0;
  /** Starts a list of its own, and shows the queue. */
  const start = async (name: string): Promise<void> => {
    await chooseList(page, { ...videoList(2, (shot) => `${name}, shot ${shot}`), name: `${name}.csv` });
    await startBatch(page);
    await goTo(page, t('place.queue'));
  };
  const goesOn = async (): Promise<void> => {
    made += 2;
    await expect(page.getByRole('tab', { name: `${t('queue.groupDone')} ${made}` })).toBeVisible();
    expect(ledger.commits).toBe(made);
  };
  await app.open({ DAILIES_API_KEY: '' });

  await test.step('a wrong key, until the right one is stored', async () => {
    await goTo(page, t('place.settings'));
    await page.getByRole('switch', { name: /^Without a keychain/ }).click();
    await key.fill('not-the-key');
    await storeKey.click();
    await expect(page.getByRole('status').filter({ hasText: 'The API key is not valid.' })).toBeVisible();
    await expect(key).toHaveValue('');
    await goTo(page, t('place.projects'));
    await openProject(app, page);
    await start('Key');
    await expect(gate).toContainText(t('gate.keyRejected'));
    expect(ledger.commits).toBe(0);
    await button(gate, t('common.openSettings')).click();
    await key.fill(app.service.apiKey);
    await storeKey.click();
    await button(page.getByRole('dialog'), t('settings.replaceKey')).click();
    await expect(page.getByText(/^Connected\. \d+ models are available with this key\.$/)).toBeVisible();
    await goTo(page, t('place.queue'));
    await goesOn();
  });

  await test.step('a service that is away; what is queued meanwhile says so', async () => {
    await faults.outage({ answer: 'refused' });
    await start('Away');
    await expect(gate).toContainText(t('gate.unreachable'));
    await expect(gate).toContainText('The service cannot be reached');
    await expect(gate).toContainText('Nothing is lost.');
    await chooseList(page, { ...videoList(2, () => 'The sea by night'), name: 'more.csv' });
    // Not in the moment in which it is being tried again.
    await expect(page.getByRole('banner')).toContainText(/(?:[89]|\d\d) s/);
    await startBatch(page);
    await expect(page.getByText(/^Queued 2 takes in/)).toContainText('The service cannot be reached.');
    await faults.lift();
    await goTo(page, t('place.queue'));
    made += 2;
    await goesOn();
  });

  await test.step('a long wait that the service asks for is shown with its end, and ended by resuming', async () => {
    faults.add({ match: { method: 'POST' }, do: { fault: 'rate-limit', seconds: 36_000 } });
    await start('Wait');
    await expect(gate).toContainText('is limiting requests (429). The next submit waits');
    await expect(gate).toContainText('until');
    await button(gate, t('common.resume')).click();
    await goesOn();
  });

  await test.step('a disk without room, before anything is paid for', async () => {
    await showSettings(page, t('common.files'));
    const room = page.getByLabel(t('settings.keepFree'));
    const before = await room.inputValue();
    await room.fill('900000000');
    await room.press('Enter');
    await expect(page.getByText('Changed “Keep free on the disk”.')).toBeVisible();
    await start('Disk');
    await expect(gate).toContainText(t('gate.diskLow'));
    await expect(gate).toContainText('Free some space. The queue then continues automatically.');
    expect(ledger.commits).toBe(made);
    await showSettings(page, t('common.files'));
    await room.fill(before);
    await room.press('Enter');
    await goTo(page, t('place.queue'));
    await goesOn();
  });
});

const MARKUP = '<img src=x onerror="document.title=`taken over`"><script>document.title = `taken over`</script>';
const lines = Array.from({ length: 400 }, (_, line) => `Line ${line + 1} of the script.`);
const script = [MARKUP, ...lines, 'The end.'].join('\n');

const odd = csvFile('odd.csv', [
  ['shot', 'kind', 'model', 'prompt', 'duration', 'n'],
  ['010', 'image', 'image-demo', 'A modern picture', '', ''],
  ['020', 'image', 'image-demo', 'A drawing', '', ''],
  ['030', 'video', 'vgen-2.0-nt', 'A wave', '4', ''],
  ['040', 'music', 'music-demo', 'Low brass', '', ''],
  ['050', 'image', 'image-demo', 'Three posters', '', '3'],
  ['060', 'text', 'chat-demo', 'A script', '', ''],
]);

test('results of other formats and media are shown as far as they can be, and say what is odd @night', async ({
  app,
  page,
}) => {
  const { faults } = app.service;
  const formats: [string, Unfamiliar][] = [
    ['modern', 'avif'],
    ['drawing', 'svg'],
    ['wave', 'avif'],
    ['brass', 'wav-streamed'],
  ];
  for (const [prompt, as] of formats) faults.add({ match: { path: '/media/*', prompt }, do: { fault: 'format', as } });
  faults.add({ match: { path: '/media/*/2.png', times: 'always' }, do: { fault: 'redirect', to: 'private' } });
  const body = { choices: [{ message: { role: 'assistant', content: script } }] };
  faults.add({ match: { path: '/v1/chat/completions' }, do: { fault: 'status', status: 200, body, commit: true } });
  await openInProject(app, page);
  await chooseList(page, odd);
  await startBatch(page);
  await settled(page, 6, 1);
  const takes = await showTakes(page);
  const tile = (shot: string): Locator => takes.getByRole('gridcell', { name: `${shot} take 1` });
  const open = async (shot: string): Promise<void> => {
    if (await button(page, t('review.backToGrid')).isVisible()) await page.keyboard.press('Escape');
    await tile(shot).dblclick();
    await expect(button(page, t('review.backToGrid'))).toBeVisible();
  };
  const still = (shot: string): Locator => page.getByRole('img', { name: `${shot} · take 1` });

  await test.step('the grid says what is odd, and draws a small picture where the engine draws none', async () => {
    await expect(tile('010').getByText(t('remark.notVerified'), { exact: true })).toBeAttached();
    await expect(tile('030').getByText(`${t('remark.notVerified')}, ${t('remark.otherMedium')}`)).toBeAttached();
    await expect(tile('050').getByText('2 of 3 outputs saved')).toBeAttached();
    await expect(tile('010').locator('img')).toHaveJSProperty('naturalWidth', 64);
  });

  await test.step('a format that is not checked is shown, and one that is not shown is named', async () => {
    await open('010');
    await expect(page.getByText(t('review.remarkNotVerified', { format: 'AVIF' }))).toBeVisible();
    await expect(still('010')).toHaveJSProperty('naturalWidth', 64);
    await open('020');
    await expect(page.getByText(t('review.cannotShow', { format: 'SVG' }))).toBeVisible();
    await expect(button(page.getByRole('main'), /^Show in/).first()).toBeVisible();
  });

  await test.step('another medium than was asked for is shown as what it is', async () => {
    await open('030');
    await expect(page.getByText(t('review.remarkOtherMedium', { found: 'still', wanted: 'moving' }))).toBeVisible();
    await expect(still('030')).toHaveJSProperty('naturalWidth', 64);
    await expect(page.getByRole('toolbar', { name: t('group.player') })).toHaveCount(0);
    await open('040');
    await expect(page.getByText(t('review.notVerified'))).toHaveCount(0);
    await expect(page.getByRole('slider', { name: t('review.position') })).toHaveAttribute('aria-valuemax', /^[1-9]/);
  });

  await test.step('an output that is missing is downloaded again', async () => {
    await open('050');
    const files = page.getByRole('group', { name: t('review.filesOfTake') });
    await expect(files.getByRole('button')).toHaveCount(2);
    await button(files, 'File 2 of 2').click();
    await expect(still('050')).toHaveAttribute('src', /\/3$/);
    await expect(page.getByRole('alert')).toContainText('2 of 3 outputs saved. File 2 of 3 was not downloaded');
    faults.clear();
    await button(page, t('queue.downloadAgain')).click();
    await expect(files.getByRole('button')).toHaveCount(3);
    await settled(page, 6);
  });

  await test.step('a text is read as the text it is, whatever it contains, and judged by keys', async () => {
    await page.keyboard.press('Escape');
    await expect(tile('060').getByText('Line 1 of the script.')).toBeVisible();
    await open('060');
    const shown = page.getByRole('document', { name: '060 · take 1' });
    await expect(shown).toContainText(MARKUP);
    await expect(shown).toContainText('Line 400 of the script.');
    await expect(page.locator('img[src="x"], main script')).toHaveCount(0);
    await expect(page).toHaveTitle(/Dailies$/);
    await expect(page.getByRole('toolbar', { name: t('group.player') })).toHaveCount(0);
    await shown.focus();
    await page.keyboard.press('End');
    await expect.poll(() => shown.evaluate((text) => text.scrollTop)).toBeGreaterThan(1000);
    await press(page, 'p', 'Escape');
    await expect(tile('060')).toContainText(t('review.picked'));
  });
});
