import type { OutputKey } from './media-library.ts';
import { renderTiny } from './tiny.ts';

/** A file worth looking at or listening to. */
export function renderReal(key: OutputKey): Promise<Buffer> {
  return renderTiny(key, 0);
}
