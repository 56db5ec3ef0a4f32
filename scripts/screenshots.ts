import { chromium } from '@playwright/test';
import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { languageFor } from '../src/contract/messages/languages.ts';
import { setLanguage } from '../src/contract/messages/words.ts';
import config from '../playwright.config.ts';
import { batchScene } from '../test/screenshots/scenes/batch.ts';
import { firstScene } from '../test/screenshots/scenes/first.ts';
import { libraryScene } from '../test/screenshots/scenes/library.ts';
import { loopScene } from '../test/screenshots/scenes/loop.ts';
import { projectsScene } from '../test/screenshots/scenes/projects.ts';
import { queueScene } from '../test/screenshots/scenes/queue.ts';
import { windowScene } from '../test/screenshots/scenes/window.ts';
import { researchScene } from '../test/screenshots/scenes/research.ts';
import { stringOutScene } from '../test/screenshots/scenes/string-out.ts';
import { reviewScene } from '../test/screenshots/scenes/review.ts';
import { spendingScene } from '../test/screenshots/scenes/spending.ts';
import { play } from '../test/screenshots/stage.ts';

/**
 * Takes every view as people see it, in both themes and two sizes, into `screenshots/`, and those the documentation
 * shows into `docs/images/`. A name, or the beginning of one, takes those alone: `npm run screenshots -- review`.
 * `--lang zh-CN` takes them in Chinese, into `screenshots/zh-CN/`, and none for the documentation.
 */
const root = resolve(import.meta.dirname, '..');
const { values, positionals } = parseArgs({ options: { lang: { type: 'string' } }, allowPositionals: true });
const [wanted = ''] = positionals;
const language = languageFor([values.lang ?? 'en']);
const folder = join(root, 'screenshots', language === 'en' ? '' : language);
const places = { folder, docs: language === 'en' ? join(root, 'docs', 'images') : folder, wanted };
await setLanguage(language);

if (wanted === '') rmSync(places.folder, { recursive: true, force: true });
mkdirSync(places.folder, { recursive: true });
const browser = await chromium.launch(config.use?.launchOptions ?? {});
try {
  const scenes = [
    firstScene,
    projectsScene,
    loopScene,
    batchScene,
    queueScene,
    windowScene,
    reviewScene,
    stringOutScene,
    researchScene,
    libraryScene,
    spendingScene,
  ];
  for (const scene of scenes) {
    if (!scene.name.startsWith(wanted) && !wanted.startsWith(scene.name)) continue;
    const began = Date.now();
    const taken = await play(scene, browser, places);
    process.stdout.write(`${scene.name}: ${taken} pictures in ${Math.round((Date.now() - began) / 1000)} s\n`);
  }
} finally {
  await browser.close();
}
