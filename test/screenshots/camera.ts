import type { Page } from '@playwright/test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';

const THEMES = ['dark', 'light'] as const;
const SIZES = [
  { width: 1440, height: 900 },
  { width: 1024, height: 640 },
] as const;

/** What a picture of the documentation may weigh at most, bytes. */
const HEAVIEST = 300_000;
/** What the film of the documentation may weigh at most, bytes, and how wide it is. */
const HEAVIEST_FILM = 1_500_000;
const FILM_WIDTH = 1120;
/** Fades, posters and waveforms are through after so long, ms. */
const SETTLE_MS = 350;

/** Nothing on its way any more: no picture that loads, no text that is being read. */
const STILL = `document.fonts.ready.then(() => {
  const shown = [...document.images].filter((image) => image.checkVisibility() && !image.complete);
  return Promise.race([
    Promise.allSettled(shown.map((image) => image.decode())),
    new Promise((resolve) => setTimeout(resolve, 3000)),
  ]).then(() => undefined);
})`;

/** Takes the window in both themes and two sizes; the window stands at the larger one, in dark, before and after. */
export class Camera {
  readonly #page: Page;
  readonly #folder: string;
  readonly #docs: string;
  readonly #wanted: string;
  readonly #frames: { readonly picture: Buffer; readonly ms: number }[] = [];
  taken = 0;

  /** `wanted` is the beginning of the names of the pictures to take; empty for all. */
  constructor(page: Page, { folder, docs, wanted }: { folder: string; docs: string; wanted: string }) {
    this.#page = page;
    this.#folder = folder;
    this.#docs = docs;
    this.#wanted = wanted;
  }

  /** Whether any picture of a scene is wanted. */
  wants(scene: string): boolean {
    return scene.startsWith(this.#wanted) || this.#wanted.startsWith(scene);
  }

  async take(name: string): Promise<void> {
    if (!name.startsWith(this.#wanted)) return;
    // Below the rail, where nothing answers to the pointer with a tooltip.
    await this.#page.mouse.move(38, 480);
    for (const size of SIZES) {
      await this.#page.setViewportSize(size);
      for (const theme of THEMES) {
        await this.#dress(theme);
        const folder = join(this.#folder, `${size.width}x${size.height}`, theme);
        mkdirSync(folder, { recursive: true });
        await this.#page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
        this.taken += 1;
      }
    }
    await this.#page.setViewportSize(SIZES[0]);
    await this.#dress('dark');
  }

  /** As the window is now, in dark, for the documentation. Throws when it would be too heavy. */
  async keep(name: string): Promise<void> {
    if (!name.startsWith(this.#wanted)) return;
    await this.#page.setViewportSize(SIZES[0]);
    await this.#dress('dark');
    const picture = sharp(await this.#page.screenshot({ animations: 'disabled' }));
    const bytes = await picture.png({ palette: true, colours: 256, effort: 10, dither: 0.6 }).toBuffer();
    if (bytes.length > HEAVIEST) throw new Error(`${name}.png would be ${bytes.length} bytes.`);
    mkdirSync(this.#docs, { recursive: true });
    writeFileSync(join(this.#docs, `${name}.png`), bytes);
    this.taken += 1;
  }

  /** Adds the window as it is now to the film that is being made, to be shown for so long. */
  async frame(ms: number): Promise<void> {
    await this.#page.evaluate(STILL);
    await this.#page.waitForTimeout(SETTLE_MS);
    const picture = await sharp(await this.#page.screenshot({ animations: 'disabled' }))
      .resize(FILM_WIDTH)
      .toBuffer();
    this.#frames.push({ picture, ms });
  }

  /** The frames as an endless film, for the documentation. Throws when it would be too heavy. */
  async film(name: string): Promise<void> {
    const pictures = this.#frames.map(({ picture }) => picture);
    const delay = this.#frames.map(({ ms }) => ms);
    const bytes = await sharp(pictures, { join: { animated: true } })
      .webp({ quality: 80, effort: 6, loop: 0, delay })
      .toBuffer();
    if (bytes.length > HEAVIEST_FILM) throw new Error(`${name}.webp would be ${bytes.length} bytes.`);
    mkdirSync(this.#docs, { recursive: true });
    writeFileSync(join(this.#docs, `${name}.webp`), bytes);
    this.taken += 1;
  }

  async #dress(theme: (typeof THEMES)[number]): Promise<void> {
    await this.#page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await this.#page.locator(`html[data-theme="${theme}"]`).waitFor();
    await this.#page.evaluate(STILL);
    await this.#page.waitForTimeout(SETTLE_MS);
  }
}
