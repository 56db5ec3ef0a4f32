import { isAssetDrag } from '../assets/drag-asset.ts';

/** How long something that is being dragged rests on a place before the place opens, ms. */
const REST_MS = 600;

/** For `{@attach}`: opens a place on which a file or an asset rests while it is being dragged, so that it can go on there. */
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
