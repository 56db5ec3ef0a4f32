import { t } from '../../src/contract/messages/words.ts';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, expectAccessible, test, type App } from './support/app.ts';
import { chooseList, csvFile, goTo, openProject, pressInTurn } from './support/window.ts';

const list = csvFile('night.csv', [
  ['shot', 'kind', 'model', 'prompt'],
  ['010', 'image', 'image-demo', 'A lighthouse in fog'],
  ['020', 'image', 'image-demo', 'Gulls over the quay'],
]);

const calls = (app: App, path: string) => app.service.ledger.posts().filter((post) => post.path === path).length;

test('the web is searched, a result kept and put into the notes of a list, and its picture sent to the library', async ({
  app,
  page,
}) => {
  await app.open();
  const folder = await openProject(app, page);
  const grid = await chooseList(page, list);

  await goTo(page, t('place.research'));
  await expect(page.getByText('Each search: price unknown')).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('/');
  await page.keyboard.type('lighthouse lens');
  // The request is taken, and its answer never comes.
  app.service.faults.add({ match: { path: '/v1/web-search' }, do: { fault: 'reset', commit: true } });
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toContainText('It may have been charged');
  expect(calls(app, '/v1/web-search')).toBe(1);
  await page.getByRole('button', { name: t('common.sendAgainMaybe') }).press('Enter');
  const results = page.getByRole('grid', { name: t('research.results') });
  await expect(results.getByRole('row').first()).toContainText('Fresnel');
  await expectAccessible(page);

  // Asked once more by mistake: what was paid for is shown.
  await page.getByRole('button', { name: t('common.search'), exact: true }).click();
  await expect(page.getByText(t('research.paidEarlier'))).toBeVisible();
  expect(calls(app, '/v1/web-search')).toBe(2);

  await results.focus();
  await page.keyboard.press('k');
  await expect(results.getByRole('row').first()).toContainText(t('research.isKept'));
  const kept = () => (existsSync(clippings) ? readdirSync(clippings).filter((name) => name.endsWith('.json')) : []);
  const clippings = join(folder, '.dailies', 'clippings');
  await expect.poll(kept).toHaveLength(1);
  expect(JSON.parse(readFileSync(join(clippings, kept()[0] ?? ''), 'utf8'))).toMatchObject({
    url: 'https://lights.example/fresnel',
    askedFor: 'lighthouse lens',
  });

  // An address opens nothing before it was said and agreed to.
  await page.keyboard.press('o');
  await expect(page.getByRole('dialog', { name: 'Open lights.example in a new tab?' })).toContainText(
    'https://lights.example/fresnel',
  );
  await page.keyboard.press('Escape');

  // No picture is loaded by itself, and the page asks no other host for it.
  const pictures = page.getByRole('region', { name: t('research.pictures') });
  await expect(pictures.getByRole('listitem')).toHaveCount(1);
  await expect(pictures.getByRole('img')).toHaveCount(0);
  await pictures.getByRole('button', { name: /^Show picture: / }).click();
  await expect(pictures.getByRole('img')).toHaveAttribute('src', /^\/web-picture\/[0-9a-f]{64}\?/);
  await expect
    .poll(() => page.evaluate<number>(`document.querySelector('img[src^="/web-picture"]')?.naturalWidth ?? 0`))
    .toBeGreaterThan(0);
  await expectAccessible(page);
  await page.getByRole('button', { name: /^Send to library: / }).click();
  await expect(page.getByText('Picture sent to the library')).toBeVisible();

  await page.keyboard.press('n');
  const notes = page.getByRole('dialog', { name: t('research.putIntoNotes') });
  await notes.getByRole('checkbox', { name: /010/ }).press('Space');
  await expectAccessible(page);
  await notes.getByRole('button', { name: t('research.putIntoNotesOf', { count: 1 }) }).press('Enter');
  await expect(page.getByText('Added to the notes of 1 row')).toBeVisible();
  await pressInTurn(page, 'g', 'b');
  await expect(grid.getByText('lights.example/fresnel').first()).toBeVisible();
  await page
    .getByRole('button', { name: t('menu.role.undo') })
    .first()
    .click();
  await expect(grid.getByText('lights.example/fresnel')).toHaveCount(0);

  await goTo(page, t('place.research'));
  // Its keys are there once it is drawn.
  await expect(page.getByRole('main', { name: t('place.research') }).getByRole('grid')).toBeVisible();
  await page.keyboard.press('c');
  await expect(page.getByRole('grid', { name: t('research.clippings') }).getByRole('row')).toHaveCount(1);
  await page.keyboard.press('Delete');
  await expect(page.getByText(t('research.nothingKept'))).toBeVisible();
  await expect.poll(kept).toHaveLength(0);
  await page.keyboard.press('Control+z');
  await expect(page.getByRole('grid', { name: t('research.clippings') }).getByRole('row')).toHaveCount(1);

  await page.getByRole('grid', { name: t('research.clippings') }).focus();
  await page.keyboard.press('r');
  await expect(page.getByRole('textbox', { name: t('research.pageAddress') })).toHaveValue(
    'https://lights.example/fresnel',
  );
  await page.keyboard.press('Enter');
  await expect(page.getByRole('document', { name: t('common.text') })).toContainText('Keep the lamp out of the frame');
  expect(calls(app, '/v1/web-reader')).toBe(1);

  // With the switch on, those of every finding that is looked at come.
  await page.reload();
  await expect(page.getByRole('main', { name: t('place.research') })).toBeVisible();
  await page.locator('label', { hasText: t('research.clippings') }).click();
  await expect(pictures.getByRole('listitem')).toHaveCount(1);
  await expect(pictures.getByRole('img')).toHaveCount(0);
  await pictures.getByRole('switch', { name: t('research.showPictures') }).click();
  await expect(pictures.getByRole('img')).toBeVisible();
});
