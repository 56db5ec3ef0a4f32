import type { Settings } from '../contract/settings.ts';
import type { SettingsStore } from '../server/services.ts';
import { changedSettings, changeSettings } from './settings-file.ts';

/**
 * The settings of a data folder while its window is served. An address given on the command line holds until another
 * one is set in the window.
 */
export function settingsStore(dataFolder: string, atStart: Settings): SettingsStore {
  let current = atStart;
  return {
    get: () => current,
    change(change) {
      const wanted = changedSettings(current, change);
      changeSettings(dataFolder, change);
      current = wanted;
      return current;
    },
  };
}
