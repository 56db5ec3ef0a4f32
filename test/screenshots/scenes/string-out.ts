import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { t } from '../../../src/contract/messages/words.ts';
import { chooseList, csvFile, openInProject, press, settled, showTakes, startBatch } from '../../e2e/support/window.ts';
import type { Scene } from '../stage.ts';

const COLUMNS = ['shot', 'kind', 'model', 'prompt', 'duration', 'size'];
const film = (shot: string, prompt: string) => [shot, 'video', 'vgen-2.0-nt', prompt, '4', '480p'];

/** A cut that plays: whole, with a file that is gone, around one take, and without a pick. */
export const stringOutScene: Scene = {
  name: 'string-out',
  service: { media: 'real', speed: { videoMs: 100, imageMs: 100, musicMs: 100, jitter: 0 } },
  play: async ({ app, page, camera }) => {
    const folder = await openInProject(app, page);
    await chooseList(
      page,
      csvFile('harbor.csv', [
        COLUMNS,
        film('010', 'A lighthouse in the rain'),
        film('020', 'A boat leaves the harbor'),
        ['030', 'image', 'image-demo', 'A poster of the harbor', '', '512x512'],
        film('040', 'Waves break over the rocks'),
        ['M01', 'music', 'music-demo', 'Slow piano', '', ''],
      ]),
    );
    await startBatch(page);
    await settled(page, 5);
    await showTakes(page);
    await press(page, 'v');
    const clips = page.getByRole('group', { name: t('stringOut.clips') }).getByRole('button');
    await expect(clips).toHaveCount(4);
    await camera.take('string-out-empty');
    await press(page, 'Escape', 'Control+a', 'p', 'v');
    await expect(clips.first()).toHaveAccessibleName(/010/);
    await page.waitForTimeout(1500);
    await press(page, 'Shift+>');
    await page.waitForTimeout(500);
    await camera.take('string-out');
    const [file = ''] = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((each) =>
      /020[^/]*\.mp4$/.test(each),
    );
    rmSync(join(folder, file));
    await press(page, 'Escape', 'v');
    await expect(clips.nth(1)).toHaveAccessibleName(new RegExp(t('stringOut.fileMissing')));
    await press(page, 'ArrowDown');
    await camera.take('string-out-missing');
  },
};
