import Panzoom, { type PanzoomObject } from '@panzoom/panzoom';

const MOST = 64;
const STEP = 1.5;
/** A small picture that fills its place is larger than life: pixel by pixel it is smaller than that. */
const LEAST = 0.02;
/** From this zoom on, per cent, pixels are shown unsmoothed: people look at single ones. */
const CRISP_FROM = 200;

interface Member {
  readonly panzoom: PanzoomObject;
  readonly element: HTMLElement;
}

export class ZoomGroup {
  readonly #members: Member[] = [];
  #scale = $state(1);
  /** Screen pixels per pixel of the first picture when it fits its place, per cent. */
  #fitPercent = $state(100);

  /** Width of the first picture by its height. */
  aspect = $state(16 / 9);

  readonly percent = $derived(this.#fitPercent * this.#scale);

  get isFit(): boolean {
    return this.#scale === 1;
  }

  get crisp(): boolean {
    return this.percent >= CRISP_FROM;
  }

  /** For `{@attach}`, on an element that fills its place and holds an `img` or a `video` that fits into it. */
  readonly member = (element: HTMLElement): (() => void) => {
    const place = element.parentElement ?? element;
    const panzoom = Panzoom(element, {
      canvas: true,
      maxScale: MOST,
      minScale: LEAST,
      panOnlyWhenZoomed: true,
      cursor: 'default',
      step: 0.4,
    });
    const member: Member = { panzoom, element };
    const events = new AbortController();
    const { signal } = events;
    place.addEventListener('wheel', (event) => this.#turn(event, member), { passive: false, signal });
    place.addEventListener('dblclick', (event) => this.#toggleAt(event, member), { signal });
    element.addEventListener('panzoomchange', () => this.#follow(member), { signal });
    // The size of a picture is known once it has loaded.
    element.addEventListener('load', () => this.#measure(), { capture: true, signal });
    element.addEventListener('loadedmetadata', () => this.#measure(), { capture: true, signal });
    const resized = new ResizeObserver(() => this.#measure());
    resized.observe(element);
    this.#members.push(member);
    return () => {
      events.abort();
      resized.disconnect();
      panzoom.destroy();
      this.#members.splice(this.#members.indexOf(member), 1);
    };
  };

  fit(): void {
    this.#members[0]?.panzoom.reset({ animate: false });
  }

  /** One pixel of the picture on one of the screen. */
  actual(): void {
    this.#zoomTo(100 / this.#fitPercent);
  }

  toggle(): void {
    if (this.isFit) this.actual();
    else this.fit();
  }

  zoom(direction: 1 | -1): void {
    const scale = this.#scale * STEP ** direction;
    if (scale <= 1) this.fit();
    else this.#zoomTo(scale);
  }

  #toggleAt(event: MouseEvent, { panzoom }: Member): void {
    if (!this.isFit) this.fit();
    else if (this.#fitPercent > 100) this.actual();
    else panzoom.zoomToPoint(100 / this.#fitPercent, event, { animate: false });
  }

  /** The wheel zooms in and back out, never below the picture's place. */
  #turn(event: WheelEvent, { panzoom }: Member): void {
    event.preventDefault();
    if (event.deltaY > 0 && this.#scale <= 1) return;
    panzoom.zoomWithWheel(event);
    if (panzoom.getScale() < 1) this.fit();
  }

  #zoomTo(scale: number): void {
    this.#members[0]?.panzoom.zoom(Math.min(MOST, scale), { animate: false });
  }

  #follow(leader: Member): void {
    const scale = leader.panzoom.getScale();
    const { x, y } = leader.panzoom.getPan();
    for (const { panzoom } of this.#members) {
      if (panzoom === leader.panzoom) continue;
      panzoom.zoom(scale, { animate: false, silent: true, force: true });
      panzoom.pan(x, y, { animate: false, silent: true, force: true });
    }
    this.#scale = Math.abs(scale - 1) < 0.001 ? 1 : scale;
    // A picture that fits is in its place.
    if (this.#scale === 1 && (x !== 0 || y !== 0)) this.fit();
  }

  #measure(): void {
    const [first] = this.#members;
    const picture = first?.element.querySelector<HTMLImageElement | HTMLVideoElement>('img, video');
    if (!first || !picture) return;
    const [width, height] =
      picture instanceof HTMLImageElement
        ? [picture.naturalWidth, picture.naturalHeight]
        : [picture.videoWidth, picture.videoHeight];
    if (width === 0 || height === 0) return;
    this.aspect = width / height;
    const shown = Math.min(first.element.clientWidth / width, first.element.clientHeight / height);
    this.#fitPercent = shown * devicePixelRatio * 100;
  }
}
