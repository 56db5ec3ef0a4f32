import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeFlac } from '../../engine/downloads/flac.ts';
import { factsOfFile } from '../../../src/engine/library/media-facts.ts';
import { aac, id3, isoMedia, mp3, mp4, ogg, opus, wav, webm } from '../../engine/downloads/samples.ts';
import { inspectAt } from '../../support/places.ts';
import type { Target } from '../target.ts';

export const targetIn = (folder: string): Target => ({
  samples: async () => [
    await mp4(),
    isoMedia(),
    isoMedia({ brand: 'isom', handler: 'vide', large: true }),
    wav(),
    mp3(),
    Buffer.concat([id3(), mp3()]),
    aac(8),
    ogg(),
    opus(),
    webm(),
    Buffer.from(
      encodeFlac(
        8000,
        Int16Array.from({ length: 200 }, (_, index) => 7 * index),
        '',
      ),
    ),
  ],
  async read(input) {
    const path = join(folder, 'sample');
    writeFileSync(path, input);
    await inspectAt(path);
    await factsOfFile(path);
  },
});
