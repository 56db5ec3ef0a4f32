import { t } from '../../../src/contract/messages/words.ts';
import type { Page } from '@playwright/test';
import sharp from 'sharp';
import { goTo } from '../../e2e/support/window.ts';
import type { Scene } from '../stage.ts';

interface Picture {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

/** A plain scene, so that small pictures differ at a glance. */
async function picture(name: string, sky: string, sea: string): Promise<Picture> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="960" height="720">
    <rect width="960" height="720" fill="${sky}"/><circle cx="700" cy="230" r="90" fill="#ffffff" opacity="0.5"/>
    <rect y="430" width="960" height="290" fill="${sea}"/><path d="M220 430l40-260h40l40 260z" fill="#f2efe8"/></svg>`;
  return { name, mimeType: 'image/png', buffer: await sharp(Buffer.from(svg)).png().toBuffer() };
}

async function choose(page: Page, files: readonly Picture[]): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await page
    .getByRole('main')
    .getByRole('button', { name: t('library.upload'), exact: true })
    .click();
  await (await chooser).setFiles([...files]);
  await page.getByRole('dialog').waitFor();
}

/** Reference media on their way into the library, and in it. */
export const libraryScene: Scene = {
  name: 'library',
  service: { media: 'tiny', speed: { assetMs: 300 } },
  play: async ({ app, page, camera }) => {
    const { faults } = app.service;
    await app.open();
    await goTo(page, t('place.library'));
    await page.getByRole('button', { name: t('library.uploadFiles') }).waitFor();
    await page.keyboard.press('n');
    await page.getByRole('textbox', { name: t('common.name') }).fill('Keeper, characters');
    await camera.take('library-group');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: t('library.createGroup') })
      .click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await choose(page, [
      await picture('keeper-portrait.png', '#6d7f8f', '#26323c'),
      await picture('keeper-from-behind.png', '#8a7a63', '#30291f'),
      await picture('منارة-عند-الفجر.png', '#b08f86', '#3d3a4a'),
    ]);
    await camera.take('library-upload');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: t('library.upload'), exact: true })
      .click();
    await page.getByText(t('library.uploadsDone', { count: 3 })).waitFor({ timeout: 30_000 });
    await page.getByRole('button', { name: t('library.allAssets') }).click();
    faults.add({
      match: { path: '/v1/assets/uploads' },
      do: { fault: 'asset-outcome', end: 'failed', message: 'the picture is too small' },
    });
    await choose(page, [await picture('lens.png', '#c9b37a', '#4b3d1f')]);
    await page
      .getByRole('dialog')
      .getByRole('button', { name: t('library.upload'), exact: true })
      .click();
    await page.getByText(t('library.uploadsDone', { count: 4 })).waitFor({ timeout: 30_000 });
    faults.add({
      match: { path: '/v1/assets/uploads', times: 'always' },
      do: { fault: 'asset-outcome', end: 'never' },
    });
    await choose(page, [
      await picture(
        'harbour-at-dawn-wide-reference-for-the-opening-shot-of-the-film-v03-final.png',
        '#7f93a8',
        '#2a3b4a',
      ),
      await picture('storm.png', '#4c545c', '#1a2026'),
    ]);
    await page
      .getByRole('dialog')
      .getByRole('button', { name: t('library.upload'), exact: true })
      .click();
    await page.getByText(t('library.uploadsDone', { count: 6 })).waitFor({ timeout: 30_000 });
    await camera.take('library-uploads');
    await page.getByRole('button', { name: t('library.clearFinished') }).click();
    await page.getByRole('row').filter({ hasText: 'keeper-portrait' }).click();
    await camera.take('library-full');
    await page.keyboard.press('v');
    await camera.take('library-grid');
    await page.keyboard.press('v');
    await page.getByRole('row').filter({ hasText: 'lens' }).click();
    await camera.take('library-failed');
    await page.getByRole('button', { name: t('library.addFromWeb') }).click();
    await camera.take('library-address');
  },
};
