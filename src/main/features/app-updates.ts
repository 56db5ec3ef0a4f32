import type { App, AutoUpdater } from 'electron';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { UpdateChoice, UpdateState } from '../../contract/desktop.ts';
import type { Desktop } from '../desktop.ts';
import { relaunchOptions } from './relaunch.ts';
import { Updates } from './updates.ts';

/** New versions of this very app. */
export interface AppUpdates {
  readonly isPossible: boolean;
  want(wanted: boolean): void;
  decide(choice: UpdateChoice): void;
  see(isIdle: boolean): void;
  leaveForAnotherTime(): void;
}

export interface AppUpdatesParts extends Pick<Desktop, 'clock' | 'logger' | 'quit'> {
  readonly app: Pick<App, 'isPackaged' | 'relaunch' | 'quit'>;
  /** Electron's own. */
  readonly squirrel: Pick<AutoUpdater, 'on'>;
  readonly tell: (update: UpdateState) => void;
}

/** Only a packaged app is replaced by another one, and only if its package says where from. */
export function appUpdates({ app, squirrel, clock, logger, tell, quit }: AppUpdatesParts): AppUpdates {
  const isPossible = app.isPackaged && existsSync(join(process.resourcesPath, 'app-update.yml'));
  const relaunch = (without: string): void => {
    app.relaunch(relaunchOptions(process, without));
    app.quit();
  };
  // Packages of a system (deb, rpm) have this file. They are put in place by the administrator's password, and a person
  // who quits, or who is quit by a shutdown, has not asked to be asked for it.
  const installsOnQuit = isPossible && !existsSync(join(process.resourcesPath, 'package-type'));
  const verifier = process.platform === 'darwin' ? squirrel : null;
  // Loaded for its purpose only: it looks about itself in the app as soon as it is.
  const loading = isPossible
    ? import('electron-updater').then(
        ({ default: { autoUpdater: updater } }) =>
          new Updates({ updater, installsOnQuit, verifier, clock, logger, tell, quit, relaunch }),
      )
    : null;
  const toastUpdates = (action: (updates: Updates) => void): void => {
    loading?.then(action).catch((error: unknown) => logger.error('Updates do not work', { reason: String(error) }));
  };
  return {
    isPossible,
    want: (wanted) => toastUpdates((updates) => updates.want(wanted)),
    decide: (choice) => toastUpdates((updates) => updates.decide(choice)),
    leaveForAnotherTime: () => toastUpdates((updates) => updates.leaveForAnotherTime()),
    see: (isIdle) => toastUpdates((updates) => updates.see(isIdle)),
  };
}
