import type { Browser, Page } from '@playwright/test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { spoken } from '../../src/contract/messages/words.ts';
import type { startDemoService } from '../../src/demo/service.ts';
import { App } from '../e2e/support/app.ts';
import { Camera } from './camera.ts';

export interface Stage {
  readonly app: App;
  readonly page: Page;
  readonly camera: Camera;
}

export interface Scene {
  /** Beginning of the names of its pictures. */
  readonly name: string;
  /** How the service of the scene differs from the usual one. */
  readonly service?: Parameters<typeof startDemoService>[0];
  readonly play: (stage: Stage) => Promise<void>;
}

interface Places {
  readonly folder: string;
  readonly docs: string;
  readonly wanted: string;
}

/** Plays one scene on a data folder and a service of its own. Returns how many pictures were taken. */
export async function play(scene: Scene, browser: Browser, places: Places): Promise<number> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, colorScheme: 'dark', locale: spoken() });
  const camera = new Camera(page, places);
  const app = await App.create(page, { speed: { jitter: 0 }, ...scene.service });
  mkdirSync(app.path('data'), { recursive: true });
  const settings = { appearance: 'system', currency: 'USD', prices: [{ model: 'vgen-*', per: 'second', price: 0.12 }] };
  writeFileSync(app.path('data', 'settings.json'), JSON.stringify(settings));
  try {
    await scene.play({ app, page, camera });
  } catch (error) {
    await page.screenshot({ path: `${places.folder}/failed-${scene.name}.png` });
    throw error;
  } finally {
    await app.close();
    await page.close();
  }
  return camera.taken;
}
