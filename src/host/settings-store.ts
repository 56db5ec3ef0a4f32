import { Settings, type SettingsChange } from '../contract/settings.ts';
import { parseServiceAddress } from '../engine/api/address.ts';
import { RefusedError } from '../engine/errors.ts';
import type { SettingsStore } from '../server/services.ts';
import { folderSettings, madeFolder } from './folder-settings.ts';
import { changeSetting, checkedTemplate } from './settings-file.ts';

/**
 * The settings of a data folder while its window is served. An address given on the command line holds until another
 * one is set in the window.
 */
export function settingsStore(dataFolder: string, atStart: Settings): SettingsStore {
  let current = atStart;
  return {
    get: () => current,
    change(change) {
      const given = withTextsChecked(change);
      const wanted = checked(merged(current, given));
      for (const [name, text] of leavesOf(given)) changeSetting(dataFolder, name, text);
      current = wanted;
      return current;
    },
  };
}

function withTextsChecked(change: SettingsChange): SettingsChange {
  if (change.nameTemplate !== undefined) checkedTemplate(change.nameTemplate);
  const given = change.baseUrl ? { ...change, baseUrl: parseServiceAddress(change.baseUrl).base } : { ...change };
  for (const name of folderSettings) if (change[name]) given[name] = madeFolder(change[name]);
  return given;
}

/** Groups of settings are merged leaf by leaf, lists replaced. */
function merged(settings: Settings, change: SettingsChange): unknown {
  const { concurrency, maxRate, assumed, paths, ...single } = change;
  return {
    ...settings,
    ...present(single),
    concurrency: { ...settings.concurrency, ...present(concurrency ?? {}) },
    maxRate: { ...settings.maxRate, ...present(maxRate ?? {}) },
    assumed: { ...settings.assumed, ...present(assumed ?? {}) },
    paths: { ...settings.paths, ...present(paths ?? {}) },
  };
}

const present = (values: object): object =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

function checked(settings: unknown): Settings {
  const result = Settings.safeParse(settings);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const name = issue?.path.join('.') ?? '';
  throw new RefusedError('bad_setting', `${name}: ${issue?.message ?? 'this is not allowed'}.`, 'Give another value.');
}

/** What a change sets, named as in the settings file and written as `dailies config set` takes it. */
function leavesOf(change: SettingsChange): [name: string, text: string][] {
  return Object.entries(change).flatMap(([name, value]): [string, string][] => {
    if (value === undefined) return [];
    if (Array.isArray(value)) return [[name, JSON.stringify(value)]];
    if (typeof value !== 'object') return [[name, String(value)]];
    return Object.entries(value).flatMap(([leaf, inner]): [string, string][] =>
      inner === undefined ? [] : [[`${name}.${leaf}`, Array.isArray(inner) ? JSON.stringify(inner) : String(inner)]],
    );
  });
}
