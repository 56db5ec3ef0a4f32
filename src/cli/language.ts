import { parseArgs } from 'node:util';
import { languageFor, type Language } from '../contract/messages/languages.ts';
import { dataFolderOf, nonEmpty } from '../host/data-folder.ts';
import { languageSetting } from '../host/language.ts';
import type { Shell } from './shell.ts';

/**
 * The language of one command line: from `--lang`, else the setting, else the system. Read first, because `--help`
 * needs it too.
 */
export function languageOf(args: readonly string[], shell: Shell): Language {
  const { values } = parseArgs({
    args: [...args],
    options: { lang: { type: 'string' }, data: { type: 'string' } },
    strict: false,
  });
  const given = (value: string | boolean | undefined) => (typeof value === 'string' ? value : undefined);
  const setting = languageSetting(dataFolderOf(given(values.data), shell));
  return languageFor([given(values.lang) ?? '', setting, systemLanguage(shell.env)]);
}

/** The first of the variables that is set counts, as everywhere; Windows has none of them. */
function systemLanguage(env: Shell['env']): string {
  const named = [env['LC_ALL'], env['LC_MESSAGES'], env['LANG']].map(nonEmpty).find((text) => text !== undefined);
  return named ?? Intl.DateTimeFormat().resolvedOptions().locale;
}
