import { assetThumbUrl } from '../../../lib/assets/drag-asset.ts';
import type { Place } from '../grid/places.ts';
import type { NamedPicture } from './media-cell.ts';

/** A picture that a cell names, and its address; null of a shot, whose take the engine is asked for. */
export interface CellImage extends NamedPicture {
  readonly url: string | null;
}

/** Where the small picture of a file or an asset is, which the cell at a place of the list names. */
export function pictureUrl(
  { of, name }: NamedPicture,
  draft: { readonly id: string; readonly projectId: string },
  { row, column }: Place,
): string | null {
  if (of === 'asset') return assetThumbUrl(name, draft.projectId, 320);
  return of === 'file' ? `/cell-thumb/${draft.id}/${row}/${column}?w=320&named=${encodeURIComponent(name)}` : null;
}
