import type { App, BrowserWindow, NativeImage } from 'electron';
import type { DesktopAbilities } from '../../contract/desktop.ts';
import { shareOf, type Work } from './work.ts';

export interface DockParts {
  readonly app: Pick<App, 'setBadgeCount'>;
  readonly window: () => Pick<BrowserWindow, 'isFocused' | 'setOverlayIcon' | 'setProgressBar'> | null;
  readonly system: DesktopAbilities['system'];
  /** A dot for the taskbar of Windows, which has no number. */
  readonly dot: () => NativeImage;
}

/** Shows in dock and taskbar how far the run is, and how many takes need the person. */
export class Dock {
  readonly #parts: DockParts;
  #failed = 0;
  /** Failed takes of the run that the person has had before their eyes. */
  #seen = 0;
  #undecided = 0;
  #shown = 0;
  /** On Windows the dot is its window's, and goes with it. */
  #shownOn: ReturnType<DockParts['window']> = null;

  constructor(parts: DockParts) {
    this.#parts = parts;
  }

  show(work: Work): void {
    const window = this.#parts.window();
    // Another run counts from zero.
    if (work.run.failed < this.#failed) this.#seen = 0;
    this.#failed = work.run.failed;
    this.#undecided = work.undecided;
    if (window?.isFocused()) this.#seen = this.#failed;
    const share = shareOf(work);
    window?.setProgressBar(share ?? -1, { mode: share === null ? 'none' : work.paused ? 'paused' : 'normal' });
    this.#showBadge();
  }

  /** The person looks at the window: what has failed is no news any more. What needs a decision stays. */
  looked(): void {
    this.#seen = this.#failed;
    this.#showBadge();
  }

  #showBadge(): void {
    const { app, system, dot } = this.#parts;
    const window = system === 'windows' ? this.#parts.window() : null;
    const count = this.#undecided + Math.max(0, this.#failed - this.#seen);
    if (count === this.#shown && window === this.#shownOn) return;
    this.#shown = count;
    this.#shownOn = window;
    if (system !== 'windows') app.setBadgeCount(count);
    else window?.setOverlayIcon(count === 0 ? null : dot(), count === 0 ? '' : `${count} need your attention`);
  }
}
