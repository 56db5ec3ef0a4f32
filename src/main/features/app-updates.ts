import type { App } from 'electron';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { UpdateChoice, UpdateState } from '../../contract/desktop.ts';
import type { Desktop } from '../desktop.ts';
import { Updates } from './updates.ts';

/** New versions of this very app. */
export interface AppUpdates {
  readonly isPossible: boolean;
  want(wanted: boolean): void;
  decide(choice: UpdateChoice): void;
  see(isIdle: boolean): void;
}

/** Only a packaged app is replaced by another one, and only if its package says where from. */
export function appUpdates(
  app: Pick<App, 'isPackaged'>,
  { clock, logger, quit }: Pick<Desktop, 'clock' | 'logger' | 'quit'>,
  tell: (update: UpdateState) => void,
): AppUpdates {
  const isPossible = app.isPackaged && existsSync(join(process.resourcesPath, 'app-update.yml'));
  // Loaded for its purpose only: it looks about itself in the app as soon as it is.
  const loading = isPossible
    ? import('electron-updater').then(
        ({ default: { autoUpdater } }) => new Updates({ updater: autoUpdater, clock, logger, tell, quit }),
      )
    : null;
  const tellUpdates = (wish: (updates: Updates) => void): void => {
    loading?.then(wish).catch((error: unknown) => logger.error('Updates do not work', { reason: String(error) }));
  };
  return {
    isPossible,
    want: (wanted) => tellUpdates((updates) => updates.want(wanted)),
    decide: (choice) => tellUpdates((updates) => updates.decide(choice)),
    see: (isIdle) => tellUpdates((updates) => updates.see(isIdle)),
  };
}
