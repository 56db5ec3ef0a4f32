import type { OutputKey } from './media-library.ts';
import { renderMovie } from './movie.ts';
import { renderPicture } from './picture.ts';
import { renderTune } from './tune.ts';

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
