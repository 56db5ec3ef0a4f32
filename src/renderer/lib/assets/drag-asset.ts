import { t } from '../../../contract/messages/words.ts';
import type { LibraryAsset } from '../../../contract/asset.ts';
import { copyText } from '../toasts.ts';

/** The type of a dragged asset, for places that take assets only; any text cell takes it as `Asset://…`. */
const ASSET_TYPE = 'application/x-dailies-asset';

export function dragAsset(event: DragEvent, { id, reference }: LibraryAsset): void {
  if (!event.dataTransfer) return;
  event.dataTransfer.effectAllowed = 'copy';
  event.dataTransfer.setData(ASSET_TYPE, id);
  event.dataTransfer.setData('text/plain', reference);
}

const isAssetDrag = (event: DragEvent): boolean => event.dataTransfer?.types.includes(ASSET_TYPE) === true;

export const copyReference = ({ reference }: LibraryAsset): Promise<void> =>
  copyText(reference, t('library.referenceCopied', { reference }));

const ofProject = (projectId: string | null): string =>
  projectId === null ? '' : `project=${encodeURIComponent(projectId)}`;

export const assetFileUrl = (assetId: string, projectId: string | null): string =>
  `/asset/${encodeURIComponent(assetId)}?${ofProject(projectId)}`;

export const thumbOf = ({ id, local }: LibraryAsset, projectId: string | null): string | null =>
  local?.contentType?.startsWith('image/') === true ? assetThumbUrl(id, projectId, 320) : null;

export const assetThumbUrl = (assetId: string, projectId: string | null, width: 320 | 640): string =>
  `/asset-thumb/${encodeURIComponent(assetId)}?w=${width}&${ofProject(projectId)}`;

/** How long something that is being dragged rests on a place before the place opens, ms. */
const REST_MS = 600;

/** For `{@attach}`: opens a place when a dragged file or asset rests on it, so that it can be dropped inside. */
export function openOnDrag(open: () => void): (node: HTMLElement) => () => void {
  return (node) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const events = new AbortController();
    const stop = (): void => clearTimeout(timer);
    const start = (event: DragEvent): void => {
      if (!isAssetDrag(event) && event.dataTransfer?.types.includes('Files') !== true) return;
      stop();
      timer = setTimeout(open, REST_MS);
    };
    const leave = (event: DragEvent): void => {
      const to = event.relatedTarget;
      if (!(to instanceof Node && node.contains(to))) stop();
    };
    node.addEventListener('dragenter', start, { signal: events.signal });
    node.addEventListener('dragleave', leave, { signal: events.signal });
    node.addEventListener('drop', stop, { signal: events.signal });
    return () => {
      stop();
      events.abort();
    };
  };
}
