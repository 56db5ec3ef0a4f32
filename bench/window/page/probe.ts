/** What is measured inside a page, ours or the peer's. It is there before anything else runs in the page. */
const probe = {
  /**
   * Scrolls what lies around `selector` by `step` pixels a frame. Resolves with the times from frame to frame, ms.
   */
  scroll(selector: string, frames: number, step: number): Promise<number[]> {
    const scroller = scrollerAround(selector);
    return new Promise((resolve) => {
      const gaps: number[] = [];
      let last: number | null = null;
      const onFrame = (now: number): void => {
        if (last !== null) gaps.push(now - last);
        last = now;
        scroller.scrollTop += step;
        if (gaps.length < frames) requestAnimationFrame(onFrame);
        else resolve(gaps);
      };
      requestAnimationFrame(onFrame);
    });
  },

  /**
   * Resolves when pictures of the grid are on screen: with the time of the first, and of the last in sight, ms since
   * the page was asked for.
   */
  async picturesShown(): Promise<{ readonly first: number; readonly all: number }> {
    let first: number | null = null;
    for (;;) {
      const now = await nextFrame();
      const pictures = picturesInSight();
      if (pictures.some(isDrawn)) first ??= now;
      if (first !== null && pictures.every(isDrawn)) return { first, all: now };
    }
  },

  /** When the mouse was pressed and let go last, ms since the page was asked for. */
  clickedAt: Number.NaN,

  /** Names and words of the rows in sight below `selector`. */
  rowTexts(selector: string): string[][] {
    return [...document.querySelectorAll(`${selector} [role="row"]`)].map((row) =>
      [...row.querySelectorAll('[role="gridcell"]')].map((cell) => cell.textContent?.trim() ?? ''),
    );
  },
};

function scrollerAround(selector: string): Element {
  for (let element = document.querySelector(selector); element; element = element.parentElement) {
    const { overflowY } = getComputedStyle(element);
    if (/auto|scroll/.test(overflowY) && element.scrollHeight > element.clientHeight) return element;
  }
  throw new Error(`Nothing around ${selector} scrolls.`);
}

/** The time at which what stands in the page now has been drawn. */
const nextFrame = (): Promise<number> =>
  new Promise((resolve) => {
    requestAnimationFrame(() => {
      // Comes after the frame that is being made.
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => resolve(performance.now());
      port2.postMessage(null);
    });
  });

const picturesInSight = (): HTMLImageElement[] =>
  [...document.querySelectorAll<HTMLImageElement>('[role="grid"] img')].filter((picture) => {
    const { top, bottom } = picture.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  });

const isDrawn = (picture: HTMLImageElement): boolean => picture.complete && picture.naturalWidth > 0;

addEventListener('click', ({ timeStamp }) => (probe.clickedAt = timeStamp), { capture: true });
Object.assign(window, { probe });
