import { t } from '../../src/contract/messages/words.ts';
import { staleInWords } from '../../src/contract/in-words.ts';
import { expect, expectAccessible, test } from './support/app.ts';
import {
  button,
  csvFile,
  goTo,
  makeTakes,
  openInProject,
  saying,
  anything,
  settled,
  showTakes,
  takeCell,
} from './support/window.ts';

test('a take is stale once another pick counts, and is made again for a price @night', async ({ app, page }) => {
  await openInProject(app, page);
  const list = csvFile('shots.csv', [
    ['shot', 'kind', 'model', 'prompt', 'takes', 'first_frame'],
    ['010', 'image', 'image-demo', 'A lighthouse at dusk', '2', ''],
    ['020', 'video', 'vgen-2.0-nt', 'The light comes on', '1', 'Shot://010'],
  ]);
  await makeTakes(page, list, 3);
  const bar = page.getByRole('region', { name: t('stale.title') });
  await expect(bar).toHaveCount(0);

  await test.step('review says why, for each of the two picks that the take was not made from', async () => {
    const takes = await showTakes(page);
    const film = takes.getByRole('gridcell', { name: takeCell('020', 1) });
    await film.click();
    const used = /take (\d)/.exec(await page.getByRole('button', { name: /010/ }).innerText())?.[1];
    const [take, now] = used === '1' ? [1, 2] : [2, 1];
    await takes.getByRole('gridcell', { name: takeCell('010', now) }).click();
    await page.keyboard.press('p');
    await film.click();
    await expect(page.getByText(staleInWords({ why: 'picked', shot: '010', take, now })).last()).toBeVisible();
    await expectAccessible(page);
  });

  await test.step('the batch has a line for it, with the price, and it goes once the shot is made again', async () => {
    await goTo(page, t('place.batch'));
    await expect(bar).toContainText(t('stale.inBatch', { count: 1 }));
    await button(bar, saying('stale.costs', { cost: anything })).click();
    const dialog = page.getByRole('dialog', { name: t('stale.makeAgainTitle') });
    await expect(dialog).toContainText(t('stale.kept'));
    expect(app.service.ledger.posts('/v1/videos')).toHaveLength(1);
    await button(dialog, t('stale.makeAgain')).click();
    await expect(dialog).toBeHidden();
    await settled(page, 4);
    await expect(bar).toHaveCount(0);
    expect(app.service.ledger.posts('/v1/videos')).toHaveLength(2);
  });
});
