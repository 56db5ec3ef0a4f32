import type { MenuItemConstructorOptions, Tray } from 'electron';
import { countsInWords } from '../../contract/in-words.ts';
import { takesOf } from '../../contract/counts.ts';
import type { Work } from './work.ts';
import { say } from '../../contract/messages/words.ts';

export interface StatusIconParts {
  readonly create: () => Tray;
  /** On macOS a click opens the menu of the icon, and nothing else. */
  readonly opensByClick: boolean;
  readonly buildMenu: (template: MenuItemConstructorOptions[]) => Electron.Menu;
  readonly open: () => void;
  readonly pause: (paused: boolean) => void;
  readonly quit: () => void;
}

/**
 * The icon among the system's, there while the app may run without a window: it shows the progress and opens the
 * window.
 */
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
    if (this.#parts.opensByClick) this.#tray.on('click', () => this.#parts.open());
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
      this.#parts.buildMenu([
        { label: status, enabled: false },
        { type: 'separator' },
        { label: say('desktop.openDailies'), click: this.#parts.open },
        { label: say(paused ? 'queue.resume' : 'queue.pause'), click: () => this.#parts.pause(!paused) },
        { type: 'separator' },
        { label: say('desktop.quitDailies'), click: this.#parts.quit },
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
