import type { MenuItemConstructorOptions, Tray } from 'electron';
import { countsInWords, takesOf } from '../../contract/counts.ts';
import type { Work } from './work.ts';

export interface StatusIconParts {
  readonly create: () => Tray;
  readonly buildMenu: (template: MenuItemConstructorOptions[]) => Electron.Menu;
  readonly open: () => void;
  readonly pause: (paused: boolean) => void;
  readonly quit: () => void;
}

/** The icon among the system's, there while the app may run without a window: how far it is, and the way back in. */
export class StatusIcon {
  readonly #parts: StatusIconParts;
  #tray: Tray | null = null;
  #work: Work | null = null;
  #shown = '';

  constructor(parts: StatusIconParts) {
    this.#parts = parts;
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
    this.#tray = this.#parts.create();
    this.#tray.on('click', () => this.#parts.open());
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
    // A menu that is drawn anew closes under the person's hand.
    if (!this.#tray || this.#shown === `${status} ${paused}`) return;
    this.#shown = `${status} ${paused}`;
    this.#tray.setToolTip(`Dailies: ${status}`);
    this.#tray.setContextMenu(
      this.#parts.buildMenu([
        { label: status, enabled: false },
        { type: 'separator' },
        { label: 'Open Dailies', click: this.#parts.open },
        { label: paused ? 'Resume the queue' : 'Pause the queue', click: () => this.#parts.pause(!paused) },
        { type: 'separator' },
        { label: 'Quit Dailies', click: this.#parts.quit },
      ]),
    );
  }
}

/** How it stands, in one line. Pure. */
export function statusOf(work: Work | null): string {
  if (work === null) return 'Starting';
  const { run, paused, undecided } = work;
  const settled = takesOf(run) - run.unfinished;
  const decide = undecided === 0 ? '' : `, ${undecided.toLocaleString('en')} to decide`;
  if (run.unfinished > 0) {
    const progress = `${settled.toLocaleString('en')} of ${takesOf(run).toLocaleString('en')} takes${decide}`;
    return paused ? `Paused at ${progress}` : progress;
  }
  const ends = countsInWords(run);
  return ends === '' ? `Nothing in the queue${decide}` : `Done: ${ends}`;
}
