import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { findPostgres } from '../../scripts/find-postgres.ts';
import { t, withDots } from '../../src/contract/messages/words.ts';
import { parseStudioUrl } from '../../src/studio/address.ts';
import { initStudio } from '../../src/studio/schema/migrate.ts';
import { startPostgres } from '../support/postgres.ts';
import { expect, expectAccessible, test } from './support/app.ts';
import {
  button,
  choose,
  chooseFolder,
  chooseList,
  goTo,
  openProjectButton,
  showSettings,
  videoList,
} from './support/window.ts';

const hasPostgres = findPostgres() !== null;
if (!hasPostgres) process.stderr.write('No PostgreSQL on this machine: the journey through a studio was not run.\n');

const CLI = resolve(import.meta.dirname, '../../out/main/cli.js');

test.use({ demo: { speed: { videoMs: 6000, jitter: 0 } } });
test.skip(!hasPostgres, 'it needs a PostgreSQL');

let server: Awaited<ReturnType<typeof startPostgres>>;
test.beforeAll(async () => {
  server = await startPostgres();
  await server.query('postgres', 'CREATE DATABASE studio');
  await initStudio({ address: parseStudioUrl(server.url('studio')).address, password: null, name: 'test' }, 'UTC');
  await server.query('studio', 'CREATE ROLE ben LOGIN');
  await server.query('studio', 'GRANT dailies_worker TO ben');
});
test.afterAll(() => server.stop());

test('a studio is joined in Settings, a list starts there, and another machine makes its takes @night', async ({
  app,
  page,
}) => {
  const nas = app.path('nas');
  mkdirSync(join(nas, 'Film'), { recursive: true });
  await app.open();
  await openProjectButton(page).click();
  await chooseFolder(page, join(nas, 'Film'), t('window.actionOn', { action: t('common.open'), name: 'Film' }));
  await expect(page.getByRole('heading', { name: 'Film', exact: true })).toBeVisible();

  await test.step('it is joined; what is wrong is said', async () => {
    await showSettings(page, t('studio.title'));
    await expectAccessible(page);
    await page.getByLabel(t('settings.address')).fill('https://host/studio');
    await page.getByLabel(t('studio.person')).fill('Anna');
    await page.getByLabel(t('studio.machine')).fill('desk');
    await button(page, t('studio.join')).click();
    await expect(page.getByRole('alert')).toContainText(t('studio.badAddress'));
    await page.getByLabel(t('settings.address')).fill(server.url('studio'));
    await button(page, t('studio.join')).click();
    await expect(page.getByRole('status').filter({ hasText: t('studio.connected') })).toBeVisible();
  });

  await test.step('the folder of its projects gets a name', async () => {
    await page.getByLabel(t('studio.rootName')).fill('nas');
    await button(page, withDots('studio.addRoot')).click();
    await chooseFolder(page, nas, t('window.actionOn', { action: t('settings.useFolder'), name: 'nas' }));
    await expect(button(page, t('studio.removeRoot', { name: 'nas' }))).toBeVisible();
  });

  await test.step('its admin sets a budget for each night', async () => {
    await choose(button(page, withDots('studio.addBudget')), t('studio.eachNight'), 'menuitem');
    const dialog = page.getByRole('dialog', { name: t('studio.eachNight') });
    await dialog.getByLabel(t('cap.maxTakes')).fill('50');
    await button(dialog, t('studio.saveBudget')).click();
    await expect(page.getByText(t('cap.usedTakes', { spent: 0, most: 50 }))).toBeVisible();
    await expectAccessible(page);
  });

  await test.step('a list starts there, and waits', async () => {
    await chooseList(page, videoList(2));
    await button(page, t('start.start')).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(t('start.inTheStudio'), { exact: true }).click();
    await expectAccessible(page);
    await button(dialog, t('start.inStudio', { count: 2 })).click();
    await expect(dialog).toBeHidden();
    await goTo(page, t('place.queue'));
    await expect(page.getByRole('row').filter({ hasText: t('studio.takeWaits') })).toHaveCount(2);
  });

  const data = ['--data', app.path('farm')];
  const env = {
    ...{ ...process.env, HOME: app.folder, DAILIES_KEYCHAIN: 'none', DAILIES_STUDIO: server.url('studio', 'ben') },
    ...{ DAILIES_BASE_URL: app.service.url, DAILIES_API_KEY: app.service.apiKey },
  };
  await promisify(execFile)(process.execPath, [CLI, 'studio', 'join', 'Ben', '--name', 'farm', ...data], { env });
  const worker = spawn(process.execPath, [CLI, 'worker', '--root', `nas=${nas}`, ...data], { env, stdio: 'ignore' });
  await test.step('another machine takes them, and the queue says whose it is', async () => {
    const theirs = page.getByRole('row').filter({ hasText: t('studio.takeOf', { person: 'Ben', machine: 'farm' }) });
    await expect(theirs.first()).toBeVisible();
    await page.getByRole('tab', { name: t('queue.groupDone') }).click();
    await expect(page.getByRole('row').filter({ hasText: t('state.saved') })).toHaveCount(2);
  });
  worker.kill('SIGTERM');
  await once(worker, 'exit');

  await test.step('without its database it says so, and goes on once it is back', async () => {
    await server.end('SIGINT');
    await expect(page.getByRole('alert').filter({ hasText: t('studio.stoppedMeaning') })).toBeVisible();
    await server.start();
    await expect(page.getByRole('alert').filter({ hasText: t('studio.stoppedMeaning') })).toBeHidden();
  });
});
