import { app, Menu, nativeImage, Tray, type BrowserWindow, type NativeImage } from 'electron';
import { join } from 'node:path';
import type { DesktopAbilities } from '../../contract/desktop.ts';
import { countsInWords } from '../../contract/in-words.ts';
import { takesOf } from '../../contract/counts.ts';
import type { Desktop } from '../desktop.ts';
import { shareOf, type Work } from './work.ts';
import { say } from '../../contract/messages/words.ts';

type System = DesktopAbilities['system'];
type ShownWindow = Pick<BrowserWindow, 'isFocused' | 'setOverlayIcon' | 'setProgressBar'>;
type DockWindow = { readonly current: () => ShownWindow | null };

export class Dock {
  readonly #window: DockWindow;
  readonly #system: System;
  #failed = 0;
  /** Failed takes of the run that the person has had before their eyes. */
  #seen = 0;
  #undecided = 0;
  #shown = 0;
  /** On Windows the dot is its window's, and goes with it. */
  #shownOn: ShownWindow | null = null;

  constructor(window: DockWindow, system: System) {
    this.#window = window;
    this.#system = system;
  }

  show(work: Work): void {
    const window = this.#window.current();
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
    const window = this.#system === 'windows' ? this.#window.current() : null;
    const count = this.#undecided + Math.max(0, this.#failed - this.#seen);
    if (count === this.#shown && window === this.#shownOn) return;
    this.#shown = count;
    this.#shownOn = window;
    if (this.#system !== 'windows') app.setBadgeCount(count);
    else window?.setOverlayIcon(count === 0 ? null : dot(), count === 0 ? '' : `${count} need your attention`);
  }
}

/**
 * The icon among the system's, there while the app may run without a window: it shows the progress and opens the
 * window.
 */
export class StatusIcon {
  readonly #desktop: Pick<Desktop, 'packageFolder' | 'quit' | 'window'>;
  readonly #system: System;
  readonly #pause: (paused: boolean) => void;
  #tray: Tray | null = null;
  #work: Work | null = null;
  #shown = '';

  constructor(
    desktop: Pick<Desktop, 'packageFolder' | 'quit' | 'window'>,
    system: System,
    pause: (paused: boolean) => void,
  ) {
    this.#desktop = desktop;
    this.#system = system;
    this.#pause = pause;
  }

  get isThere(): boolean {
    return this.#tray !== null;
  }

  want(wanted: boolean): void {
    if (wanted === this.isThere) return;
    if (!wanted) {
      this.#tray?.destroy();
      this.#tray = null;
      return;
    }
    this.#tray = new Tray(statusImage(this.#desktop.packageFolder, this.#system));
    // On macOS a click opens the menu of the icon, and nothing else.
    if (this.#system !== 'macos') this.#tray.on('click', () => this.#desktop.window.show());
    this.#shown = '';
    this.#draw();
  }

  show(work: Work): void {
    this.#work = work;
    this.#draw();
  }

  #draw(): void {
    const status = statusOf(this.#work);
    const paused = this.#work?.paused ?? false;
    // A menu that is redrawn closes while the person uses it.
    if (!this.#tray || this.#shown === `${status} ${paused}`) return;
    this.#shown = `${status} ${paused}`;
    this.#tray.setToolTip(`Dailies: ${status}`);
    this.#tray.setContextMenu(
      Menu.buildFromTemplate([
        { label: status, enabled: false },
        { type: 'separator' },
        { label: say('desktop.openDailies'), click: () => this.#desktop.window.show() },
        { label: say(paused ? 'queue.resume' : 'queue.pause'), click: () => this.#pause(!paused) },
        { type: 'separator' },
        { label: say('desktop.quitDailies'), click: () => this.#desktop.quit.begin() },
      ]),
    );
  }
}

/** The state in one line. Pure. */
export function statusOf(work: Work | null): string {
  if (work === null) return say('status.starting');
  const { run, paused, undecided } = work;
  const total = takesOf(run);
  if (run.unfinished > 0) {
    const status = say(paused ? 'status.paused' : 'status.running', { done: total - run.unfinished, total });
    return withDecisions(status, undecided);
  }
  const result = countsInWords(run);
  return result === '' ? withDecisions(say('status.empty'), undecided) : say('status.done', { result });
}

const withDecisions = (status: string, count: number): string =>
  count === 0 ? status : say('status.withDecisions', { status, count });

/** An amber dot of 16 x 16 pixels, as a PNG. */
const DOT =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAABAAAAAQBAMAAADt3eJSAAAAMFBMVEVMaXHnoT3nojzZkUjnojznoj3soDjUqirooj3ooj' +
  'znoz3oozznojzmozznoj3ooz13RhzFAAAAD3RSTlMAz/MHx2wbBsjJ0PRubfHawurWAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAT0lEQVQImWNgwAJsun' +
  'dcBtFs6////5jAwMBg9f/////CDAwM50GMrwwMDPNBjC8MDAz6IMYnGOMfstR9mGJDEEMcZKA81ECGUieVcGxWAwAIajR+z5lPMwAAAABJRU5ErkJggg==';

/** What lies over the app's icon in the taskbar of Windows, where there is no number. */
const dot = (): NativeImage => nativeImage.createFromDataURL(DOT);

export function statusImage(packageFolder: string, system: System): NativeImage {
  const name = system === 'macos' ? 'trayTemplate.png' : 'tray.png';
  return nativeImage.createFromPath(join(packageFolder, 'resources', 'icons', 'tray', name));
}
