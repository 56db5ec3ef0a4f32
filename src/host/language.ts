import { readFileSync } from 'node:fs';
import { settingsFileOf } from './data-folder.ts';

/**
 * The setting `language` as the file of a data folder has it; `system` where there is none. Without the check of all
 * settings, which would cost `--help` more than everything else: `languageFor` passes over what is no language.
 */
export function languageSetting(dataFolder: string): string {
  try {
    const { language } = JSON.parse(readFileSync(settingsFileOf(dataFolder), 'utf8')) as { language?: unknown };
    return typeof language === 'string' ? language : 'system';
  } catch {
    // The reader of all settings reports a file that cannot be read, in whatever language is set.
    return 'system';
  }
}
