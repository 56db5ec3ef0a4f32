import { chromium, type Browser } from '@playwright/test';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it, vi } from 'vitest';
import { t } from '../../src/contract/messages/words.ts';
import { findChromium } from '../../scripts/find-chromium.ts';
import { Settings } from '../../src/contract/settings.ts';
import { readTable } from '../../src/engine/batches/read-table.ts';
import { checkList } from '../../src/engine/batches/validate.ts';
import { startHostedEngine } from '../../src/host/hosted-engine.ts';
import { startWebHost } from '../../src/server/web/host.ts';
import { CliScene } from '../cli/support.ts';
import { World } from '../support/world.ts';
import { EffectService } from './made-up/effect-service.ts';
import { effectSpec } from './made-up/effect-spec.ts';
import { buildWindow } from './made-up/effect-window.ts';
import { isNightly } from '../support/chance.ts';

// These two lines are all that a new kind adds to the product besides its own files.
vi.mock('../../src/contract/kinds/all.ts', async (original) => {
  const { effectSpec: spec } = await import('./made-up/effect-spec.ts');
  return { allKinds: [...(await original<{ allKinds: readonly object[] }>()).allKinds, spec] };
});
vi.mock('../../src/engine/kinds/all.ts', async (original) => {
  const { effectDriver: effect } = await import('./made-up/effect-driver.ts');
  return { allDrivers: { ...(await original<{ allDrivers: object }>()).allDrivers, effect } };
});

const LIST = 'shot,kind,model,prompt,length,ground\n001,sfx,effect-one,Footsteps,3,gravel\n';
const PATH = '/v1/effects';

let service: EffectService;
beforeEach(async () => {
  service = await EffectService.start();
});
afterEach(() => service.stop());

/** What was sent for the list, once. */
const sentOnce = [{ model: 'effect-one', input: 'Footsteps', seconds: 3, surface: 'gravel' }];

it('a made-up kind, in a command goes from a list to a file once its path is set, and is paid for once', async () => {
  const scene = new CliScene();
  scene.env['DAILIES_BASE_URL'] = service.url;
  scene.env['DAILIES_API_KEY'] = 'key';
  writeFileSync(scene.path('night.csv'), LIST);

  expect(await scene.run('run', 'night.csv', '--project', 'film')).not.toBe(0);
  expect(scene.said).toContain('paths.effectSubmit');
  expect(service.posts).toEqual([]);

  expect(await scene.run('config', 'set', 'paths.effectSubmit', PATH)).toBe(0);
  expect(await scene.says('config', 'get')).toContain(`paths.effectSubmit = ${PATH}`);
  expect(await scene.run('run', 'night.csv', '--project', 'film')).toBe(0);
  expect(await scene.run('run', 'night.csv', '--project', 'film')).toBe(0);
  expect(service.posts).toEqual(sentOnce);
  expect(readFileSync(scene.path('film', 'night', '001_t1.aac')).equals(service.sound)).toBe(true);

  expect(await scene.says('jobs', 'list', '--project', 'film')).toMatch(/001 .*effect/);
  expect(await scene.says('run', '--help')).toMatch(/one of:[^)]*\beffect\b/);
});

describe('a made-up kind, in the engine', () => {
  const settings = () => ({ baseUrl: service.url, paths: { effectSubmit: PATH } });
  let world: World;
  afterEach(() => world.close());

  /** Sent, and half of the answer is on disk; calling the result lets the rest of it come. */
  async function halfAnswered(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    service.restMayCome = promise;
    world = await World.open();
    world.key = 'key';
    await world.start(settings());
    const table = await readTable({ name: 'night.csv', bytes: Buffer.from(LIST) });
    const { shots } = await checkList(table, { listFolder: world.folder, settings: Settings.parse(settings()) });
    await world.import(shots);
    world.engine.queue.run({});
    await world.until('half of the answer', () => bytesOfAnswers() === service.half.length);
    return () => resolve(undefined);
  }

  const bytesOfAnswers = () =>
    readdirSync(join(world.dataFolder, 'answers'))
      .map((name) => statSync(join(world.dataFolder, 'answers', name)).size)
      .reduce((sum, size) => sum + size, 0);

  it('loses no paid bytes by a kill once they came whole, and sends nothing again', async () => {
    const letTheRestCome = await halfAnswered();
    const killed = world.kill({ afterAnswers: true });
    letTheRestCome();
    await killed;
    await world.start(settings());
    expect(world.engine.recovery).toMatchObject({ recoveredAnswers: 1, unknownSubmits: 0 });
    await world.settle();
    expect(world.job('001')).toMatchObject({ state: 'saved', files: ['Day 1/001_t1.aac'] });
    expect(readFileSync(join(world.projectPath, 'Day 1', '001_t1.aac')).equals(service.sound)).toBe(true);
    expect(service.posts).toEqual(sentOnce);
  });

  it('never takes half of a sound for a whole one after a kill: a person decides', async () => {
    const letTheRestCome = await halfAnswered();
    const killed = world.kill();
    letTheRestCome();
    await killed;
    await world.start(settings());
    expect(world.engine.recovery).toMatchObject({ recoveredAnswers: 0, unknownSubmits: 1 });
    await world.settle();
    const { state, keptAnswer } = world.job('001');
    expect(state).toBe('submit_unknown');
    expect(readFileSync(keptAnswer?.file ?? '').equals(service.half)).toBe(true);
    expect(service.posts).toEqual(sentOnce);
  });
});

describe.runIf(isNightly)('a made-up kind, in the window', () => {
  let browser: Browser;
  const built = mkdtempSync(join(tmpdir(), 'dailies-window-'));
  beforeAll(async () => {
    await buildWindow(built);
    browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox', '--disable-gpu'] });
  }, 300_000);
  afterAll(async () => {
    await browser.close();
    rmSync(built, { recursive: true });
  });

  it('has its path in the settings, its list, its icon and its file', { timeout: 300_000 }, async () => {
    const scene = new CliScene();
    scene.env['DAILIES_API_KEY'] = 'key';
    const hosted = await startHostedEngine(scene.shell(), {
      dataFolder: scene.dataFolder,
      settings: Settings.parse({ baseUrl: service.url }),
      command: 'a test',
      power: () => ({ keepsAwake: null, onBattery: false }),
    });
    const web = await startWebHost({ services: hosted.services, windowFolder: built, port: 0 });
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const goTo = (view: string) =>
      page
        .getByRole('navigation', { name: t('window.views') })
        .getByRole('button', { name: view })
        .click();
    try {
      mkdirSync(scene.path('film'));
      await hosted.engine.projects.open(scene.path('film'));
      hosted.engine.queue.run({});
      await page.goto(web.newEntry());
      await page.getByRole('button', { name: /^film/ }).first().click();

      await goTo(t('place.settings'));
      await page.getByRole('button', { name: t('settings.advanced'), exact: true }).click();
      const path = page.getByLabel('Send sound effects');
      await path.fill(PATH);
      await path.press('Enter');
      await vi.waitFor(() => expect(hosted.services.settings.get().paths['effectSubmit']).toBe(PATH), 20_000);

      await goTo(t('place.batch'));
      const chooser = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: t('batch.chooseList') }).click();
      await (await chooser).setFiles({ name: 'night.csv', mimeType: 'text/csv', buffer: Buffer.from(LIST) });
      await page.getByRole('button', { name: t('start.start') }).click();
      await page.getByRole('dialog').getByText('Sound effect').waitFor();
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Start 1/ })
        .click();
      await page.getByRole('main').getByText('1 saved', { exact: true }).waitFor();

      await goTo(t('place.queue'));
      await page.getByRole('tab', { name: /^Done/ }).click();
      const row = page.getByRole('row').filter({ hasText: 'Footsteps' });
      await row.getByText('Sound effect').waitFor();
      expect(await row.locator(`path[d="${effectSpec.icon[0]?.[1]['d'] ?? ''}"]`).count()).toBe(1);
      const saved = readdirSync(scene.path('film'), { recursive: true, encoding: 'utf8' });
      expect(saved.filter((name) => name.endsWith('.aac'))).toEqual([join('night', '001_t1.aac')]);
      expect(service.posts).toEqual(sentOnce);
    } finally {
      await page.close();
      await web.close();
      await hosted.stop();
    }
  });
});
