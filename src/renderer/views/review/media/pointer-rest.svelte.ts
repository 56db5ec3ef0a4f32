/** How long the pointer rests on a film before it is opened: passing over a wall of them opens none, ms. */
const REST_MS = 140;

/** Where over an element the pointer is, once it has come to rest there. */
export class HoverDelay {
  /** From 0 at the left edge to 1; null while it is elsewhere, or has only just come. */
  share = $state<number | null>(null);
  #rests = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  move(event: PointerEvent): void {
    // A finger scrolls.
    if (event.pointerType !== 'mouse' || !(event.currentTarget instanceof Element)) return;
    const box = event.currentTarget.getBoundingClientRect();
    const share = Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
    if (this.#rests) {
      this.share = share;
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#rests = true;
      this.share = share;
    }, REST_MS);
  }

  leave(): void {
    clearTimeout(this.#timer);
    this.#rests = false;
    this.share = null;
  }
}
