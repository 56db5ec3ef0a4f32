import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { padding } from '../../src/demo/media/output.ts';
import { movie } from '../../src/demo/media/movie.ts';
import { box } from '../engine/downloads/samples.ts';
import { ffmpeg, framesOf, hidingEnd, makeFilm, psnr, trimmed } from '../support/films.ts';
import { expect, test } from './support/app.ts';
import { chooseList, csvFile, openInProject, startBatch } from './support/window.ts';

const { renderTiny } = movie;
test.afterEach(() => void (movie.renderTiny = renderTiny));

const B_FRAMES = ['-c:v', 'libx264', '-bf', '3', '-g', '24', '-pix_fmt', 'yuv420p'];
const films: readonly [string, (folder: string) => string][] = [
  ['with frames that are predicted from later ones @night', (folder) => makeFilm(folder, 'film.mp4', B_FRAMES)],
  ['with an edit list', (folder) => trimmed(makeFilm(folder, 'whole.mp4', B_FRAMES), folder, 'film.mp4', '0.7', '0.9')],
  ['whose edit list hides its end', (folder) => hidingEnd(makeFilm(folder, 'film.mp4', B_FRAMES), 900)],
  [
    'of HD that names its colours @night',
    (folder) =>
      makeFilm(
        folder,
        'film.mp4',
        [
          ...B_FRAMES,
          '-colorspace',
          'bt709',
          '-color_primaries',
          'bt709',
          '-color_trc',
          'bt709',
          '-vf',
          'scale=out_color_matrix=bt709',
        ],
        'testsrc2=s=1280x720:r=24:d=1',
      ),
  ],
];

for (const [what, make] of films)
  test(`the window reads frames where there is no ffmpeg: of a film ${what} @night`, async ({ app, page }) => {
    test.skip(ffmpeg === null, 'There is no ffmpeg to compare with.');
    mkdirSync(app.path('films'));
    const film = make(app.path('films'));
    const content = readFileSync(film);
    movie.renderTiny = (key) => Promise.resolve(Buffer.concat([content, box('free', padding(key, 0))]));
    await app.stop();
    await app.open({ PATH: '/nowhere' });
    const folder = await openInProject(app, page);
    const row = (key: string, frame: string) => [key, 'video', 'vgen-2.0-nt', 'The harbour at dawn', '4', frame];
    const list = csvFile('shots.csv', [
      ['shot', 'kind', 'model', 'prompt', 'duration', 'first_frame'],
      row('010', ''),
      row('020', 'Shot://010#last'),
      row('030', 'Shot://010#7f'),
      row('040', 'Shot://010#0.5s'),
    ]);
    const grid = await chooseList(page, list);
    await expect(grid).toBeVisible();
    await startBatch(page);
    const kept = join(folder, '.dailies', 'frames');
    const pictures = (): string[] =>
      existsSync(kept) ? readdirSync(kept).filter((name) => name.endsWith('.png')) : [];
    await expect.poll(() => pictures().length, { timeout: 60_000 }).toBe(3);
    await expect.poll(() => app.service.ledger.posts('/v1/videos').length, { timeout: 60_000 }).toBe(4);
    await chooseList(page, list);
    await expect(grid.locator('[data-shot="010#last"] img').first()).toHaveAttribute('src', /^\/frame\/.*last/);
    const frames = framesOf(film);
    const numbers = pictures().map((name) => Number(/-(\d+)\.png$/.exec(name)?.[1]));
    expect(numbers.sort((one, other) => one - other)).toEqual([7, 12, frames.length - 1].sort((a, b) => a - b));
    for (const name of pictures()) {
      const number = Number(/-(\d+)\.png$/.exec(name)?.[1]);
      const pixels = await sharp(join(kept, name)).removeAlpha().raw().toBuffer();
      const likeness = psnr(pixels, frames[number] ?? Buffer.alloc(0));
      expect(likeness).toBeGreaterThanOrEqual(40);
    }
  });
