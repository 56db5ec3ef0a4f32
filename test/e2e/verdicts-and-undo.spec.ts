import { writeFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import { t } from '../../src/contract/messages/words.ts';
import { expect, isDesktop, test } from './support/app.ts';
import {
  anotherWindow,
  button,
  enter,
  goTo,
  makeTakes,
  narrow,
  openInProject,
  press,
  reviewStills,
  runCommand,
  settled,
  showTakes,
  stillList,
} from './support/window.ts';

const SHOTS = ['010', '020', '030'];
const tileOf = (takes: Locator, shot: string, take = 1): Locator =>
  takes.getByRole('gridcell', { name: `${shot} take ${take}` });

async function writeNote(page: Page, note: string): Promise<void> {
  await page.keyboard.press('n');
  await expect(page.getByRole('dialog').getByRole('textbox')).toBeFocused();
  await enter(page, note);
  await expect(page.getByRole('dialog')).toBeHidden();
}

test('verdicts are given to many and to one, and each is taken back alone, also after a look elsewhere @night', async ({
  app,
  page,
}) => {
  const takes = await reviewStills(app, page);
  const picked = t('review.picked');
  const [first, second] = [tileOf(takes, '010'), tileOf(takes, '010', 2)];

  await test.step('a verdict waits for the takes that are being selected', async () => {
    const { promise: waited, resolve: goOn } = Promise.withResolvers<undefined>();
    if (!isDesktop) {
      await page.route('**/rpc/takes/ids', async (route) => {
        await waited;
        await route.continue();
      });
    }
    await press(page, 'Control+a', 'p');
    goOn(undefined);
    for (const shot of SHOTS) await expect(tileOf(takes, shot)).toContainText(picked);
    await expect(page.getByText(t('common.countSelected', { count: 3 }))).toBeVisible();
  });

  await test.step('taking many picks back leaves the rating and the note given since', async () => {
    await press(page, 'Escape', '5', 'Home');
    await writeNote(page, 'Lovely light');
    const toast = page.getByRole('listitem').filter({ hasText: '3 takes: picked' });
    await button(toast, t('menu.role.undo')).click();
    for (const shot of SHOTS) await expect(tileOf(takes, shot)).not.toContainText(picked);
    await page.reload();
    await expect(first).toContainText('5 of 5');
    await expect(first).toContainText(t('review.hasNote'));
    for (const shot of SHOTS) await expect(tileOf(takes, shot)).not.toContainText(picked);
  });

  await test.step('it is shown in another window, which reads no list for it', async () => {
    if (isDesktop) return;
    const other = await anotherWindow(page);
    const otherTakes = other.getByRole('grid', { name: t('group.takes') });
    const tally = (shown: Page, rejected: number) =>
      expect(
        shown.getByText(t('review.tally', { picked: 0, alternates: 0, rejected, open: 3 - rejected })),
      ).toBeVisible();
    await expect(tileOf(otherTakes, '030')).toBeVisible();
    await tally(other, 0);
    const calls: string[] = [];
    for (const each of [page, other]) each.on('request', (request) => calls.push(new URL(request.url()).pathname));
    await takes.press('Home');
    await page.keyboard.press('4');
    await expect(tileOf(otherTakes, '010')).toContainText('4 of 5');
    await press(page, 'ArrowRight', 'x');
    await expect(tileOf(otherTakes, '020')).toContainText(t('review.rejected'));
    await tally(other, 1);
    await tally(page, 1);
    expect(calls.filter((path) => path.endsWith('/takes/judge'))).toHaveLength(2);
    expect(calls.filter((path) => path.endsWith('/takes/tally'))).toHaveLength(2);
    for (const unneeded of ['takes/list', 'takes/models']) {
      expect(calls.filter((path) => path.endsWith(unneeded))).toEqual([]);
    }
    await other.close();
  });

  await test.step('a second pick moves the pick of its shot, and its undo moves it back', async () => {
    await press(page, 'Home', 'p');
    await expect(first).toContainText(picked);
    await press(page, 'Home', 'ControlOrMeta+Enter');
    await second.click();
    await page.keyboard.press('p');
    await expect(second).toContainText(picked);
    await expect(first).toContainText(t('review.alternate'));
    await page.keyboard.press('ControlOrMeta+z');
    await expect(first).toContainText(picked);
    await expect(second).not.toContainText(picked);
  });

  await test.step('both at once are refused, and nothing of it stays on the screen', async () => {
    await press(page, 'ControlOrMeta+a', 'p');
    await expect(page.getByText(t('failure.severalPicks', { shots: ['010 (1, 2)'] }))).toBeVisible();
    await expect(second).not.toContainText(picked);
  });

  await test.step('the smallest pictures keep the name of their shot, whatever the verdict', async () => {
    await press(page, 'Escape', 'Home', 't');
    await enter(page, 'hero');
    await expect(first).toContainText('hero');
    await page.getByRole('slider', { name: t('review.thumbnailSize') }).press('Home');
    await expect(first).toContainText(picked);
    for (const words of ['010', t('review.take', { take: 1 })]) {
      const hidden = await first
        .getByText(words, { exact: true })
        .evaluate((element: { scrollWidth: number; clientWidth: number }) => element.scrollWidth - element.clientWidth);
      expect(hidden).toBeLessThanOrEqual(0);
    }
  });
});

test('changes are taken back by key long after, in any view, but none that another window changed since @night', async ({
  app,
  page,
}) => {
  await page.clock.install();
  const takes = await reviewStills(app, page);
  const dialog = page.getByRole('dialog');
  /** Takes back the last change, and waits until the window says that it is. */
  const undo = async (words: string): Promise<void> => {
    await page.keyboard.press('ControlOrMeta+z');
    await expect(page.getByText(t('common.undone', { done: words }), { exact: true })).toBeVisible();
  };
  const rename = async (shown: Page, batch: string, name: string): Promise<void> => {
    await runCommand(shown, t('window.actionOn', { action: t('common.rename'), name: batch }));
    await expect(shown.getByRole('dialog').getByRole('textbox')).toBeFocused();
    await enter(shown, name);
    await expect(shown.getByRole('dialog')).toBeHidden();
  };
  const renamed = t('history.batchRenamed', { before: 'stills', name: 'Night one' });
  const archived = t('history.batchArchived', { batch: 'Night one' });

  await test.step('a take is rated, and its batch renamed, noted, given hours and put away', async () => {
    await page.keyboard.press('4');
    await expect(tileOf(takes, '010')).toContainText('4 of 5');
    await rename(page, 'stills', 'Night one');
    await runCommand(page, t('window.actionOn', { action: t('column.notes'), name: 'Night one' }));
    await dialog.getByRole('textbox').fill('Too dark');
    await button(dialog, t('common.save')).press('Enter');
    await expect(dialog).toBeHidden();
    await runCommand(page, t('window.actionOn', { action: t('night.title'), name: 'Night one' }));
    await expect(page.getByLabel(t('night.from'))).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(dialog).toBeHidden();
    await runCommand(page, t('window.actionOn', { action: t('common.archive'), name: 'Night one' }));
    await expect(page.getByText(archived, { exact: true })).toBeVisible();
  });

  await test.step('they are taken back longer than a message with its button stays', async () => {
    await page.clock.fastForward(60_000);
    await expect(page.getByText(archived, { exact: true })).toBeHidden();
    await runCommand(page, t('place.queue'));
    await undo(archived);
    await undo(t('history.windowChanged', { scope: 'batch', batch: 'Night one' }));
    await undo(t('history.batchNoted', { batch: 'Night one' }));
  });

  await test.step('what another window changed since stays, and the step before is taken back', async () => {
    if (isDesktop) await undo(renamed);
    else {
      const other = await anotherWindow(page);
      await expect(other.getByRole('heading', { level: 1 }).or(other.getByRole('grid')).first()).toBeVisible();
      await rename(other, 'Night one', 'Day one');
      await page.keyboard.press('ControlOrMeta+z');
      await expect(page.getByText(t('common.notUndone', { done: renamed }))).toBeVisible();
      await expect(page.getByText(t('common.changedSince'))).toBeVisible();
    }
    await page.keyboard.press('ControlOrMeta+z');
    await runCommand(page, t('place.review'));
    await expect(tileOf(takes, '010')).toBeVisible();
    await expect(tileOf(takes, '010')).not.toContainText('4 of 5');
  });
});

test('a new take is taken back before it is sent, and one with changes comes up beside the other @night', async ({
  app,
  page,
}) => {
  const prices = [{ model: 'image-demo', per: 'take', price: 0.5 }];
  writeFileSync(app.path('data', 'settings.json'), JSON.stringify({ prices, currency: 'EUR' }));
  await openInProject(app, page);
  await makeTakes(page, stillList(['010']), 1);
  await expect(page.getByText('Spent: 0.50 EUR')).toBeVisible();
  const takes = await showTakes(page);
  const recipe = page.getByRole('complementary', { name: t('common.details') });
  await expect(recipe).toContainText(t('review.spentToday', { spent: '0.50 EUR' }));
  const queued = t('review.takeQueued', { take: '010 · take 2' });

  await test.step('the keys that keep a note buy nothing', async () => {
    await page.keyboard.press('n');
    await expect(page.getByRole('dialog').getByRole('textbox')).toBeFocused();
    await page.keyboard.type('Lovely light');
    await press(page, 'Control+Enter', 'Control+Enter');
    await expect(page.getByRole('dialog')).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('dialog')).toBeHidden();
    await expect(tileOf(takes, '010')).toContainText(t('review.hasNote'));
    await settled(page, 1);
  });

  await test.step('a key that is held queues one take, which is taken back before it is sent', async () => {
    await page.keyboard.down('Control');
    await page.keyboard.down('Enter');
    await expect(page.getByText(queued)).toBeVisible();
    await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    await page.keyboard.up('Control');
    await page.keyboard.press('Control+z');
    await expect(page.getByText(t('common.undone', { done: queued }))).toBeVisible();
    await expect(page.getByText('010 · take 3')).toHaveCount(0);
    expect(app.service.ledger.commits).toBe(1);
  });

  await test.step('one with changes is checked, sent with them, and says which take it is from', async () => {
    await page.keyboard.press('ControlOrMeta+Shift+Enter');
    const dialog = page.getByRole('dialog', { name: t('review.newTakeTitle', { shot: '010' }) });
    const queue = button(dialog, t('review.queueTake'));
    const prompt = dialog.getByRole('textbox', { name: t('common.prompt') });
    await prompt.fill('');
    await queue.click();
    await expect(dialog.getByRole('alert')).toBeVisible();
    await prompt.fill('A still of 010 at night');
    await queue.click();
    await expect(dialog).toBeHidden();
    const made = tileOf(takes, '010', 3);
    await expect(made).toBeVisible();
    expect(app.service.ledger.billableCommits().at(-1)?.body).toMatchObject({ prompt: 'A still of 010 at night' });
    await made.click();
    await expect(recipe).toContainText('at night');
    await expect(recipe).toContainText(t('review.fromTake', { take: 'take 1' }));
  });
});

test('back leads out of a take, and every view comes back as it was left @night', async ({ app, page }) => {
  const placeOf = (): string => new URL(page.url()).hash;
  await openInProject(app, page);
  await makeTakes(page, stillList(SHOTS), 3);
  const batch = placeOf();
  const takes = await showTakes(page);
  await narrow(page, t('common.kind'), t('common.image'));
  await expect.poll(placeOf).toContain('kind=image');
  const filtered = placeOf();

  await test.step('out by the browser’s way back, and by Escape: neither leaves an entry behind', async () => {
    await tileOf(takes, '010').dblclick();
    await expect(page.getByText('1 of 3')).toBeVisible();
    await page.keyboard.press('ArrowRight');
    await expect(page.getByText('2 of 3')).toBeVisible();
    await page.goBack();
    await expect(takes).toBeFocused();
    await expect.poll(placeOf).toBe(filtered);
    for (let round = 0; round < 5; round += 1) {
      await press(page, 'Enter', 'Escape');
    }
    await expect(takes).toBeFocused();
    await expect.poll(placeOf).toBe(filtered);
    await page.goBack();
    await expect(page.getByRole('main', { name: t('place.batch') })).toBeVisible();
  });

  await test.step('every view comes back as it was left, and its button leads to its beginning', async () => {
    await goTo(page, t('place.review'));
    await expect.poll(placeOf).toBe(filtered);
    await goTo(page, t('place.batch'));
    await expect.poll(placeOf).toBe(batch);
    await goTo(page, t('place.batch'));
    await expect(button(page, t('batch.chooseList'))).toBeVisible();
  });
});
