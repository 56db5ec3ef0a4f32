import { t } from '../../src/contract/messages/words.ts';
import { expect, test } from './support/app.ts';
import { button, chooseList, csvFile, openInProject, press, settled, showTakes, startBatch } from './support/window.ts';

test.use({ demo: { media: 'real' } });
// The browser times the frames of films by its own clock.
test.describe.configure({ retries: 1 });

test('a take gets marks and notes at its frames by key, a drawing by pointer, and keeps them @night', async ({
  app,
  page,
}) => {
  await openInProject(app, page);
  await chooseList(
    page,
    csvFile('film.csv', [
      ['shot', 'kind', 'model', 'prompt', 'duration', 'size'],
      ['010', 'video', 'vgen-2.0-nt', 'A wave breaks over the rocks', '4', '480p'],
    ]),
  );
  await startBatch(page);
  await settled(page, 1);
  await showTakes(page);
  const position = page.getByRole('slider', { name: t('review.position') });
  const notes = page.getByRole('complementary', { name: t('review.frameNotes') });
  const field = notes.getByRole('textbox');
  const atFrame = (time: string) => expect(position).toHaveAttribute('aria-valuetext', time);

  await test.step('in and out are at the frames shown, and keys go to them', async () => {
    await press(page, 'Home', 'Enter');
    await atFrame('00:00:00:00');
    await press(page, 'Shift+>', 'i', 'Shift+>', 'o');
    await press(page, 'Home');
    await atFrame('00:00:00:10');
    await press(page, 'End');
    await atFrame('00:00:01:08');
    await expect(button(page, t('review.clearMarks'))).toBeVisible();
    const out = button(page, t('review.markOut'));
    await press(page, 'Control+z');
    await expect(out).toHaveAttribute('aria-pressed', 'false');
    await press(page, 'Control+Shift+z');
    await expect(out).toHaveAttribute('aria-pressed', 'true');
  });

  await test.step('a note is written at a frame, with a drawing that Escape asks about', async () => {
    await press(page, 'Shift+n');
    await field.fill('Hand too large');
    const { x, y, width, height } = (await page.locator('video').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await page.mouse.move(x + width * 0.4, y + height * 0.4);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.6, y + height * 0.6, { steps: 8 });
    await page.mouse.up();
    await expect(page.locator('polyline')).toHaveCount(1);
    await press(page, 'Escape');
    await button(page.getByRole('dialog'), t('review.keepWriting')).click();
    await field.press('Enter');
    await expect(notes.getByRole('listitem')).toHaveText(/00:00:01:08.*Hand too large/s);
    await press(page, ',');
    await expect(page.locator('polyline')).toHaveCount(0);
    await press(page, 'Shift+m');
    await atFrame('00:00:01:08, Hand too large');
    await expect(page.locator('polyline')).toHaveCount(1);
  });

  await test.step('they are there after a reload, and a retake asks for them', async () => {
    await page.reload();
    await expect(notes.getByRole('listitem')).toHaveText(/Hand too large/);
    await atFrame('00:00:00:00');
    await press(page, 'Home');
    await atFrame('00:00:00:10');
    await press(page, 'r');
    await expect(page.getByRole('dialog').getByLabel(t('review.retakeNote'))).toHaveValue(
      /^at (00:00:01:08|20f): Hand too large$/,
    );
    await page.keyboard.press('Escape');
  });

  await test.step('a note is edited, deleted, and brought back', async () => {
    await button(notes, t('review.editFrameNote', { at: '00:00:01:08' })).click();
    await field.fill('Hand too small');
    await field.press('Enter');
    await expect(notes.getByRole('listitem')).toHaveText(/Hand too small/);
    await button(notes, t('review.removeFrameNote', { at: '00:00:01:08' })).click();
    await expect(notes).toHaveCount(0);
    await press(page, 'Control+z');
    await expect(notes.getByRole('listitem')).toHaveText(/Hand too small/);
  });
});
