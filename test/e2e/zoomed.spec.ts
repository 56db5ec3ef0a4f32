import type { Locator } from '@playwright/test';
import { t } from '../../src/contract/messages/words.ts';
import { expect, test } from './support/app.ts';
import { chooseList, goTo, openProject, settled, startBatch, videoList } from './support/window.ts';

/** The usual window at 200 %. */
test.use({ viewport: { width: 720, height: 450 } });

/** As much of it as is written can be read: nothing is cut off. */
const expectWhole = (shown: Locator): Promise<void> =>
  expect
    .poll(() =>
      shown.evaluate(
        (element: { scrollWidth: number; clientWidth: number }) => element.scrollWidth - element.clientWidth,
      ),
    )
    .toBeLessThanOrEqual(0);

async function expectApart(one: Locator, other: Locator): Promise<void> {
  await expect
    .poll(async () => {
      const [a, b] = [await one.boundingBox(), await other.boundingBox()];
      return a && b && a.x + a.width <= b.x;
    })
    .toBe(true);
}

test('at twice the size projects and batches keep their names, and the buttons of the queue cover nothing', async ({
  app,
  page,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await app.open();
  await openProject(app, page, 'Autumn campaign');
  await chooseList(page, videoList(8));
  await startBatch(page);
  await settled(page, 8);
  await page.setViewportSize({ width: 720, height: 450 });

  await goTo(page, t('place.projects'));
  await expectWhole(page.getByRole('listitem').getByText('Autumn campaign', { exact: true }));
  await goTo(page, t('place.batch'));
  await page.getByRole('button', { name: t('common.allBatches') }).click();
  await expectWhole(page.getByRole('button', { name: 'shots', exact: true }));
  await expectWhole(page.getByText(/^8 shots, 8 takes, /));
  await goTo(page, t('place.queue'));
  await expectApart(
    page.getByText(/^of 8 takes finished$|^Finished$/),
    page.getByRole('button', { name: t('common.pause'), exact: true }),
  );
});
