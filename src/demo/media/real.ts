import type { OutputKey } from './media-library.ts';
import { renderMovie } from './movie.ts';
import { renderTune } from './tune.ts';
import sharp from 'sharp';
import { slateSvg } from './slate.ts';
import { takeSlate } from './take-slate.ts';

/** A file worth looking at or listening to. */
export function renderReal(key: OutputKey): Promise<Buffer> {
  switch (key.task.kind) {
    case 'video':
      return renderMovie(key);
    case 'image':
      return renderPicture(key);
    case 'music':
      return renderTune(key);
  }
}

/** A PNG in the size that was asked for. */
async function renderPicture(key: OutputKey): Promise<Buffer> {
  return sharp(Buffer.from(slateSvg(takeSlate(key))))
    .removeAlpha()
    .png({ compressionLevel: 6 })
    .toBuffer();
}
