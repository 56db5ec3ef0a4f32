import { readFileSync } from 'node:fs';
import { settingsFileOf } from './data-folder.ts';

/**
 * The setting `language` of a data folder; `system` without one. Skips the check of all settings, which would slow
 * `--help` down more than everything else: `languageFor` ignores unknown languages.
 */
export function languageSetting(dataFolder: string): string {
  try {
    const { language } = JSON.parse(readFileSync(settingsFileOf(dataFolder), 'utf8')) as { language?: unknown };
    return typeof language === 'string' ? language : 'system';
  } catch {
    // The reader of all settings reports a broken file, in any language.
    return 'system';
  }
}
