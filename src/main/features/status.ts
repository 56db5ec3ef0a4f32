import { app, Menu, nativeImage, Tray, type BrowserWindow, type NativeImage } from 'electron';
import { join } from 'node:path';
import type { DesktopAbilities } from '../../contract/desktop.ts';
import { countsInWords } from '../../contract/in-words.ts';
import { countTakes } from '../../contract/batch.ts';
import type { Desktop } from '../desktop.ts';
import { toShare, type Work } from './work.ts';
import { t } from '../../contract/messages/words.ts';

type System = DesktopAbilities['system'];
type ShownWindow = Pick<BrowserWindow, 'isFocused' | 'setOverlayIcon' | 'setProgressBar'>;

export function createDock(window: { readonly current: () => ShownWindow | null }, system: System) {
  let failed = 0;
  /** Failed takes of the run that the person has had before their eyes. */
  let seen = 0;
  let undecided = 0;
  let shown = 0;
  /** On Windows the dot is its window's, and goes with it. */
  let shownOn: ShownWindow | null = null;

  const showBadge = (): void => {
    const on = system === 'windows' ? window.current() : null;
    const count = undecided + Math.max(0, failed - seen);
    if (count === shown && on === shownOn) return;
    shown = count;
    shownOn = on;
    if (system !== 'windows') app.setBadgeCount(count);
    else on?.setOverlayIcon(count === 0 ? null : dot(), count === 0 ? '' : `${count} need your attention`);
  };
  return {
    show(work: Work): void {
      const now = window.current();
      // Another run counts from zero.
      if (work.run.failed < failed) seen = 0;
      failed = work.run.failed;
      undecided = work.undecided;
      if (now?.isFocused()) seen = failed;
      const share = toShare(work);
      now?.setProgressBar(share ?? -1, { mode: share === null ? 'none' : work.paused ? 'paused' : 'normal' });
      showBadge();
    },
    /** The person looks at the window: what has failed is no news any more. What needs a decision stays. */
    looked(): void {
      seen = failed;
      showBadge();
    },
  };
}

/** The icon in the system's bar, while the app may run without a window: shows progress and opens the window. */
export function createStatusIcon(
  { packageFolder, quit, window }: Pick<Desktop, 'packageFolder' | 'quit' | 'window'>,
  system: System,
  pause: (paused: boolean) => void,
) {
  let tray: Tray | null = null;
  let work: Work | null = null;
  let shown = '';

  const draw = (): void => {
    const status = toStatus(work);
    const paused = work?.paused ?? false;
    // A menu that is redrawn closes while the person uses it.
    if (!tray || shown === `${status} ${paused}`) return;
    shown = `${status} ${paused}`;
    tray.setToolTip(`Dailies: ${status}`);
    tray.setContextMenu(
      Menu.buildFromTemplate([
        { label: status, enabled: false },
        { type: 'separator' },
        { label: t('desktop.openDailies'), click: () => window.show() },
        { label: t(paused ? 'queue.resume' : 'queue.pause'), click: () => pause(!paused) },
        { type: 'separator' },
        { label: t('menu.role.quit'), click: () => quit.begin() },
      ]),
    );
  };
  return {
    isThere: (): boolean => tray !== null,
    want(wanted: boolean): void {
      if (wanted === (tray !== null)) return;
      tray?.destroy();
      tray = wanted ? new Tray(statusImage(packageFolder, system)) : null;
      // On macOS a click opens the menu of the icon, and nothing else.
      if (system !== 'macos') tray?.on('click', () => window.show());
      shown = '';
      draw();
    },
    show(present: Work): void {
      work = present;
      draw();
    },
  };
}

export function toStatus(work: Work | null): string {
  if (work === null) return t('status.starting');
  const { run, paused, undecided } = work;
  const total = countTakes(run);
  if (run.unfinished > 0) {
    const status = t(paused ? 'status.paused' : 'status.running', { done: total - run.unfinished, total });
    return withDecisions(status, undecided);
  }
  const result = countsInWords(run);
  return result === '' ? withDecisions(t('status.empty'), undecided) : t('status.done', { result });
}

const withDecisions = (status: string, count: number): string =>
  count === 0 ? status : t('status.withDecisions', { status, count });

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
